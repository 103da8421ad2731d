"""compare as its users call it."""

import csv
from pathlib import Path

import pytest

from tests.program import run_json


@pytest.mark.parametrize(
    ("options", "form", "value"),
    [([], "extrapolated", 1.0), (["--form", "truncated"], "truncated", 1 - 0.9**2)],
)
def test_the_form_of_rbo_is_named(
    tmp_path: Path, options: list[str], form: str, value: float
) -> None:
    path, per_query = tmp_path / "A.run", tmp_path / "q.csv"
    path.write_text("1 Q0 a 1 2 t\n1 Q0 b 2 1 t\n")
    call = ["compare", "--run", f"A={path}", "--run", f"B={path}", "--per-query", per_query]
    (row,) = run_json(*call, *options)["rows"]
    assert (row["form"], row["value"]) == (form, pytest.approx(value))
    with per_query.open(newline="") as file:
        assert [float(one["value"]) for one in csv.DictReader(file)] == pytest.approx([value])
