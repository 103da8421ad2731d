from pathlib import Path

import pytest

from metrics.errors import InputError
from metrics.measures import available
from metrics.reports.explanation.explain import Explanation, explain, explanation_text
from metrics.runs import Run, read_run
from metrics.texts.collection import texts_of
from metrics.texts.lexicon import read_lexicon

TEXTS = {
    "d1": "He said he saw his son.",
    "d2": "Nothing to see here.",
    "d3": "She saw him, and \x1b[2J\u202e her dog.",
}


@pytest.fixture
def run(tmp_path: Path) -> Run:
    path = tmp_path / "a.run"
    path.write_text(
        "q Q0 d1 1 9 x\nq Q0 d2 2 8 x\nq Q0 d3 3 7 x\nq Q0 gone 4 6 x\n", encoding="utf-8"
    )
    return read_run(path, "A")


def explained(run: Run, depth: int = 3, magnitude: str = "tc") -> Explanation:
    return explain(run, "q", TEXTS, read_lexicon(), magnitude_name=magnitude, depth=depth)


def test_each_document_shows_its_group_words_and_magnitudes(run: Run) -> None:
    first, second, third = explained(run).documents

    assert first.words == {"f": {}, "m": {"he": 2, "his": 1, "son": 1}}
    assert first.magnitudes == {"f": 0, "m": 4}
    assert second.words == {"f": {}, "m": {}}
    assert third.words == {"f": {"her": 1, "she": 1}, "m": {"him": 1}}
    assert (first.rank, first.docno, first.score, first.n_tokens) == (1, "d1", 9, 6)


def test_running_values_are_those_of_the_ranking_that_ends_there(run: Run) -> None:
    # tc: 4, 0 and 1 - 2 = -1 from male to female. RaB: 4, 4/2, 3/3; ARaB: their running mean.
    values = [document.running for document in explained(run).documents]

    assert [v["RaB"] for v in values] == pytest.approx([4, 2, 1])
    assert [v["ARaB"] for v in values] == pytest.approx([4, 3, 7 / 3])
    # d1 is wholly male, d2 neutral: FaiRR 0, then 1 / log2(3).
    assert [v["FaiRR"] for v in values][:2] == pytest.approx([0, 0.6309297536])
    assert [v["TExFAIR-noRBDF"] for v in values][:2] == pytest.approx([0, 0])


def test_the_running_values_are_measures_that_exist(run: Run) -> None:
    names = {definition.name for definition in available()}

    assert set(explained(run).documents[0].running) <= names


def test_texts_are_found_in_one_pass(run: Run) -> None:
    passages = iter([("other", "x"), *TEXTS.items()])

    assert texts_of(["d3", "gone"], passages) == ({"d3": TEXTS["d3"]}, "")
    assert next(passages, None) is None


def test_a_document_without_text_is_an_error_unless_it_may_be_missing(run: Run) -> None:
    with pytest.raises(InputError, match="gone"):
        explained(run, depth=4)

    skipped = explain(run, "q", TEXTS, read_lexicon(), magnitude_name="tc", depth=4, missing="skip")
    counted = explain(run, "q", TEXTS, read_lexicon(), magnitude_name="tc", depth=4, missing="zero")
    assert skipped.documents[3].text is None
    assert skipped.documents[3].running["RaB"] == pytest.approx(1)
    assert counted.documents[3].running["RaB"] == pytest.approx(3 / 4)


def test_an_unknown_query_is_refused(run: Run) -> None:
    with pytest.raises(InputError, match=r"'A' .*'z'"):
        explain(run, "z", TEXTS, read_lexicon())


def test_nothing_in_a_text_reaches_the_terminal_as_a_command(run: Run) -> None:
    text = explanation_text(explained(run), query="\x1b]0;x\x07")

    assert all(character.isprintable() or character == "\n" for character in text)
    assert "she x 1" in text


def test_more_than_two_groups_leave_out_what_needs_two_sides(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "words.csv"
    path.write_text("she,a\nhe,b\ndog,c\n", encoding="utf-8")

    (first, *_) = explain(run, "q", TEXTS, read_lexicon(path), depth=1).documents

    assert set(first.running) == {"AWRF", "TED", "TExFAIR", "TExFAIR-noRBDF"}
