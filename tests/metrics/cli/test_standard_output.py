"""`-o -` is standard output where a table is printed, and no file called `-` anywhere."""

from pathlib import Path

import pytest

from tests.program import failure, run


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "c.tsv").write_text("d1\the\nd2\tshe\n")
    (tmp_path / "a.run").write_text("q1 Q0 d1 1 2 x\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_table_is_printed(folder: Path) -> None:
    arguments = ["measure", "-m", "RaB", "-k", "1", "-r", "a.run", "--collection", "c.tsv"]

    assert run(*arguments, "-o", "-") == run(*arguments)
    assert not (folder / "-").exists()


@pytest.mark.parametrize(
    "arguments",
    [
        ("score", "c.tsv", "-o", "-"),
        ("table", "-r", "a.run", "--collection", "c.tsv", "-o", "-"),
        ("measure", "-r", "a.run", "--collection", "c.tsv", "--per-query", "-"),
    ],
)
def test_what_is_no_text_names_a_file(folder: Path, arguments: tuple[str, ...]) -> None:
    failure(*arguments, status=2)

    assert not (folder / "-").exists()
