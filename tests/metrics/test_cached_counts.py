"""Counts as the field's notebooks cache them, read as a scored collection."""

import math
import pickle
from pathlib import Path
from typing import Any

import pytest

from metrics import InputError, evaluate, load_magnitudes, open_magnitudes
from tests.program import failure, run_json

TEXTS = {
    "d1": "he said that she saw her mother and her sister",
    "d2": "the king and his son and his brother",
    "d3": "a road in the rain",
    "d4": "she and he",
}
RUN = {"q1": {"d1": 4.0, "d2": 3.0, "d3": 2.0, "d4": 1.0}, "q2": {"d2": 2.0, "d4": 1.0}}
SCORED = load_magnitudes(TEXTS)


def _counts(docno: str) -> tuple[int, int]:
    return SCORED[docno]["f_tc"], SCORED[docno]["m_tc"]  # type: ignore[return-value]


def written(folder: Path, kind: str) -> Path:
    """A file of one magnitude, by the notebooks' names and signs: female minus male."""
    how = {"tc": float, "tf": lambda n: math.log(n + 1), "bool": lambda n: float(n > 0)}[kind]
    lines = ["docid\tbias\tbias_feml\tbias_male"]
    for docno in TEXTS:
        female, male = map(how, _counts(docno))
        lines.append(f"{docno}\t{female - male:.17g}\t{female:.17g}\t{male:.17g}")
    path = folder / f"documents_bias.{kind}.tsv"
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.mark.parametrize("kind", ["tc", "tf"])
@pytest.mark.parametrize("measure", ["RaB", "ARaB", "NFaiRR"])
def test_measures_of_counts_are_those_of_the_texts(tmp_path: Path, kind: str, measure: str) -> None:
    magnitudes = None if measure == "NFaiRR" else ["tc", "logtc", "bool"]
    given: dict[str, Any] = {"magnitude": magnitudes, "cutoffs": [1, 3], "background": "collection"}
    of_file = evaluate(RUN, measure, str(written(tmp_path, kind)), **given)
    assert of_file["value"].tolist() == evaluate(RUN, measure, TEXTS, **given)["value"].tolist()


def test_their_tf_is_our_logtc(tmp_path: Path) -> None:
    path = written(tmp_path, "tf")
    female, male = _counts("d1")
    value = evaluate({"q": {"d1": 1.0}}, "RaB(magnitude=logtc)@1", path)["value"].iloc[0]
    assert value == pytest.approx(math.log(male + 1) - math.log(female + 1))


@pytest.mark.parametrize("name", ["RaB(magnitude=tf)", "RaB(magnitude=tfnorm)", "TExFAIR"])
def test_what_needs_the_texts_is_refused(tmp_path: Path, name: str) -> None:
    path = written(tmp_path, "tc")
    with pytest.raises(InputError, match="needs the texts") as caught:
        evaluate(RUN, name, path)
    assert "logtc" in str(caught.value)


def test_a_file_of_bool_tells_no_counts(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="not how many"):
        open_magnitudes(written(tmp_path, "bool"))


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("d9\t1\t2\t0", ":6: bias is not"),
        ("d9\t-1.3\t0\t1.3", ":6: a number is neither a count"),
        ("d9\t-1\t-2\t-1", ":6: a number is below 0"),
        ("d1\t0\t0\t0", "'d1' occurs twice"),
        ("d9\tx\t0\t0", "is damaged"),
        ("d9\t0\t0", "is damaged"),
    ],
)
def test_damage_is_told_with_its_line(tmp_path: Path, line: str, said: str) -> None:
    path = written(tmp_path, "tf")
    path.write_text(path.read_text() + line + "\n")
    with pytest.raises(InputError, match=said):
        open_magnitudes(path)


def test_they_go_to_another_process(tmp_path: Path) -> None:
    scored = pickle.loads(pickle.dumps(open_magnitudes(written(tmp_path, "tc"))))  # noqa: S301 - our own
    assert scored.tc["m"].tolist() == [_counts(docno)[1] for docno in TEXTS]


@pytest.mark.parametrize("option", ["--scores", "--collection"])
def test_a_command_takes_them(tmp_path: Path, option: str) -> None:
    path, run = written(tmp_path, "tc"), tmp_path / "a.run"
    run.write_text("".join(f"q1 Q0 {d} 0 {s} x\n" for d, s in RUN["q1"].items()))
    call = ["measure", "--run", run, option, path, "--measure", "RaB@3"]
    (row,) = run_json(*call, "--magnitude", "tc")["rows"]
    expected = evaluate({"a": {"q1": RUN["q1"]}}, "RaB(magnitude=tc)@3", TEXTS)
    assert row["value"] == expected["value"].iloc[0]
    assert "needs the texts" in failure(*call)
