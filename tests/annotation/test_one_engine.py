"""Every door says the same of the same votes, and with the same caveats."""

import csv
import io
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from bs4 import BeautifulSoup, Tag
from django.test import Client
from django.urls import reverse

from annotation.batches.queries.hit_answers import hit_answers
from annotation.labels.operations.decide import batch_label
from annotation.labels.queries.scheme_results import scheme_results
from annotation.labels.queries.votes import question_votes
from annotation.models import Batch, Vote, Worker
from annotation.reports.queries.bundle import study_bundle
from annotation.web.filters import coefficient
from annotation.workers.operations.discard_votes import votes_discard
from metrics.votes.agreeing import agree
from metrics.votes.agreement import COEFFICIENTS, as_dict
from metrics.votes.deciding import decide_votes
from tests.any_batch import (
    SCHEMES,
    SHOPS,
    answered_batch,
    any_batch,
    asking_batch,
    hand_in,
    kind,
    store_fields,
)
from tests.commands import run, run_json

__all__ = ["any_batch", "kind"]

pytestmark = pytest.mark.django_db


def by_question(batch: Batch, client: Client) -> dict[str, Any]:
    """What the API says of each closed question."""
    found = client.get(reverse("api-batch-scheme", args=[batch.pk])).json()
    return {one["name"]: one["agreement"] for one in found["questions"]}


def remarks_of_bundle(batch: Batch) -> list[str]:
    [bundled] = study_bundle(study=batch.study).batches
    return bundled.layout.remarks(bundled.agreement)


def test_whoever_saw_a_models_label_has_no_part_in_agreement(
    any_batch: Batch, admin_client: Client
) -> None:
    Batch.objects.filter(pk=any_batch.pk).update(suggested_by="model-1")
    any_batch.refresh_from_db()
    for agreement in by_question(any_batch, admin_client).values():
        assert agreement["alpha"]["value"] is None
        assert "model-1" in agreement["warnings"][0]
    assert "model-1" in str(remarks_of_bundle(any_batch))


def test_votes_of_simulated_workers_are_marked_at_every_door(
    any_batch: Batch, admin_client: Client
) -> None:
    Worker.objects.update(kind="simulated")
    for agreement in by_question(any_batch, admin_client).values():
        assert "simulated workers" in str(agreement["warnings"])
    assert "simulated workers" in str(remarks_of_bundle(any_batch))


def test_the_options_that_chance_chooses_from_are_the_same_at_every_door(
    tmp_path: Path, admin_client: Client
) -> None:
    """Nothing says which ones an imported file offered: those that occur."""
    votes = tmp_path / "votes.csv"
    votes.write_text(
        "query_id,worker,label,query\n1,a,f,x\n1,b,f,x\n2,a,m,y\n2,b,n,y\n3,a,n,z\n3,b,n,z\n"
    )
    run("label", "import-votes", votes, "--name", "shops")
    batch = Batch.objects.get(name="shops")
    whole = admin_client.get(reverse("api-batch-agreement", args=[batch.pk])).json()
    [part] = by_question(batch, admin_client).values()
    assert part["ac1"] == pytest.approx(whole["gwet_ac1"]["value"])
    assert part["n_options"] == 3


@pytest.mark.parametrize("kind", ["categories", "one nominal question"])
def test_a_tie_has_no_votes_for_it_before_and_after_labels_are_decided(kind: str) -> None:
    batch = answered_batch(kind)
    [before] = study_bundle(study=batch.study).batches
    query = before.results.queries[2].decisions[before.scheme.subset.question]
    assert (query.state, query.n_for) == ("tie", 0)
    batch_label(batch=batch, actor="test")
    [after] = study_bundle(study=batch.study).batches
    assert after.results.queries[2].decisions[after.scheme.subset.question].n_for == 0


def test_who_could_not_tell_is_counted_by_question(admin_client: Client) -> None:
    """Of one of several questions, and not for one that nobody was asked."""
    batch = asking_batch("three questions")
    hand_in("three questions", batch, "A1", "000?")
    harm = {place: "?" if place == 0 else "1" for place in range(4)}
    fields = [
        (f"q-{place}-{name}", code)
        for place in harm
        for name, code in (("named", "no"), ("harm", harm[place]))
    ]
    store_fields(batch, "A2", fields)
    address = reverse("api-batch-queries", args=[batch.pk])

    def cannot_tell(question: str) -> list[int]:
        rows = admin_client.get(address, {"question": question}).json()["results"]
        return [sum(of["votes"] for of in row["votes"] if of["category"] == "u") for row in rows]

    found = admin_client.get(reverse("api-batch-scheme", args=[batch.pk])).json()["questions"]
    for question in found:
        assert sum(cannot_tell(question["name"])) == question["n_cannot_tell"]
    assert cannot_tell("harm") == [1, 0, 0, 1]
    assert cannot_tell("groups") == [0, 0, 0, 0]


def test_agreement_of_every_question_is_that_of_the_engine(
    any_batch: Batch, admin_client: Client
) -> None:
    """API, command and the older answer by question have its numbers, without a name as with it."""
    address = reverse("api-batch-agreement", args=[any_batch.pk])
    found = admin_client.get(address).json()
    printed = run_json("batch", "agreement", any_batch.name, "--details")
    older = by_question(any_batch, admin_client)
    assert [row["name"] for row in found["questions"]] == [*older]
    votes = question_votes(batch=any_batch)
    for row, also in zip(found["questions"], printed["questions"], strict=True):
        computed = as_dict(agree(votes[row["name"]]), details=True)
        computed["warnings"] = row["warnings"]
        assert row == {"name": row["name"], "kind": row["kind"], **computed}
        assert also == row
        named = admin_client.get(address, {"question": row["name"]}).json()
        assert named == {**_members(row), "questions": [row]}
        before = older[row["name"]]
        assert before["alpha"].items() <= row["krippendorff_alpha"].items()
        assert (before["ac1"], before["raw"], before["coefficient"]) == (
            *(row["gwet_ac1"]["value"], row["raw_agreement"]["value"], row["coefficient"]),
        )
    [nominal] = any_batch.scheme.nominal
    [first] = [row for row in found["questions"] if row["name"] == nominal.name]
    assert _members(found) == _members(first)


def test_every_question_with_options_has_an_address(any_batch: Batch, admin_client: Client) -> None:
    address = reverse("batch-agreement", args=[any_batch.pk])
    for question in any_batch.scheme.closed:
        response = admin_client.get(address, {"question": question.name})
        if not question.is_nominal:
            assert response.headers["Location"] == f"{address}#question-{question.name}"
            sections = BeautifulSoup(admin_client.get(address).content, "html.parser")
            heading = sections.find(id=f"question-{question.name}")
            assert heading is not None
            assert heading.get_text() == question.text
        else:
            assert response.status_code == 200
    assert admin_client.get(address, {"question": "none"}).status_code == 404


def test_pages_show_the_numbers_of_the_engine(any_batch: Batch, admin_client: Client) -> None:
    address = reverse("batch-agreement", args=[any_batch.pk])
    coefficients = sorted(COEFFICIENTS, key=lambda name: name != "krippendorff_alpha")
    for name, votes in question_votes(batch=any_batch).items():
        computed = agree(votes)
        if computed.coefficient != "nominal":
            continue
        page = BeautifulSoup(admin_client.get(address, {"question": name}).content, "html.parser")
        tables = {str(part["aria-label"]): part for part in page.select(".table-frame")}
        assert _cells(tables["Coefficients"], 1) == [
            coefficient(getattr(computed, of).value) for of in coefficients
        ]
        assert _cells(tables["Vote patterns"], 2) == [*map(str, computed.pattern_counts.values())]
        for place, shown in enumerate(
            (
                [*map(str, computed.categories.values())],
                [*map(str, computed.majority.values())],
                [coefficient(alpha.value) for alpha in computed.per_category_alpha.values()],
            ),
            start=1,
        ):
            assert _cells(tables["Answers"], place) == shown
    page = BeautifulSoup(admin_client.get(address).content, "html.parser")
    for section, (name, votes) in zip(
        page.select("section[aria-labelledby^=question-]"),
        question_votes(batch=any_batch).items() if len(any_batch.scheme.closed) > 1 else (),
        strict=True,
    ):
        computed, facts = agree(votes), section.select(".headline strong, dd")
        assert [fact.get_text().split()[0] for fact in facts] == [
            *(
                coefficient(getattr(computed, of).value)
                for of in coefficients
                if votes.kind in COEFFICIENTS[of].kinds
            ),
            *(str(computed.n_paired), str(computed.n_cannot_tell)),
        ], name
        chosen = votes.counted().counts_of_options().sum(axis=0).tolist()
        assert _cells(section, 2) == [*map(str, chosen)]


def _cells(part: Tag, place: int) -> list[str]:
    """The texts of a column of the only table."""
    rows = part.select("tbody tr")
    return [row.find_all(["th", "td"])[place].get_text(strip=True) for row in rows]


def test_files_have_the_numbers_of_the_engine(
    any_batch: Batch, admin_client: Client, tmp_path: Path
) -> None:
    """Bundle, release, export and the list of queries, before labels are decided."""
    votes = scheme_results(batch=any_batch).votes
    decided = {
        (name, row.item): row for name, of in votes.items() for row in decide_votes(of).every
    }
    chosen = {
        (name, qid): dict(zip(of.options, counts, strict=True))
        for name, of in votes.items()
        for qid, counts in zip(of.items, of.counted().counts_of_options().tolist(), strict=True)
    }
    terms = ("--creators", "Lovelace, Ada", "--license", "cc-by-4.0")
    run("study", "release", any_batch.study.name, *terms, "--output", tmp_path / "out")
    released = {path.name: path.read_text("utf-8") for path in (tmp_path / "out").glob("*.csv")}
    [bundled] = study_bundle(study=any_batch.study).batches
    assert {(row.question, row.qid): row.n_for for row in bundled.decisions} == (
        {} if bundled.layout.categories else {key: row.n_for for key, row in decided.items()}
    )
    for row in [*bundled.decisions, *_rows(released.get("decisions.csv", ""))]:
        about: Any = SimpleNamespace(**row) if isinstance(row, dict) else row
        computed = decided[about.question, about.qid]
        assert (about.decided, int(about.n_answers), int(about.n_cannot_tell)) == (
            *(computed.label or "", computed.n_votes, computed.n_cannot_tell),
        )
    for soft in _rows(released.get("soft_labels.csv", "")):
        assert chosen[soft["question"], soft["qid"]][soft["option"]] == int(soft["n_chosen"])
    for label in _rows(released.get("labels.csv", "")):
        computed = decided["gender", label["qid"]]
        assert (int(label["n_votes"]), int(label["n_cannot_tell"])) == (
            *(computed.n_votes, computed.n_cannot_tell),
        )
        shown = {code: int(label[f"votes_{code}"]) for code in any_batch.scheme.nominal[0].codes}
        assert shown == chosen["gender", label["qid"]]
    alphas = [agree(of).krippendorff_alpha.value for of in votes.values()]
    assert [
        float(row["value"]) if row["value"] else None
        for row in _rows(released["agreement.csv"])
        if "alpha" in row["coefficient"]
    ] == pytest.approx(alphas)
    assert _alphas(bundled.agreement) == pytest.approx(alphas)
    exported = b"".join(
        admin_client.get(reverse("api-batch-scheme-file", args=[any_batch.pk, "labels"]))
    ).decode()
    for line in _rows(exported):
        for name in votes:
            computed = decided[name, line["qid"]]
            assert (line[name], int(line[f"n_{name}"])) == (computed.label or "", computed.n_votes)


def _rows(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text, newline="")))


def _alphas(agreement: dict[str, Any]) -> list[float | None]:
    """The alphas of `agreement.json`, of one question or of each."""
    if "krippendorff_alpha" in agreement:
        return [agreement["krippendorff_alpha"]["value"]]
    return [row["alpha"]["value"] for row in agreement.values()]


def test_of_several_nominal_questions_none_is_the_one(
    admin_client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    again = SHOPS[SHOPS.index("- name") : SHOPS.index("subset")].replace("buys", "sells")
    monkeypatch.setitem(SCHEMES, "two", SHOPS.replace("subset", f"{again}subset"))
    batch = asking_batch("two")
    found = admin_client.get(reverse("api-batch-agreement", args=[batch.pk])).json()
    assert [*found] == ["questions"]
    assert [*run_json("batch", "agreement", batch.name)] == ["questions", "votes"]
    assert {row["n_votes"] for row in found["questions"]} == {0}


def _members(row: dict[str, Any]) -> dict[str, Any]:
    return {name: of for name, of in row.items() if name not in {"name", "kind", "questions"}}


def test_a_query_lacks_votes_on_each_question_that_somebody_could_not_tell() -> None:
    """Not on a question that the decisions before it skip."""
    batch = asking_batch("three questions")
    for worker, groups in (("A1", "?"), ("A2", ""), ("A3", "")):
        fields = [
            (f"q-{place}-{name}", code)
            for place in range(4)
            for name, code in (("named", "yes" if groups else "no"), ("harm", "1"))
        ]
        fields += [(f"q-{place}-groups.3", groups) for place in range(4) if groups]
        store_fields(batch, worker, fields)
    [answers] = hit_answers(batch=batch)
    assert (answers.n_good, answers.n_votes_lacking) == (3, 0)
    Vote.objects.filter(worker__worker_id__in=["A2", "A3"]).delete()
    [answers] = hit_answers(batch=batch)
    assert answers.n_votes_lacking == 2


def test_agreement_names_what_the_exclusion_of_workers_did_to_it(
    any_batch: Batch, admin_client: Client
) -> None:
    worker = Worker.objects.filter(votes__query__batch=any_batch).first()
    assert worker
    votes_discard(batch=any_batch, worker_id=worker.worker_id, reason="x", actor="test")
    named = any_batch.scheme.nominal[0].name
    agreement = by_question(any_batch, admin_client)[named]
    assert "with them alpha is" in str(agreement["warnings"])
    assert "with them alpha is" in str(remarks_of_bundle(any_batch))
    found = run_json("batch", "agreement", any_batch.name, "--question", named)
    assert "with them alpha is" in str(found["warnings"])
