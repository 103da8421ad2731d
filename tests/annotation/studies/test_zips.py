"""Several files of a study in one zip, by the page and by the command."""

import gzip
import io
import zipfile
from collections.abc import Mapping
from pathlib import Path

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from annotation.models import Study, StudyFile
from annotation.studies.queries.files_looked_at import BEGINNING, END_OF_ZIP, files_looked_at
from annotation.vocabulary import KIND_BY_CONTENT
from metrics.io.packing import each_file
from tests.annotation.studies.material import a_run, below, collection, queries
from tests.annotation.studies.test_pages import press, text
from tests.commands import failure, run_json

FILES = {
    "dl/queries.tsv": queries(),
    "dl/runs/B.run": a_run(1),
    "dl/runs/A.run.gz": gzip.compress(a_run(0)),
    "dl/passages.tsv": collection(),
}
ADDED_BY_SYSTEMS = {
    "__MACOSX/dl/runs/._A.run": b"\0\5\26\7",
    "dl/.DS_Store": b"\0\0\0\1Bud1",
    "dl/runs/": b"",
}
KINDS = {"A": "run", "B": "run", "queries.tsv": "queries", "passages.tsv": "collection"}


def zipped(files: Mapping[str, bytes]) -> bytes:
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return held.getvalue()


def kinds() -> dict[str, str]:
    return dict(StudyFile.objects.values_list("name", "kind"))


def upload(client: Client, study: Study, content: bytes, kind: str = KIND_BY_CONTENT) -> str:
    file = SimpleUploadedFile("dl.zip", content)
    return press(client, "study-files", study, kind=kind, file=[file])


def test_every_file_is_known_by_its_content_and_named_without_folders(
    client: Client, study: Study, folders: Path
) -> None:
    shown = upload(client, study, zipped(FILES | ADDED_BY_SYSTEMS))
    assert kinds() == KINDS
    # Four files are one notice, not four that push the page down.
    assert shown.count("notice success") == 1
    assert "passages.tsv: collection, as run A names its ids" in shown
    assert below(folders / "uploads") == []


def test_files_of_a_stated_kind(client: Client, study: Study, folders: Path) -> None:
    upload(client, study, zipped({"A.run": a_run(0), "B.run": a_run(1)}), kind="run")
    assert kinds() == {"A": "run", "B": "run"}


def test_one_that_cannot_be_used_is_named_and_the_others_are_kept(
    client: Client, study: Study, folders: Path
) -> None:
    bad = {"dl/notes.md": b"# what we did\n", "dl/older.zip": zipped(FILES)}
    shown = upload(client, study, zipped(FILES | bad))
    assert kinds() == KINDS
    assert "notes.md: its type is not recognised" in shown
    assert "older.zip: is a zip of several files. Unpack it" in shown


@pytest.mark.parametrize(
    ("content", "error"),
    [
        (zipped({f"{n}.run": b"0" * 40_000_000 for n in "ABC"}), "its files are too large"),
        (zipped(FILES)[:40] + b"\1\2\3" + zipped(FILES)[43:], "cannot be unpacked"),
        (zipped({f"{n}.run": a_run(0) for n in range(201)}), "holds 201 files"),
    ],
    ids=["bomb", "damaged", "many"],
)
def test_nothing_is_stored_of_a_zip_that_cannot_be_unpacked(
    client: Client, study: Study, folders: Path, content: bytes, error: str
) -> None:
    shown = upload(client, study, content)
    assert f"dl.zip: {error}" in shown
    assert "Nothing in it was stored." in shown
    assert below(folders / "uploads") == []
    (folders / "dl.zip").write_bytes(content)
    assert error in failure("study", "add-files", study.name, folders / "dl.zip")
    assert not StudyFile.objects.exists()


def test_a_command_takes_zips_beside_files(study: Study, tmp_path: Path) -> None:
    runs = {name: content for name, content in FILES.items() if "/runs/" in name}
    (tmp_path / "runs.zip").write_bytes(zipped(runs | ADDED_BY_SYSTEMS))
    for name in ("queries.tsv", "passages.tsv"):
        (tmp_path / name).write_bytes(FILES[f"dl/{name}"])
    paths = [tmp_path / name for name in ("passages.tsv", "queries.tsv", "runs.zip")]
    added = run_json("study", "add-files", study.name, *paths)
    assert kinds() == KINDS
    # The ids in runs tell what the others are.
    assert [one["name"] for one in added["files"]][:2] == ["A", "B"]


def test_a_command_takes_the_runs_of_a_zip_by_option(study: Study, tmp_path: Path) -> None:
    (tmp_path / "runs.zip").write_bytes(zipped({"A.run": a_run(0), "B.run": a_run(1)}))
    run_json("study", "add-files", study.name, "--run", tmp_path / "runs.zip")
    assert kinds() == {"A": "run", "B": "run"}


def test_a_name_that_begins_with_a_slash_leads_nowhere(tmp_path: Path) -> None:
    (tmp_path / "runs.zip").write_bytes(zipped({"/etc/hostname": b"", "A.run": a_run(0)}))
    assert all(path.is_relative_to(tmp_path) for path in each_file(tmp_path / "runs.zip"))


@pytest.mark.parametrize("n_documents", [60, 60_000])
def test_before_it_is_sent_a_zip_says_what_is_in_it(study: Study, n_documents: int) -> None:
    """Of one larger than what is looked at, the beginning and the end are sent."""
    content = zipped(FILES | {"dl/passages.tsv": collection(n_documents)})
    looked_at = content[:BEGINNING] + content[BEGINNING:][-END_OF_ZIP:]
    [row] = files_looked_at(study=study, beginnings=[("dl.zip", io.BytesIO(looked_at))])
    assert (row.kind, row.is_odd) == (KIND_BY_CONTENT, False)
    assert "a zip with passages.tsv, queries.tsv, A.run.gz, B.run: " in row.reason


def test_the_page_shows_it_as_several_files(client: Client, study: Study) -> None:
    address = reverse("study-files-look", args=[study.pk])
    shown = text(client.post(address, {"file": SimpleUploadedFile("dl.zip", zipped(FILES))}))
    assert '<option value="auto" selected>Several files</option>' in shown


def test_what_takes_one_file_alone_refuses_a_zip_of_several(
    client: Client, study: Study, folders: Path
) -> None:
    (folders / "server" / "dl.zip").write_bytes(zipped(FILES))
    shown = press(client, "study-file-point", study, kind="auto", where="dl.zip")
    assert "dl.zip: is a zip of several files. Unpack it" in shown
    assert not StudyFile.objects.exists()
