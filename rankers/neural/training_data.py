"""Triples of a query, a relevant and an irrelevant passage."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from metrics.errors import InputError
from metrics.io.files import open_bytes
from metrics.io.lines import MAX_LINE, numbered_lines
from metrics.runs import Run
from metrics.runs.qrels import Qrels

_COLUMNS = 3


@dataclass(frozen=True)
class Triple:
    """`positive` and `negative` are texts; their docnos are "" where the file gives texts alone."""

    query: str
    positive: str
    negative: str
    positive_docno: str = ""
    negative_docno: str = ""


def read_triples(
    path: Path, queries: Mapping[str, str], collection: Mapping[str, str]
) -> list[Triple]:
    """Triples of texts, or of a query id and two docnos, which `queries` and `collection` resolve.

    Ids are recognised on the first line: its query is an id of `queries`. Raises `InputError` with
    file and line for a line without three columns, an empty text, and an unknown id.
    """
    triples: list[Triple] = []
    with open_bytes(path) as stream:
        by_id = None
        for number, raw in numbered_lines(stream, path, MAX_LINE):
            fields = raw.decode("utf-8", "replace").rstrip("\r\n").split("\t")
            if len(fields) != _COLUMNS or not all(field.strip() for field in fields):
                raise InputError(
                    "is not a query, a relevant and an irrelevant passage.",
                    path=path,
                    line=number,
                    remedy="Write three texts, or qid, docno and docno, parted by tabs.",
                )
            by_id = fields[0] in queries if by_id is None else by_id
            if by_id:
                triples.append(_resolve(fields, queries, collection, path, number))
            else:
                triples.append(Triple(*fields))
    if not triples:
        raise InputError("is empty.", path=path)
    return triples


def _resolve(
    fields: Sequence[str],
    queries: Mapping[str, str],
    collection: Mapping[str, str],
    path: Path,
    line: int,
) -> Triple:
    qid, positive, negative = fields
    for kind, identifier, known in (
        ("query", qid, queries),
        ("passage", positive, collection),
        ("passage", negative, collection),
    ):
        if identifier not in known:
            raise InputError(f"the {kind} {identifier!r} has no text.", path=path, line=line)
    return Triple(queries[qid], collection[positive], collection[negative], positive, negative)


@dataclass(frozen=True)
class NegativeSampling:
    """`per_positive` negatives for each relevant passage, out of a run's first `depth`.

    With `magnitude` (docno to gender magnitude) a passage is drawn in proportion to
    1 + `bias_strength` x its magnitude: gendered negatives teach a model not to prefer them
    (Bigdeli et al., *A Light-Weight Strategy for Restraining Gender Biases in Neural Rankers*,
    ECIR 2022).
    """

    per_positive: int = 4
    depth: int = 200
    min_grade: int = 1
    magnitude: Mapping[str, float] | None = None
    bias_strength: float = 1.0


def sample_triples(
    qrels: Qrels,
    run: Run,
    queries: Mapping[str, str],
    collection: Mapping[str, str],
    *,
    sampling: NegativeSampling,
    seed: int,
) -> list[Triple]:
    """For each judged-relevant passage that has a text, negatives from the run, drawn by `seed`.

    A negative is in the run and not judged relevant. Queries without text, relevant passage or
    negative are passed over; `InputError` where nothing is left.
    """
    rng = np.random.default_rng(seed)
    triples: list[Triple] = []
    for qid in (qid for qid in run.qids if qid in queries and qid in qrels):
        grades = qrels[qid]
        negatives = [
            docno
            for docno in run.documents(qid)[: sampling.depth]
            if docno in collection and grades.get(docno, 0) < sampling.min_grade
        ]
        for docno in sorted(
            docno for docno, grade in grades.items() if grade >= sampling.min_grade
        ):
            if docno in collection and negatives:
                drawn = _draw(rng, negatives, sampling)
                triples += [
                    Triple(queries[qid], collection[docno], collection[other], docno, other)
                    for other in drawn
                ]
    if not triples:
        raise InputError(
            "no query has a relevant passage and a negative, both with a text.",
            remedy="Do --queries, --qrels, --negatives-from and --collection belong together?",
        )
    return triples


def _draw(
    rng: np.random.Generator, negatives: Sequence[str], sampling: NegativeSampling
) -> list[str]:
    weights = None
    if sampling.magnitude is not None:
        gendered = np.array([sampling.magnitude.get(docno, 0.0) for docno in negatives])
        weights = 1 + sampling.bias_strength * gendered
        weights = weights / weights.sum()
    size = min(sampling.per_positive, len(negatives))
    return [negatives[i] for i in rng.choice(len(negatives), size, replace=False, p=weights)]
