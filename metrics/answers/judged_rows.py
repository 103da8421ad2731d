"""Rows of what answers are worth beside their groups: nuggets, support, and CAB and CAS."""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from ..errors import InputError
from ..vocabulary import LEVEL
from .chain import Chain
from .judgments import Judgments, Kind, Values
from .rows import Array, Basis, Figure, Row, mean_figure, row_of

#: The figures of precision and recall of citations, in percent.
BIAS, SENSITIVITY = "attribution bias (CAB)", "attribution sensitivity (CAS)"
_FOUND = ("precision", "recall")


def judged_rows(
    chains: Sequence[Chain], judgments: Judgments, kind: Kind, level: float = LEVEL
) -> Iterator[Row]:
    """Each judged figure of each system: its mean over the judged answers that were measured.

    `InputError` where a judged system has no answers, or none of its judged answers was measured.
    """
    by_name = {chain.system: chain for chain in chains}
    for system, values in judgments.items():
        chain = chains[0] if not system and len(chains) == 1 else by_name.get(system)
        if chain is None:
            raise InputError(
                f"the {kind} are of the system {system!r}, which has no answers."
                if system
                else f"the {kind} name no system, and there are several.",
                remedy=f"Give them a run_id; there are {', '.join(by_name)}.",
            )
        yield from (row_of(chain.system, figure) for figure in _judged(chain, values, kind, level))


def _judged(
    chain: Chain, values: Mapping[str, Values], kind: Kind, level: float
) -> Iterator[Figure]:
    known = [values[qid] for qid in chain.qids if qid in values]
    if not known:
        raise InputError(
            f"no answer of {chain.system} is judged by the {kind}.",
            remedy=f"They have {', '.join([*values][:3])}, the answers "
            f"{', '.join(chain.qids[:3])}.",
        )
    for name in known[0]:
        of_queries = np.array([of_query[name] for of_query in known])
        yield mean_figure(kind, name, "", of_queries, Basis(), level)
    left_out = len(values) - len(known)
    yield Figure(
        figure="count",
        step=f"answers judged by {kind} and not measured",
        value=float(left_out),
    )


def attribution_rows(
    chains: Sequence[Chain], pair: Sequence[str], level: float = LEVEL
) -> Iterator[Row]:
    """CAB and CAS of two systems, whose documents had one label and another, in percent.

    `InputError` where `pair` does not name two systems, nobody graded documents, or no query with a
    relevant document has both answers.
    """
    by_name = {chain.system: chain for chain in chains}
    if len(pair) != len(_FOUND) or not {*pair} <= by_name.keys():
        raise InputError(
            f"{', '.join(pair)} are not two systems.", remedy=f"Systems are {', '.join(by_name)}."
        )
    first, second = (_found(by_name[name]) for name in pair)
    both = [qid for qid in first if qid in second and not np.isnan(first[qid]).any()]
    if not both:
        raise InputError(f"no query has a relevant document and answers of {' and '.join(pair)}.")
    differences = 100 * np.array([first[qid] - second[qid] for qid in both])
    name = " - ".join(pair)
    for figure, values in ((BIAS, differences), (SENSITIVITY, np.abs(differences))):
        for place, step in enumerate(_FOUND):
            row = mean_figure(figure, step, name, values[:, place], Basis(), level)
            yield row_of(pair[0], row)


def _found(chain: Chain) -> dict[str, Array]:
    if chain.found is None:
        raise InputError("CAB and CAS need the relevant documents.", remedy="Give qrels.")
    return dict(zip(chain.qids, chain.found, strict=True))
