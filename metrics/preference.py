"""Which wording of a document a model prefers: male, female or neutral.

For collections that hold each document in several wordings, such as Grep-BiasIR (Krieg et al.,
*Grep-BiasIR: A Dataset for Investigating Gender Representation-Bias in Information Retrieval
Results*, 2022). The fractions are those that Sundararaman & Subramanian (*Debiasing Gender Bias in
Information Retrieval Models*, 2022) report in their table 3.
"""

import csv
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from metrics.errors import InputError
from metrics.runs import Run

_COLUMNS = ("q_id", "d_id", "relevant", "doc_title", "document", "content_gender")
_WORDINGS = {"F": "female", "M": "male", "N": "neutral"}


@dataclass(frozen=True)
class Wordings:
    """The wordings of one document of a query: `female`, `male`, `neutral` to docno."""

    qid: str
    docnos: Mapping[str, str]


@dataclass(frozen=True)
class Preference:
    """How often each wording stood highest, as fractions of the `n` documents compared.

    `tie`: two wordings shared the highest score. `n_missing` documents had a wording that the run
    did not score; they are left out.
    """

    fractions: Mapping[str, float]
    n: int
    n_missing: int


def read_grep_biasir(
    paths: Iterable[str | Path], *, relevant_only: bool = True
) -> tuple[dict[str, str], list[Wordings]]:
    """Texts by document id, and the documents that have all three wordings.

    `paths` are the `queries-documents_*.csv` files of the data set. A text is title and document.
    """
    texts: dict[str, str] = {}
    found: defaultdict[tuple[str, str], dict[str, str]] = defaultdict(dict)
    for path in sorted(map(str, paths)):
        for row in _rows(path):
            texts[row["d_id"]] = f"{row['doc_title']} {row['document']}"
            wording = _WORDINGS.get(row["content_gender"])
            if wording and (row["relevant"] == "1" or not relevant_only):
                found[row["q_id"], row["relevant"]][wording] = row["d_id"]
    whole = [
        Wordings(qid, docnos)
        for (qid, _), docnos in sorted(found.items())
        if len(docnos) == len(_WORDINGS)
    ]
    return texts, whole


def wording_preference(run: Run, documents: Sequence[Wordings]) -> Preference:
    """Which wording of each document `run` scores highest."""
    place = {qid: number for number, qid in enumerate(run.qids)}
    counts: Counter[str] = Counter()
    for document in documents:
        scores = _scores(run, place.get(document.qid))
        known = {w: scores[d] for w, d in document.docnos.items() if d in scores}
        if len(known) < len(document.docnos):
            counts["missing"] += 1
            continue
        best = max(known.values())
        first = [wording for wording, score in known.items() if score == best]
        counts[first[0] if len(first) == 1 else "tie"] += 1
    n = counts.total() - counts["missing"]
    names = (*sorted(_WORDINGS.values()), "tie")
    return Preference(
        {name: counts[name] / n if n else 0.0 for name in names}, n, counts["missing"]
    )


def _scores(run: Run, query: int | None) -> dict[str, float]:
    if query is None:
        return {}
    start, stop = int(run.offsets[query]), int(run.offsets[query + 1])
    docnos = run.docnos.slice(start, stop - start).to_pylist()
    return dict(zip(docnos, map(float, run.scores[start:stop]), strict=True))


def _rows(path: str) -> list[dict[str, str]]:
    try:
        with Path(path).open(encoding="utf-8-sig", newline="") as file:
            rows = list(csv.DictReader(file))
    except FileNotFoundError:
        raise InputError("no such file.", path=path) from None
    if not rows or not set(_COLUMNS) <= set(rows[0]):
        raise InputError(
            "is not a file of Grep-BiasIR.", path=path, remedy=f"It has {', '.join(_COLUMNS)}."
        )
    return rows
