"""docs/metrics.md says what the measures say about themselves."""

import re
from math import log, log2
from pathlib import Path

import pytest

from metrics.measures import available, get
from metrics.measures.base import Definition
from metrics.measures.comsrb import comsrb
from metrics.measures.rank_biased_overlap import rbo
from metrics.measures.reference import EXAMPLES, description, section
from metrics.measures.worked import value
from metrics.results.preference import preference

DOCS = Path(__file__).resolve().parents[3] / "docs" / "metrics.md"


def test_the_documentation_is_up_to_date() -> None:
    # If this fails: python manage.py site document
    assert section() in DOCS.read_text(encoding="utf-8")


def test_every_measure_and_parameter_is_documented() -> None:
    page = section()

    for definition in available():
        assert f"### {definition.name}\n" in page
        text = description(definition)
        for name in definition.params:
            assert f"| `{name}` |" in text


@pytest.mark.parametrize("name", [definition.name for definition in available()])
def test_the_name_of_every_measure_reads_back(name: str) -> None:
    # Of expected exposure a name says what unknown documents are, also where that is the default.
    named = f"{name}(unknown=left-out)" if name.startswith("EE-") else name
    for text in (name, f"{name}@10"):
        assert str(get(text)) == text.replace(name, named) == str(get(str(get(text))))


@pytest.mark.parametrize(
    "text",
    [
        "NFaiRR(background=BM25)@10",
        "NFaiRR(background=collection,depth=200,tau=2)@10",
        "AWRF(distance=js,target=f:0.4/m:0.6,unaligned=uniform)@20",
        "TExFAIR(target=f:0.4/m:0.6)@10",
        "MRR(relevant=2)@10",
    ],
)
def test_parameters_read_back(text: str) -> None:
    assert str(get(text)) == text


def test_there_are_two_worked_examples() -> None:
    assert len(EXAMPLES) == 2


def evaluated(working: str) -> float:
    """The number that a working comes to."""
    assert re.fullmatch(r"(?:log2|ln|abs|[-+*/(). 0-9])+", working), working
    names = {"__builtins__": {}, "log2": log2, "ln": log, "abs": abs}
    return float(eval(working, names))  # noqa: S307 - numbers and logarithms only, see above


@pytest.mark.parametrize("measure", available(), ids=lambda measure: measure.name)
def test_the_worked_example_comes_to_the_number_that_is_computed(measure: Definition) -> None:
    name, working = measure.example, measure.working
    assert evaluated(working) == pytest.approx(value(name), abs=1e-12)
    line = next(line for line in description(measure).splitlines() if f"`{name}`: `" in line)
    assert float(line.rpartition(" = ")[2].rstrip("`")) == pytest.approx(
        evaluated(working), abs=5e-7
    )


def test_the_worked_examples_beyond_the_registry() -> None:
    found = {
        name: (working, float(number))
        for name, working, number in re.findall(
            r"^- ([\w -]+): `([^`=]+) = (-?[0-9.]+)`",
            DOCS.read_text(encoding="utf-8"),
            re.MULTILINE,
        )
    }
    similarity, bias = rbo([*"abcd"], [*"bacd"], 0.9), comsrb("abcd", "abxy", "czuv", 4)
    preferred = preference([{"M": 3, "F": 2}, {"M": 1, "F": 2}, {"M": 2, "F": 2}, {"N": 1}])
    expected = {
        "RBO extrapolated": similarity.ext,
        "RBO truncated": similarity.trunc,
        "ComSRB-RaB": bias.rab,
        "ComSRB-ARaB": bias.arab,
        "ComSRB-nDRaB": bias.ndrab,
        "Preference of the male wording": preferred.male,
    }
    assert {name: found[name][1] for name in expected} == pytest.approx(expected, abs=5e-7)
    assert {name: evaluated(found[name][0]) for name in expected} == pytest.approx(expected)


def test_a_measure_of_ir_measures_is_described_as_theirs() -> None:
    text = description(get("AP").definition)
    assert text.startswith("### AP\n")
    assert "ir_measures" in text
