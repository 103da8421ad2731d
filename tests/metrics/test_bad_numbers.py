"""Numbers out of range are refused with their option or parameter, and take no memory."""

import io
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from metrics.errors import InputError
from metrics.measures import get
from tests.program import failure, run_json


@pytest.fixture
def arguments(tmp_path: Path) -> list[object]:
    (tmp_path / "c.tsv").write_text("a\tshe saw him and him\nb\ther\n", encoding="utf-8")
    (tmp_path / "r.run").write_text("1 Q0 a 1 2 t\n1 Q0 b 2 1 t\n", encoding="utf-8")
    run_json("score", tmp_path / "c.tsv", "--output", tmp_path / "m.parquet")
    return [
        *("measure", "--scores", tmp_path / "m.parquet"),
        *("--run", f"R={tmp_path / 'r.run'}"),
    ]


@pytest.mark.parametrize(
    "call",
    [
        "report make --queries q --scores m --run A=r --output d --seed -1",
        "batch agreement B --seed -1",
        "batch agreement B --resamples 100000000",
        "batch agreement B --resamples 9",
        "batch plan-votes --queries -3",
        "batch plan-votes --queries 10 --seed -1",
        "label compare-methods B --seed -1",
        "batch begin-adaptive B --seed -1",
        "demo --seed -1",
        "batch create --name B --pool P --seed -1",
        "pool build --name P --scores m --queries q --run A=r --cutoff 0",
    ],
)
def test_an_option_out_of_range_is_a_usage_error(call: str) -> None:
    with pytest.raises(CommandError) as caught:
        call_command(*call.split(), stdout=io.StringIO())
    option = [part for part in call.split() if part.startswith("--")][-1]
    assert option in str(caught.value)


@pytest.mark.parametrize(
    "name",
    [
        "FaiRR(tau=-1)",
        "NFaiRR(tau=-1)",
        "NFaiRR(depth=-1)",
        "MRR(relevant=0)",
        "RaB@99999999999999999999",
        f"RaB@{'9' * 5000}",
        "RaB(cutoff=1e400)",
        "RaB(self=1)",
    ],
)
def test_a_parameter_out_of_range_is_refused(name: str) -> None:
    with pytest.raises(InputError):
        get(name)


def test_the_two_sides_of_a_bias_are_two_groups(arguments: list[object]) -> None:
    assert "'f'" in failure(*arguments, "--measure", "RaB(female=f,male=f)")


def test_a_cutoff_beyond_every_list_is_that_of_the_longest(arguments: list[object]) -> None:
    measured = ["--measure", "RaB,ARaB,FaiRR,NFaiRR,AWRF,TED,TExFAIR", "--background", "R"]
    near = run_json(*arguments, *measured, "--cutoff", "2")["rows"]
    far = run_json(*arguments, *measured, "--cutoff", "1000000000")["rows"]
    assert [row["value"] for row in far] == [row["value"] for row in near]


@pytest.mark.parametrize("cutoff", ["0", "-1", "3000000000", "99999999999999999999999"])
def test_a_cutoff_out_of_range_is_refused(arguments: list[object], cutoff: str) -> None:
    assert "--cutoff" in failure(*arguments, "--cutoff", f"5,{cutoff}", status=2)


def test_an_infinite_value_is_undefined_in_a_table(arguments: list[object], tmp_path: Path) -> None:
    (tmp_path / "r.run").write_text("1 Q0 b 1 2 t\n", encoding="utf-8")
    rows = run_json(*arguments, "--measure", "AWRF(distance=kl,target=f:0/m:1)")["rows"]
    assert {row["value"] for row in rows} == {None}


@pytest.mark.parametrize(
    "call",
    [
        "compare --run A=a --run B=b --depth 0",
        "compare --run A=a --run B=b --depth 99999999999",
        "counterfactual c.tsv --output d.tsv --processes 0",
        "report make --queries q --scores m --run A=r --output d --seed -1",
        "pool --scores m --queries q --run A=r --output p --cutoff 0",
        "rank --collection c --queries q --output d --seed -1",
        "rank --collection c --queries q --output d --depth 0",
    ],
)
def test_an_option_of_the_program_out_of_range_is_a_usage_error(call: str) -> None:
    option = [part for part in call.split() if part.startswith("--")][-1]
    assert option in failure(*call.split(), status=2)
