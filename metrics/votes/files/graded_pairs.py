"""Qrels of people or of a model, as options of a question about pairs of query and passage."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path

from ...errors import InputError
from ...io.contents import contents_of
from ...io.pair_ids import pair_id, split_pair_id
from ...runs.qrels import Qrels, read_qrels
from .options import Options

_NAMED = 3


@dataclass(frozen=True)
class GradedPairs:
    """The code of each pair that the file grades and the batch or study has, by the pair's id.

    `n_others` are judgments of other pairs.
    """

    codes: Mapping[str, str]
    n_others: int


def are_qrels(path: str | Path) -> bool:
    """Return whether the content of the file is that of qrels."""
    contents = contents_of(path)
    return contents is not None and contents.kind == "qrels"


def qrels_given(path: str | Path) -> InputError:
    """Return the error for qrels where votes or labels of queries are read."""
    return InputError(
        "holds relevance judgments (qrels), which are grades of pairs.",
        path=path,
        remedy="Import them as labels of a batch of pairs: label import-qrels.",
    )


def read_graded_pairs(path: str | Path, *, options: Options, pairs: Collection[str]) -> GradedPairs:
    """The grades of `pairs` in a file of qrels, as codes of the options.

    `InputError` for a grade that the question does not have, and where the file judges none of the
    pairs: qrels of another collection, or of other queries.
    """
    qrels = read_qrels(path)
    code_of = {grade: code for code, grade in options.grades.items()}
    codes = {}
    for qid, grades in qrels.items():
        for docno, grade in grades.items():
            pair = pair_id(qid, docno)
            if pair not in pairs:
                continue
            if grade not in code_of:
                known = ", ".join(map(str, sorted(code_of)))
                raise InputError(
                    f"gives the passage {docno!r} of query {qid!r} the grade {grade}, which "
                    f"{options.name!r} does not have: it has {known}.",
                    path=path,
                    remedy="Write its grades, or ask the question with these options.",
                )
            codes[pair] = code_of[grade]
    if not codes:
        raise _others(path, qrels, pairs)
    return GradedPairs(codes, sum(map(len, qrels.values())) - len(codes))


def _others(path: str | Path, qrels: Qrels, pairs: Collection[str]) -> InputError:
    """Say what the file has in common with the pairs, by the first ids of both."""
    ids = [split_pair_id(pair) for pair in pairs]
    of_file = {"query": list(qrels), "passage": [d for of in qrels.values() for d in of]}
    of_pairs = {"query": [qid for qid, _ in ids], "passage": [docno for _, docno in ids]}
    lacking = next(
        (name for name in ("passage", "query") if not {*of_file[name]} & {*of_pairs[name]}), "pair"
    )
    if lacking == "pair":
        of_file["pair"] = [pair_id(qid, docno) for qid, of in qrels.items() for docno in of]
        of_pairs["pair"] = list(pairs)
    return InputError(
        f"has no {lacking} in common with the pairs to label: it has {_first(of_file[lacking])}; "
        f"they have {_first(of_pairs[lacking])}.",
        path=path,
        remedy="Give qrels of the same collection and queries, with the same ids.",
    )


def _first(ids: list[str]) -> str:
    different = list(dict.fromkeys(ids))
    return ", ".join(different[:_NAMED]) + (", ..." if len(different) > _NAMED else "")
