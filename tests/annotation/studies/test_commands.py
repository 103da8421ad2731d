"""What is done to a study on the command line."""

from pathlib import Path

from annotation.models import Study, StudyFile
from annotation.studies.file_store import local_path
from tests.annotation.studies.material import a_run, collection, queries
from tests.commands import failure, run_json


def test_files_are_added_as_uploads_are(study: Study, tmp_path: Path) -> None:
    (tmp_path / "texts.tsv").write_bytes(collection())
    (tmp_path / "queries.tsv").write_bytes(queries())
    (tmp_path / "first.run").write_bytes(a_run(0))

    added = run_json(
        *("study", "add-files", study.name, "--collection", tmp_path / "texts.tsv"),
        *("--queries", tmp_path / "queries.tsv", "--run", f"BM25={tmp_path / 'first.run'}"),
    )

    stored = {file.name: file for file in StudyFile.objects.all()}
    assert [one["name"] for one in added["files"]] == ["texts.tsv", "queries.tsv", "BM25"]
    assert {one["name"]: one["digest"] for one in added["files"]} == {
        name: file.digest for name, file in stored.items()
    }
    assert local_path(stored["BM25"]).read_bytes() == a_run(0)


def test_a_file_that_cannot_be_used_is_named_with_its_line(study: Study, tmp_path: Path) -> None:
    broken = tmp_path / "broken.run"
    broken.write_bytes(a_run(0) + b"q1 Q0 d1 first 1.0 x\n")

    said = failure("study", "add-files", study.name, "--run", f"BM25={broken}")

    line = a_run(0).count(b"\n") + 1
    assert f"broken.run:{line}: " in said
    assert "No such file" in failure(
        "study", "add-files", study.name, "--run", f"BM25={tmp_path / 'none'}"
    )
    assert "--collection" in failure("study", "add-files", study.name)
    assert not StudyFile.objects.exists()
