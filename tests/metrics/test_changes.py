"""Rankings and their counterfactual twins, worked out by hand."""

import pytest

from metrics.measures.rank_biased_overlap import rbo
from metrics.reports.explanation.counterfactual import side_by_side, side_by_side_text
from metrics.results.changes import ranking_changes
from metrics.runs import Run
from metrics.texts.lexicon import read_lexicon

BEFORE = Run.from_dict({"q": {"a": 4, "b": 3, "c": 2, "d": 1}, "same": {"a": 1}}, "R")
AFTER = Run.from_dict({"q": {"a": 4, "c": 3, "e": 2, "b": 1}, "same": {"a": 7}}, "R-swapped")
OLD = {"a": "A river.", "b": "She rows.", "c": "He rows.", "d": "Boats."}
NEW = {"a": "A river.", "b": "He rows.", "c": "She rows.", "e": "His boat."}


def test_each_document_is_kept_moved_or_replaced() -> None:
    first, second = ranking_changes(BEFORE, AFTER, depth=3)

    # Of a, b, c: a stays, c goes from 3 to 2, b falls out of the first three.
    assert (first["qid"], first["n_documents"]) == ("q", 3)
    assert (first["n_kept"], first["n_moved"], first["n_replaced"]) == (1, 1, 1)
    assert first["largest_move"] == 1
    assert first["CRBO"] == pytest.approx(rbo([*"abc"], [*"ace"]).ext)
    assert (second["qid"], second["n_kept"], second["CRBO"]) == ("same", 1, 1)


def test_both_lists_stand_side_by_side_with_the_ranks_elsewhere() -> None:
    found = side_by_side((BEFORE, AFTER), "q", (OLD, NEW), read_lexicon(), depth=3)

    assert [(one.original and one.original.docno, one.new_rank) for one in found.ranks] == [
        ("a", 1),
        ("b", 4),  # below the ranks shown
        ("c", 2),
    ]
    shown = [(one.counterfactual and one.counterfactual.docno, one.old_rank) for one in found.ranks]
    assert shown == [("a", 1), ("c", 3), ("e", None)]
    assert found.crbo == pytest.approx(rbo([*"abc"], [*"ace"]).ext)
    assert "e (-)" in side_by_side_text(found)


def test_the_texts_are_those_of_each_collection() -> None:
    found = side_by_side((BEFORE, AFTER), "q", (OLD, NEW), read_lexicon(), depth=3)

    row = found.as_dict()["ranks"][1]
    assert (row["original"]["words"]["f"], row["counterfactual"]["words"]["f"]) == (
        {"she": 1},
        {"she": 1},
    )
    assert (row["original"]["docno"], row["counterfactual"]["docno"]) == ("b", "c")
