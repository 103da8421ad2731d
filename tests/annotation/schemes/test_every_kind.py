"""Each kind of question on its whole way: editor, task page, agreement, labels, files, bundle."""

import csv
from pathlib import Path
from pkgutil import iter_modules

import pytest
from bs4 import BeautifulSoup
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from annotation.labels.by_question import SchemeResults
from annotation.labels.operations.decide import batch_label
from annotation.labels.queries.scheme_files import scheme_file
from annotation.labels.queries.scheme_results import scheme_results
from annotation.models import Batch
from annotation.overview.operations.simulation import crowd_of, given_answers
from annotation.reports.bundle.verify import verify_bundle
from annotation.schemes import JOINED, Kind, Scheme, kinds, scheme_from_json, scheme_to_yaml
from annotation.schemes.formats import WRITERS, read_scheme
from annotation.schemes.kinds import KINDS
from annotation.task_page import PageTexts, render, scheme_fields
from annotation.vocabulary import BatchState
from tests.annotation.schemes.test_scheme_editor import Editor
from tests.annotation.test_import_bundle import import_bundle
from tests.commands import run
from tests.schemed import READ_BACK, made, submit
from tests.study import stored_pool

pytestmark = [pytest.mark.django_db, pytest.mark.parametrize("kind", KINDS.values(), ids=str)]
CROWD = crowd_of(seed=7, n_workers=3, accuracy=1.0)


def scheme_with(kind: Kind) -> Scheme:
    """A question of the kind, and one that makes the subset."""
    n_options = min(kind.most, max(kind.fewest, 4))
    options = [{"code": n, "label": f"Answer {n}"} for n in range(1, n_options + 1)]
    sure = [{"code": "yes", "label": "Yes"}, {"code": "no", "label": "No"}]
    asked = {"name": "asked", "text": "What?", "kind": kind.name, "options": options}
    return scheme_from_json(
        {
            "name": "kinds",
            "title": "Kinds",
            "questions": [
                {**asked, "required": kind.has_options},
                {"name": "sure", "text": "Sure?", "kind": "single", "options": sure},
            ],
            "subset": {
                "words": "queries of which one is sure",
                "question": "sure",
                "any_of": ["yes"],
            },
        }
    )


def answers(scheme: Scheme, qid: str) -> dict[str, frozenset[str]]:
    """What everybody of a crowd without errors answers."""
    return dict(given_answers(CROWD, next(iter(CROWD.error_rates)), qid, scheme))


def answered(kind: Kind) -> Batch:
    """A batch whose questions everybody answers by the fields of its page."""
    scheme = scheme_with(kind)
    batch = made(stored_pool(4).belongs.study, scheme=scheme_to_yaml(scheme))
    queries = list(batch.queries.order_by("position").values_list("qid", "text"))
    page = BeautifulSoup(render(queries, PageTexts(scheme)), "html.parser")
    fields = [
        field
        for place, (qid, _) in enumerate(queries)
        for field in scheme_fields(scheme, place, answers(scheme, qid))
    ]
    for name, value in fields:
        assert page.select(f'input[name="{name}"][value="{value}"]')
    if not kind.has_options:
        assert page.select('textarea[name="q-0-asked"]')
        fields.append(("q-0-asked", "In words."))
    for worker in CROWD.error_rates:
        assert submit(batch, worker, fields).votes == len(queries)
    Batch.objects.filter(pk=batch.pk).update(state=BatchState.PUBLISHED)
    return batch


def decided(results: SchemeResults) -> list[dict[str, frozenset[str] | None]]:
    return [
        {name: decision.codes or None for name, decision in query.decisions.items()}
        for query in results.queries
    ]


def test_it_has_a_module_and_the_words_of_an_editor(kind: Kind) -> None:
    assert kind.name in [module.name for module in iter_modules(kinds.__path__)]
    assert kind.words
    assert kind.levels
    assert [one.position for one in KINDS.values()].count(kind.position) == 1
    assert bool(kind.too_few) == bool(kind.fewest)


def test_the_editor_offers_and_keeps_it(kind: Kind, admin_client: Client) -> None:
    scheme = scheme_with(kind)
    batch = made(stored_pool(4).belongs.study, scheme=scheme_to_yaml(scheme))
    editor = Editor(admin_client, batch)
    offered = editor.page.select_one(f'#id_q0-kind option[value="{kind.name}"]')
    assert offered is not None
    assert offered.text == kind.words
    assert editor.send(save="1").status_code == 302
    assert editor.stored == scheme


@pytest.mark.parametrize("program", READ_BACK)
def test_other_programs_can_ask_it(kind: Kind, program: str) -> None:
    scheme = scheme_with(kind)
    again = read_scheme(WRITERS[program](scheme))
    assert [one.codes for one in again.questions] == [one.codes for one in scheme.questions]
    assert again.questions[0].kind.takes_several == kind.takes_several


def test_its_answers_are_compared_decided_and_exported(kind: Kind, admin_client: Client) -> None:
    batch = answered(kind)
    results = scheme_results(batch=batch)
    expected = [answers(batch.scheme, query.qid) for query in results.queries]
    assert decided(results) == expected
    for result in results.questions:
        assert result.agreement.n_votes == 3 * len(expected)
    for name in ("batch-agreement", "batch-queries", "batch-labels", "batch-adjudication"):
        assert admin_client.get(reverse(name, args=[batch.pk])).status_code == 200
    for question in batch.scheme.closed:
        batch_label(batch=batch, question=question.name, actor="test")
    rows = csv.DictReader("".join(scheme_file(batch=batch, file="labels")[0]).splitlines())
    written = [row["asked"].split(JOINED) for row in rows if "asked" in row]
    assert written == [sorted(of["asked"]) for of in expected if "asked" in of]


def test_a_bundle_keeps_it(kind: Kind, tmp_path: Path, settings: Settings) -> None:
    settings.DATA_DIR = tmp_path / "var"
    batch, path = answered(kind), tmp_path / "b.zip"
    run("study", "bundle", batch.study.name, "--output", path)
    assert verify_bundle(path).differences == []
    imported = import_bundle(path, name="elsewhere").made.batches.get()
    assert imported.scheme == batch.scheme
    assert decided(scheme_results(batch=imported)) == decided(scheme_results(batch=batch))
