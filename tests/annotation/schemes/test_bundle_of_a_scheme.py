"""A bundle of a study whose batch asks the questions of a scheme: verified, and imported."""

import csv
import io
import json
import tracemalloc
from pathlib import Path

import pytest
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from annotation.labels.operations.decide import batch_label
from annotation.labels.queries.scheme_files import scheme_file
from annotation.models import Batch, Choice, Study, Vote
from annotation.reports.bundle.verify import verify_bundle
from annotation.workers.operations.discard_votes import votes_discard
from metrics.errors import InputError
from tests.annotation.test_import_bundle import import_bundle
from tests.bundles import changed, contents, with_files
from tests.commands import run
from tests.schemed import answered, reject
from tests.study import stored_pool

pytestmark = pytest.mark.django_db


@pytest.fixture
def batch(tmp_path: Path, settings: Settings) -> Batch:
    """Three workers, the answers of one of whom are discarded."""
    settings.DATA_DIR = tmp_path / "var"
    made = answered(stored_pool(4).belongs.study)
    votes_discard(batch=made, worker_id="A3", reason="Guessed.", actor="ada")
    return made


def bundle(batch: Batch, path: Path) -> Path:
    run("study", "bundle", batch.study.name, "--output", path)
    return path


def exports(batch: Batch) -> dict[str, object]:
    """What the site exports of the batch; workers are those of a site, so only their rows count."""
    texts = {
        file: "".join(scheme_file(batch=batch, file=file)[0])
        for file in ("labels", "subset", "scheme", "votes")
    }
    votes = list(csv.DictReader(io.StringIO(texts.pop("votes"), newline="")))
    workers = {vote["worker"] for vote in votes}
    by_worker = sorted(
        sorted((v["qid"], v["question"], v["answer"]) for v in votes if v["worker"] == worker)
        for worker in workers
    )
    return {**texts, "votes": by_worker}


def test_a_bundle_becomes_a_study_with_the_same_exports(batch: Batch, tmp_path: Path) -> None:
    path = bundle(batch, tmp_path / "b.zip")
    before, workers = exports(batch), set(Vote.objects.values_list("worker", flat=True))
    imported = import_bundle(path, name="elsewhere").made.batches.get()
    assert exports(imported) == before
    assert len(before["votes"]) == 2  # type: ignore[arg-type]
    votes = Vote.objects.filter(query__batch=imported)
    assert votes.filter(choices__question="groups").count() == 5
    assert workers.isdisjoint(votes.values_list("worker", flat=True))
    first, again = contents(path), contents(bundle(imported, tmp_path / "again.zip"))
    for name in ("queries.csv", "scheme.json", "decisions.csv", "agreement.json"):
        assert again[f"batches/1/{name}"] == first[f"batches/1/{name}"]


def test_what_was_imported_is_shown_on_its_pages(
    batch: Batch, tmp_path: Path, admin_client: Client
) -> None:
    imported = import_bundle(bundle(batch, tmp_path / "b.zip"), name="elsewhere").made.batches.get()
    for name in ("batch-detail", "batch-agreement", "batch-labels", "batch-queries",
                 "batch-workers", "batch-scheme"):  # fmt: skip
        assert admin_client.get(reverse(name, args=[imported.pk])).status_code == 200
    query = imported.queries.earliest("position")
    page = admin_client.get(reverse("batch-query", args=[imported.pk, query.pk]))
    title = imported.scheme.questions[0].title
    assert page.content.decode().count(f"{title}</span>") == len(query.votes.all())


def test_it_verifies_has_the_same_bytes_again_and_nothing_private(
    batch: Batch, tmp_path: Path
) -> None:
    Choice.objects.create(
        vote=Vote.objects.earliest("pk"), question="harm", text="I am Ada of Kent Street"
    )
    path = bundle(batch, tmp_path / "b.zip")
    assert path.read_bytes() == bundle(batch, tmp_path / "c.zip").read_bytes()
    found = verify_bundle(path)
    assert found.ok
    assert found.checked["answers"] == 2 * (3 * 2 + 1) + 4 * 2 + 3
    assert found.checked["decisions"] == 4 * 3
    files = contents(path)
    assert json.loads(files["manifest.json"])["format"] == 3
    for private in (b'"A1"', b",A1,"):
        assert all(private not in content for content in files.values())
    assert [name for name in files if b"Kent Street" in files[name]] == ["batches/1/texts.csv"]
    sheet = files["README.md"].decode()
    assert "1 free texts in `texts.csv`" in sheet
    assert "4 queries, 2 of them queries that name no religion" in sheet
    assert "gender" not in sheet.lower().replace("non-gendered", "")


def test_rejected_answers_are_in_it_and_do_not_count(batch: Batch, tmp_path: Path) -> None:
    """As votes for the categories are: elsewhere they stay apart, too."""
    reject(batch, "A3")
    path = bundle(batch, tmp_path / "b.zip")
    answers = contents(path)["batches/1/answers.csv"]
    rows = list(csv.DictReader(io.StringIO(answers.decode(), newline="")))
    by_worker = {row["worker"]: row["repeated"] for row in rows}
    assert sorted(by_worker.values()) == ["0", "0", "1"]
    imported = import_bundle(path, name="elsewhere").made.batches.get()
    votes = Vote.objects.filter(query__batch=imported)
    assert votes.filter(counts=False).count() == 4
    assert (
        contents(bundle(imported, tmp_path / "again.zip"))["batches/1/agreement.json"]
        == (contents(path)["batches/1/agreement.json"])
    )


def test_a_label_that_is_older_than_its_votes_is_a_note(batch: Batch, tmp_path: Path) -> None:
    batch_label(batch=batch, question="named", actor="ada")
    Choice.objects.filter(question="named").update(option="yes")
    found = verify_bundle(bundle(batch, tmp_path / "b.zip"))
    assert found.ok
    assert "older than the last change of the votes" in " ".join(found.notes)


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("answers.csv", ",named,no,0,0", ",named,yes,0,0"),
        ("decisions.csv", ",named,no,2,2,0,1", ",named,no,2,2,0,0"),
        ("decisions.csv", ",named,no,2,2,0,1", ",named,yes,2,2,0,1"),
        ("agreement.json", '"n_answers": 6', '"n_answers": 7'),
        ("scheme.json", '"no"\n    ],', '"yes"\n    ],'),
    ],
    ids=["answer", "subset", "decision", "agreement", "scheme"],
)
def test_whatever_is_changed_is_found(
    batch: Batch, tmp_path: Path, name: str, old: str, new: str
) -> None:
    path = changed(bundle(batch, tmp_path / "b.zip"), f"batches/1/{name}", old, new)
    assert verify_bundle(path).differences
    with pytest.raises(InputError, match="does not verify"):
        import_bundle(path, name="elsewhere")
    assert Study.objects.count() == 1


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("named,no,0", "named,maybe,0"), "does not have"),
        (("named,no,0", "colour,no,0"), "does not have"),
        (("harm,1,0", "named,yes,0"), "twice"),
        (("groups,m,0,1", "groups,m,0,0"), "both counts and does not count"),
    ],
    ids=["option", "question", "two answers", "a say"],
)
def test_answers_that_the_scheme_does_not_allow_are_refused(
    batch: Batch, tmp_path: Path, change: tuple[str, str], message: str
) -> None:
    path = changed(bundle(batch, tmp_path / "b.zip"), "batches/1/answers.csv", *change)
    with pytest.raises(InputError, match=message):
        verify_bundle(path)


def test_a_scheme_with_a_code_twice_is_refused(batch: Batch, tmp_path: Path) -> None:
    path = bundle(batch, tmp_path / "b.zip")
    scheme = json.loads(contents(path)["batches/1/scheme.json"])
    scheme["questions"][0]["options"] *= 2
    with pytest.raises(InputError, match="code"):
        verify_bundle(with_files(path, {"batches/1/scheme.json": json.dumps(scheme).encode()}))


_BOMB = b"a: &a [x, x]\nb: &b [*a, *a]\nc: [*b, *b]\n"
HOSTILE = {
    "deep": (b'{"questions": ' + b"[" * 200_000 + b"]" * 200_000 + b"}", "scheme.json"),
    "large": (b'{"title": "' + b"x" * (3 << 20) + b'"}', "scheme.json"),
    "alias bomb": (_BOMB, "scheme.json"),
    "entities": (b'<!DOCTYPE v [<!ENTITY a "b">]><View>&a;</View>', "scheme.json"),
    "list": (b"[]", "not a JSON object"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_scheme_is_refused_in_little_memory(
    batch: Batch, tmp_path: Path, name: str
) -> None:
    content, message = HOSTILE[name]
    path = with_files(bundle(batch, tmp_path / "b.zip"), {"batches/1/scheme.json": content})
    tracemalloc.start()
    try:
        with pytest.raises(InputError, match=message):
            verify_bundle(path)
        assert tracemalloc.get_traced_memory()[1] < 64 << 20
    finally:
        tracemalloc.stop()
    with pytest.raises(InputError):
        import_bundle(path, name="elsewhere")
    assert Study.objects.count() == 1


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ([{"code": f"c{number}"} for number in range(200)], "200 options"),
        ([{"code": "a"}] * 2_000, "2,000 members"),
        ([{"code": "a", "label": "<script>alert(1)</script>"}, {"code": "b"}], "markup"),
    ],
    ids=["many", "far too many", "script"],
)
def test_options_that_nobody_could_write_are_refused(
    batch: Batch, tmp_path: Path, options: list[dict[str, str]], message: str
) -> None:
    path = bundle(batch, tmp_path / "b.zip")
    scheme = json.loads(contents(path)["batches/1/scheme.json"])
    scheme["questions"][0]["options"] = options
    with pytest.raises(InputError, match=message):
        verify_bundle(with_files(path, {"batches/1/scheme.json": json.dumps(scheme).encode()}))
