"""Runs, judgments and documents brought together: ids that differ in writing alone, and no meeting.

Runs are written as the queries asked for and as the scored collection, judgments and labels as the
runs. Where two sides have no id in common after that, it is an error for queries, since every value
would be 0 or undefined, and a remark for documents.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from types import MappingProxyType
from typing import Any

from ..io.ids import (
    form,
    met,
    no_meeting,
    nothing_met,
    other_spelling,
    renamed_text,
    spreadsheet_text,
)
from ..io.strings import strings
from ..measures.base import Qrels
from ..runs.run import Run
from ..texts.document_numbers import DocumentNumbers
from ..texts.magnitude_store import Magnitudes
from ..vocabulary import Missing

_LOOKED_UP_FIRST = 1_000
_SAME = "Do they belong together? Give both with the ids of one set."


@dataclass
class Met:
    """The two sides as they stand together, and what was done or is odd."""

    runs: list[Run]
    judgments: dict[str, Qrels | None]
    labels: DocumentNumbers | None = None
    remarks: list[str] = field(default_factory=list)


def meet(
    runs: Sequence[Run],
    judgments: Mapping[str, Qrels | None] = MappingProxyType({}),
    *,
    ids: Collection[str] | None = None,
    magnitudes: Magnitudes | None = None,
    labels: DocumentNumbers | None = None,
    missing: Missing = "error",
    depth: int | None = None,
) -> Met:
    """Runs and `judgments`, by their names, with ids that meet; `ids` are the queries asked for.

    Documents that the collection does not have are told elsewhere where they are an error. Lists
    were read down to `depth`. Raises `InputError` for queries and judgments that have no query in
    common with any run.
    """
    together = Met(list(runs), dict(judgments), labels)
    _meet_queries(together, ids)
    if magnitudes is not None:
        is_told = missing == "error"
        for place, run in enumerate(together.runs):
            together.runs[place] = _as_collected(run, magnitudes, together.remarks, is_told=is_told)
    elif len(together.runs) > 1:
        _meet_each_other(together)
    for name, qrels in together.judgments.items():
        if qrels:
            changed = spreadsheet_text(f"documents of {name}", chain.from_iterable(qrels.values()))
            together.remarks += filter(None, [changed])
            together.judgments[name] = _meet_documents(together, name, qrels, depth)
    if labels is not None:
        together.labels = _meet_labels(together, labels)
    return together


def renamed_queries(run: Run, names: Mapping[str, str]) -> Run:
    """The run with other ids of queries; their order as text must stay."""
    return replace(run, qids=tuple(names[qid] for qid in run.qids))


def renamed_documents(run: Run) -> Run:
    """The run with its docnos in their other spelling."""
    return replace(run, docnos=strings(map(other_spelling, run.docnos.tolist())))


def _meet_queries(together: Met, ids: Collection[str] | None) -> None:
    known = set(ids) if ids is not None else set(together.runs[0].qids)
    for place, run in enumerate(together.runs):
        if names := met(run.qids, known):
            together.remarks.append(renamed_text(f"the queries of {run.name}", run.qids, names))
            together.runs[place] = renamed_queries(run, names)
        together.remarks += filter(None, [spreadsheet_text(f"queries of {run.name}", run.qids)])
    if ids is None:
        known = {qid for run in together.runs for qid in run.qids}
    elif not any(qid in run.place_of for run in together.runs for qid in ids):
        raise nothing_met(
            f"the {len(ids):,} queries", sorted(ids), "the runs", _queries(together), remedy=_SAME
        )
    for name, qrels in together.judgments.items():
        if not qrels:
            continue
        if names := met(qrels, known):
            together.remarks.append(renamed_text(f"the queries of {name}", qrels, names))
            together.judgments[name] = {names[qid]: grades for qid, grades in qrels.items()}
        elif ids is None and not any(qid in known for qid in qrels):
            raise nothing_met(
                f"{name}: the queries", qrels, "the runs", _queries(together), remedy=_SAME
            )
        together.remarks += filter(None, [spreadsheet_text(f"queries of {name}", qrels)])


def _queries(together: Met) -> Iterable[str]:
    return (qid for run in together.runs for qid in run.qids)


def _meet_each_other(together: Met) -> None:
    """Write documents as the first run does, where the others only meet it so."""
    first, *others = together.runs
    known = set(first.docnos.tolist())
    for place, run in enumerate(others, start=1):
        docnos = run.docnos.tolist()
        if names := met(docnos, known):
            together.remarks.append(renamed_text(f"the documents of {run.name}", docnos, names))
            together.runs[place] = renamed_documents(run)


def _as_collected(run: Run, magnitudes: Magnitudes, remarks: list[str], *, is_told: bool) -> Run:
    """The run with docnos as the collection writes them, where they only meet so."""

    def is_there(docnos: Any) -> bool:
        return bool((magnitudes.find(docnos) >= 0).any())

    if is_there(strings(run.docnos[:_LOOKED_UP_FIRST].tolist())) or is_there(run.docnos):
        return run
    docnos = run.docnos.tolist()
    names = met(docnos, set(magnitudes.docnos))
    if names is None:
        if not is_told:
            whole = magnitudes.docnos
            remarks.append(no_meeting(f"documents: {run.name}", docnos, "the collection", whole))
        return run
    remarks.append(renamed_text(f"the documents of {run.name}", docnos, names))
    return renamed_documents(run)


def _meet_documents(together: Met, name: str, qrels: Qrels, depth: int | None) -> Qrels:
    judged = [qid for run in together.runs for qid in run.qids if qid in qrels]
    if not judged or any(_shares(run, qrels) for run in together.runs):
        return qrels
    ours = [docno for grades in qrels.values() for docno in grades]
    lists = [run.documents(qid) for run in together.runs for qid in judged]
    theirs = {docno for documents in lists for docno in documents}
    if names := met(ours, theirs):
        together.remarks.append(renamed_text(f"the documents of {name}", ours, names))
        return {
            qid: {names[docno]: grade for docno, grade in grades.items()}
            for qid, grades in qrels.items()
        }
    are_whole = depth is None or all(len(documents) < depth for documents in lists)
    # Further down a list may well have one, where ids look alike.
    if are_whole or not {form(name) for name in ours} & {form(name) for name in theirs}:
        which = "those" if are_whole else f"the first {depth}"
        what = f"no judged document is among {which} of the runs: {name}"
        together.remarks.append(no_meeting(what, ours, "the runs", sorted(theirs)))
    return qrels


def _shares(run: Run, qrels: Qrels) -> bool:
    """Return whether the run has a document of a query that was judged for it."""
    return any(docno in qrels[q] for q in run.qids if q in qrels for docno in run.documents(q))


def _meet_labels(together: Met, labels: DocumentNumbers) -> DocumentNumbers:
    known = labels.row_of
    if any(docno in known for run in together.runs for docno in run.docnos.tolist()):
        return labels
    theirs = {docno for run in together.runs for docno in run.docnos.tolist()}
    if names := met(list(known), theirs):
        together.remarks.append(renamed_text("the documents of labels", known, names))
        return replace(labels, row_of={names[docno]: row for docno, row in known.items()})
    together.remarks.append(no_meeting("documents: labels", known, "the runs", sorted(theirs)))
    return labels


def as_in(run: Run, other: Run) -> Run:
    """The run with queries and documents as the other one writes them, to compare the two."""
    if names := met(run.qids, set(other.qids)):
        run = renamed_queries(run, names)
    if names := met(run.docnos.tolist(), set(other.docnos.tolist())):
        run = renamed_documents(run)
    return run
