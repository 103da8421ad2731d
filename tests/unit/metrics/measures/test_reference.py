"""docs/metrics.md says what the measures say about themselves."""

from pathlib import Path

import pytest

from metrics.measures import available, get
from metrics.measures.reference import EXAMPLES, section

DOCS = Path(__file__).resolve().parents[4] / "docs" / "metrics.md"


def test_the_documentation_is_up_to_date() -> None:
    # If this fails: python manage.py document_measures docs/metrics.md
    assert section() in DOCS.read_text(encoding="utf-8")


def test_every_measure_and_parameter_is_documented() -> None:
    text = section()

    for definition in available():
        assert f"### {definition.name}\n" in text
        for name in definition.params:
            assert f"| `{name}` |" in text


@pytest.mark.parametrize("name", [definition.name for definition in available()])
def test_the_name_of_every_measure_reads_back(name: str) -> None:
    for text in (name, f"{name}@10"):
        assert str(get(text)) == text


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
