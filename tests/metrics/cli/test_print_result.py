"""What a command prints of its result: lines for people, or one JSON object for programs."""

import json
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path

import pytest

from metrics.cli.command import Command


@dataclass
class _Row:
    name: str
    cost: Decimal


def test_without_json_the_lines_are_printed(capsys: pytest.CaptureFixture[str]) -> None:
    Command().print_result({"as_json": False}, {"n": 2}, ["one", "two"])
    Command().print_result({"as_json": False}, {"n": 1}, "just one")

    assert capsys.readouterr().out == "one\ntwo\njust one\n"


def test_json_has_rows_by_their_columns_and_money_paths_and_moments_as_text(
    capsys: pytest.CaptureFixture[str],
) -> None:
    result = {
        "rows": [_Row("a", Decimal("0.10"))],
        "file": Path("out.csv"),
        "at": datetime(2026, 11, 22, tzinfo=UTC),
    }

    Command().print_result({"as_json": True}, result, "not printed")

    assert json.loads(capsys.readouterr().out) == {
        "rows": [{"name": "a", "cost": "0.10"}],
        "file": "out.csv",
        "at": "2026-11-22T00:00:00+00:00",
    }


def test_what_json_cannot_hold_is_an_error() -> None:
    with pytest.raises(TypeError):
        Command().print_json({"set": {1, 2}})
