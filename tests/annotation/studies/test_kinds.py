"""Files that nobody named: what they are, and what they are called, follows from what they hold."""

from hashlib import sha256
from io import BytesIO
from pathlib import Path

import pyarrow as pa
import pytest
from django.core.management import call_command

from annotation.core.operations import Actor
from annotation.core.perform import perform_here
from annotation.models import Study
from annotation.studies.operations.add_file import ADD_FILE
from annotation.studies.queries.files_looked_at import BEGINNING, FileLookedAt, files_looked_at
from metrics.errors import InputError

pytestmark = pytest.mark.django_db(transaction=True)
PASSAGE = "a passage of the collection has many more words than any query of a person ever has, see"
FILES = {
    "dl20.BM25.run": "1 Q0 d1 1 2.0 BM25\n2 Q0 d2 1 1.0 BM25\n",
    "dl20.REP_LLAMA_100.run": "1 Q0 d2 1 2.0 REP\n2 Q0 d1 1 1.0 REP\n",
    "dl20.passages": f"d1\t{PASSAGE}\nd2\t{PASSAGE}\n",
    "dl20.topics": "1\twhat is a run\n2\twho runs\n",
    "dl20.qrels": "1 0 d1 2\n2 0 d2 0\n",
    "words.txt": "she,f\nhe,m\n",
}
KINDS = {
    "dl20.BM25": "run",
    "dl20.REP_LLAMA_100": "run",
    "dl20.passages": "collection",
    "dl20.topics": "queries",
    "dl20.qrels": "qrels",
    "words.txt": "lexicon",
}
PACKINGS = {".gz": "gzip", ".zst": "zstd"}


def add(study: Study, path: Path, **sent: str) -> str:
    with path.open("rb") as stream:
        sent = {"filename": path.name, **sent}
        return perform_here(ADD_FILE, study, {**sent, "stream": stream}, Actor("test")).message


@pytest.fixture
def files(tmp_path: Path) -> Path:
    folder = tmp_path / "files"
    folder.mkdir()
    for name, text in FILES.items():
        (folder / name).write_text(text)
    return folder


@pytest.mark.parametrize("first", FILES)
def test_files_come_in_any_order_under_their_own_names(
    study: Study, files: Path, first: str
) -> None:
    names = sorted(FILES, key=lambda name: (name != first, name))

    for name in names:
        add(study, files / name)

    assert dict(study.files.values_list("name", "kind")) == KINDS


def test_what_a_file_is_taken_for_is_told_with_the_reason(study: Study, files: Path) -> None:
    told = add(study, files / "dl20.BM25.run")
    assert told.startswith("dl20.BM25: run, as 6 columns, the second is Q0; 2 lines")
    assert "run dl20.BM25 names its ids" in add(study, files / "dl20.topics")


def test_short_texts_that_a_run_names_as_documents_are_the_collection(
    study: Study, files: Path
) -> None:
    (files / "short").write_text("d1\tshe\nd2\the\n")
    add(study, files / "dl20.BM25.run")
    add(study, files / "short")
    assert study.files.get(name="short").kind == "collection"


def test_the_study_asks_what_a_second_collection_is(study: Study, files: Path) -> None:
    (files / "more").write_text(f"d3\t{PASSAGE}\n")
    add(study, files / "dl20.passages")

    with pytest.raises(InputError, match=r"more: looks like a collection .* dl20.passages already"):
        add(study, files / "more")

    add(study, files / "more", kind="collection")
    assert study.files.filter(kind="collection").count() == 2


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("task,worker,label\n1,a,n\n", "file.x: looks like votes .* Import them as votes."),
        ("Dear reader,\nthis is not a file.\n", "file.x: its type is not recognised"),
    ],
)
def test_what_a_study_does_not_measure_with_is_refused_by_name(
    study: Study, tmp_path: Path, text: str, told: str
) -> None:
    (tmp_path / "file.x").write_text(text)
    with pytest.raises(InputError, match=told):
        add(study, tmp_path / "file.x")
    assert not study.files.exists()


def test_runs_of_one_file_name_take_their_tags_and_then_are_refused_by_file(
    study: Study, tmp_path: Path
) -> None:
    for number, tag in enumerate(("one", "two", "two")):
        folder = tmp_path / str(number)
        folder.mkdir()
        (folder / "out.run").write_text(f"1 Q0 d1 1 {number}.5 {tag}\n")
    add(study, tmp_path / "0/out.run")
    add(study, tmp_path / "1/out.run")
    with pytest.raises(InputError, match=r"out\.run: the study has a file of this name already"):
        add(study, tmp_path / "2/out.run")
    assert set(study.files.values_list("name", flat=True)) == {"out", "two"}


def test_a_command_takes_files_as_they_are(study: Study, files: Path) -> None:
    call_command("study", "add-files", study.name, *map(str, sorted(files.iterdir())))
    assert dict(study.files.values_list("name", "kind")) == KINDS


def looked_at(study: Study, folder: Path, *names: str) -> dict[str, FileLookedAt]:
    files = [(name, BytesIO((folder / name).read_bytes()[:BEGINNING])) for name in names or FILES]
    return {row.filename: row for row in files_looked_at(study=study, beginnings=files)}


def test_before_anything_is_stored_files_say_what_they_are(study: Study, files: Path) -> None:
    rows = looked_at(study, files)
    assert {row.name or name: row.kind for name, row in rows.items()} == KINDS
    assert not any(row.is_odd for row in rows.values())
    assert "names its ids" in rows["dl20.topics"].reason
    assert not study.files.exists()


@pytest.mark.parametrize("ending", PACKINGS)
def test_the_beginning_of_an_archive_is_enough(study: Study, files: Path, ending: str) -> None:
    """Half a megabyte of hashes hardly shrinks: the archive is cut in the middle of a line."""
    rows = [sha256(str(rank).encode()).hexdigest() for rank in range(20_000)]
    lines = [f"1 Q0 {docno} {rank} {-rank} BM25" for rank, docno in enumerate(rows, 1)]
    with pa.CompressedOutputStream(str(files / f"large.run{ending}"), PACKINGS[ending]) as stream:
        stream.write("\n".join(lines).encode())
    assert (files / f"large.run{ending}").stat().st_size > 2 * BEGINNING
    row = looked_at(study, files, f"large.run{ending}")[f"large.run{ending}"]
    assert (row.kind, row.name) == ("run", "large")


def test_runs_of_one_name_are_told_apart_before_they_are_stored(study: Study, files: Path) -> None:
    beginnings = [("output.run", BytesIO(FILES[name].encode())) for name in list(FILES)[:2]]
    rows = files_looked_at(study=study, beginnings=beginnings)
    assert [row.name for row in rows] == ["BM25", "REP"]


def test_what_the_study_has_no_room_for_is_left_to_a_person(study: Study, files: Path) -> None:
    add(study, files / "dl20.passages")
    add(study, files / "dl20.BM25.run")
    (files / "other.tsv").write_text("3\twhat is a ranking\n")
    (files / "note.md").write_text("# a note\n")
    rows = looked_at(study, files, *FILES, "other.tsv", "note.md")
    odd = {name: row.kind for name, row in rows.items() if row.is_odd}
    expected = {"dl20.passages": "", "dl20.BM25.run": "run", "other.tsv": "", "note.md": ""}
    assert odd == expected
    assert "dl20.topics" in rows["other.tsv"].reason
