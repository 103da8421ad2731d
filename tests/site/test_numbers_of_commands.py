"""No number that somebody can type for an option ends in a fault or asks for the memory of it."""

import argparse
import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from rest_framework import serializers

from annotation.core.parameters import ParametersError, fields_of, read_parameters
from annotation.jobs.registry import OPERATIONS
from tests import program
from tests.site import every_command
from tests.study import stored_batch, stored_pool

_WILD = ("nan", "inf", "-inf", "-1", "-1e400", "1e400", "9" * 20, "9" * 400, "-" + "9" * 400)
#: What Django gives to every command.
_OF_DJANGO = {"verbosity", "version", "settings", "pythonpath"}
_NUMBERS = (serializers.IntegerField, serializers.FloatField, serializers.DecimalField)
#: Options whose text is read later, each in a call of its own; `{}` is the number.
_READ_LATER = {
    "batch create": (
        "--name N --queries {f}/q.tsv --reward {}",
        "--name N --queries {f}/q.tsv --budget {}",
        "--name N --queries {f}/q.tsv --lifetime {}d",
        "--name N --queries {f}/q.tsv --duration {}d",
        "--name N --queries {f}/q.tsv --auto-approval {}d",
    ),
    "batch collect": ("B --agreed {}",),
    "crowd key": ("--quiet --deposit {}",),
    "batch extend": ("B --background --days {}",),
    "label decide": ("B --seed {}",),
    "batch answer-bonus": ("B A --reason r --amount {}",),
    "batch plan-votes": (
        "--queries 10 --price-per-vote {}",
        "--queries 10 --budget {}",
        "--queries {} --pilot B",
    ),
    "batch publish": ("B --yes --agreed {}",),
    "report make": ("--queries {f}/q.tsv --run A=a --scores m --output {f}/d --cutoff {}",),
    "batch top-up": ("B --assignments {}",),
}

#: The same of the program of files.
_READ_LATER_FROM_FILES = (
    "grepbias train --mode full --train-on all --encoder e --data {f} --output o --alpha={},0,0",
    "measure --run A=a --scores m --measure RaB@{}",
    "measure --run A=a --scores m --measure FaiRR(tau={})",
    "measure --run A=a --scores m --measure TExFAIR(p={})",
)


def typed_options() -> Iterator[Any]:
    for name, action in every_command.options():
        if action.type is not None and action.dest not in _OF_DJANGO:
            yield pytest.param(action, id=f"{name} {(action.option_strings or [action.dest])[0]}")


@pytest.mark.parametrize("action", list(typed_options()))
def test_an_option_that_is_a_number_has_a_range(action: argparse.Action) -> None:
    assert callable(action.type)
    for text in _WILD:
        try:
            value = action.type(text)
        except argparse.ArgumentTypeError:
            continue
        parts = value if isinstance(value, list | tuple) else [value]
        assert all(isinstance(part, str | Path) for part in parts), text


def operations() -> Iterator[Any]:
    for operation in OPERATIONS:
        for name, field in fields_of(operation.parameters).items():
            if isinstance(field, _NUMBERS):
                yield pytest.param(operation, name, id=f"{operation.name} {name}")


@pytest.mark.parametrize(("operation", "name"), list(operations()))
@pytest.mark.parametrize("text", _WILD)
def test_a_number_of_an_operation_has_a_range(operation: Any, name: str, text: str) -> None:
    with pytest.raises(ParametersError) as refused:
        read_parameters(operation.parameters, {name: text})
    assert name in refused.value.errors, text


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "q.tsv").write_text("1\twho was the queen\n", encoding="utf-8")
    return tmp_path


@pytest.mark.django_db(transaction=True, databases=["default", "crowd"])
@pytest.mark.parametrize("text", ["nan", "-1", "-inf", "1e400", "9" * 30])
@pytest.mark.parametrize(
    "call", [f"{name} {call}" for name, calls in _READ_LATER.items() for call in calls]
)
def test_a_number_that_is_read_later_is_refused_in_plain_words(
    folder: Path, call: str, text: str, settings: Any
) -> None:
    settings.MTURK_LOCAL_KEY_FILE = folder / "key.json"
    stored_batch(stored_pool(2), "B")
    arguments = [part.replace("{f}", str(folder)).replace("{}", text) for part in call.split()]
    with pytest.raises(CommandError) as refused:
        call_command(*arguments, stdout=io.StringIO())
    assert not refused.value.__cause__ or type(refused.value.__cause__).__module__ != "builtins"


@pytest.mark.parametrize("text", ["nan", "-1", "-inf", "1e400", "9" * 30])
@pytest.mark.parametrize("call", _READ_LATER_FROM_FILES)
def test_a_number_in_a_list_of_the_program_is_refused_in_plain_words(
    folder: Path, call: str, text: str
) -> None:
    said = program.failure(*call.replace("{f}", str(folder)).replace("{}", text).split())
    assert "fault of Fairpool" not in said
