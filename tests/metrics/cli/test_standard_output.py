"""`-o -` is standard output where a table is printed, and no file called `-` anywhere."""

from argparse import ArgumentTypeError
from pathlib import Path
from typing import Any

import pytest

from config.program import VERBS
from metrics.cli.parser import parser_of
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
        ("rank", "--collection", "c.tsv", "--queries", "c.tsv", "-o", "-"),
        ("report", "-r", "a.run", "--collection", "c.tsv", "--population", "default", "-o", "-"),
    ],
)
def test_what_is_no_text_names_a_file(folder: Path, arguments: tuple[str, ...]) -> None:
    assert "it cannot go to standard output" in failure(*arguments, status=2)

    assert not (folder / "-").exists()


@pytest.mark.parametrize("verb", VERBS)
def test_every_option_of_what_is_written_prints_or_refuses(verb: str) -> None:
    for action in parser_of(verb, VERBS[verb].load())._actions:
        if {"--output", "--per-query", "--sweep", "--html"}.isdisjoint(action.option_strings):
            continue
        read_name: Any = action.type
        try:
            assert read_name("-") is None, action.option_strings
        except ArgumentTypeError:
            assert action.option_strings
