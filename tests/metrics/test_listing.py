"""Names of several files at once: folders, patterns, lists, and those of an object store."""

from pathlib import Path

import pytest

from metrics.errors import InputError
from metrics.io.listing import listed_files


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name in ("b.tsv", "a.tsv", "_SUCCESS", ".a.tsv.crc", "in/c.tsv", "_temporary/d.tsv"):
        path = tmp_path / "data" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("x\ty\n")
    return tmp_path


def test_folders_patterns_and_lists_name_files_in_order(folder: Path) -> None:
    (folder / "list.txt").write_text("data/b.tsv\n\ndata/in\n")

    assert listed_files(["data"]) == ["data/a.tsv", "data/b.tsv", "data/in/c.tsv"]
    assert listed_files(["data/*.tsv", Path("x.tsv")]) == ["data/a.tsv", "data/b.tsv", "x.tsv"]
    assert listed_files(["data/**/c.tsv"]) == ["data/in/c.tsv"]
    assert listed_files(["@list.txt"]) == ["data/b.tsv", "data/in/c.tsv"]
    assert listed_files(["-"]) == ["-"]


def test_what_exists_is_that_file_whatever_its_name(folder: Path) -> None:
    for name in ("@a.tsv", "a[1].tsv"):
        Path(name).write_text("x\ty\n")

    assert listed_files(["@a.tsv", "a[1].tsv"]) == ["@a.tsv", "a[1].tsv"]


@pytest.mark.parametrize("source", ["data/_temporary/../_none", "empty", "data/*.gz", "@none.txt"])
def test_a_name_without_files_is_refused(folder: Path, source: str) -> None:
    (folder / "empty").mkdir()
    (folder / "none.txt").write_text("\n")

    if source.startswith("data/_"):
        assert listed_files([source]) == [source]  # a file that is missing is found missing later
        return
    with pytest.raises(InputError, match="names no file"):
        listed_files([source])
