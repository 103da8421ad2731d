"""Judgments of people and of a model about the same runs, and their checks."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypedDict

from ..errors import InputError
from ..measures.base import Qrels
from ..measures.effectiveness import trec_eval_positions
from ..runs import Run
from ..statistics.few_labels import Figure, Target, labels_needed
from ..statistics.inference import USUAL, Inference
from ..statistics.looks import level_at_every_look
from ..statistics.plausible import likeness, why_not_both
from ..vocabulary import LEVEL, Correction, Family
from .designs import Design
from .scored_runs import OpenRuns

PartlyJudged = Literal["error", "skip", "not relevant"]
Kind = Literal["qrels", "passages"]
#: How judgments of a judge with a name are named beside those of arguments.
_OF_JUDGE = "judge_qrels "
#: Objects of judgments, by the argument for people's.
NAMES: dict[Kind, str] = {"qrels": "judgements", "passages": "labels of passages"}


@dataclass(frozen=True)
class Terms:
    """Parameters of figures.

    `design`: design of people's sample; None if unknown, so that figures resting on it are
    withheld. `partly_judged`: treatment of a query whose first documents people judged in part: an
    error, left out, or what is not judged is not relevant, the field's rule for judged pools; None
    for that where people's judgments hold a grade of 0 or below, as a pool's do, else an error.
    `baseline`: the run that the others are compared with, "" for none, by the correction and family
    of `inference`. `target`: the queries that the model judged, or all that they can be taken for a
    sample of; None for the usual one of the figures. `every_look`: intervals that hold at every
    look at ever more judgments. `half_width`: of the intervals that `labels_needed` is to give.
    """

    design: Design | None = field(default_factory=Design)
    partly_judged: PartlyJudged | None = None
    baseline: str = ""
    target: Target | None = None
    every_look: bool = False
    half_width: float | None = None
    inference: Inference = USUAL
    level: float = LEVEL

    def level_with(self, n: int, pool: int, target: Target, together: int = 1) -> float:
        """The level to ask for where people judged `n` units of `pool`.

        Of intervals that hold `together`, so many, each has its part of what may fail.
        """
        level = 1 - (1 - self.level) / together
        if not self.every_look:
            return level
        return level_at_every_look(n, pool if target == "pool" else math.inf, level=level)

    def labels_needed(self, figure: Figure, pool: int, least: int = 0) -> int | None:
        """Judged units for intervals of the wanted half width, no fewer than `least`.

        None where it is not known, or where no number of them would do.
        """
        is_simple = self.design is not None and self.design.is_simple
        if not (self.half_width and is_simple and figure.low is not None and figure.n < pool):
            return None
        needed = labels_needed(figure, self.half_width, pool)
        return None if needed is None else min(max(needed, least), pool)


def by_judge(judges: Mapping[str, Qrels]) -> dict[str, Qrels | None]:
    """Judgments of judges as they stand beside others in `OpenRuns.judgments`."""
    return {f"{_OF_JUDGE}{name}": qrels for name, qrels in judges.items()}


def judges_in(judgments: Mapping[str, Qrels | None]) -> dict[str, Qrels]:
    """The judgments of each judge by its name; nothing where there are none with names."""
    return {
        name.removeprefix(_OF_JUDGE): qrels
        for name, qrels in judgments.items()
        if name.startswith(_OF_JUDGE) and qrels is not None
    }


class FigureTerms(TypedDict, total=False):
    """Judgments and terms as keywords: those of `Terms`, and labels of passages, from anything."""

    passages: Any
    judge_passages: Any
    design: Any
    partly_judged: PartlyJudged | None
    baseline: str
    target: Target | None
    every_look: bool
    half_width: float | None
    family: Family
    correction: Correction


def terms_of(design: Design | None, options: Mapping[str, Any]) -> Terms:
    """The terms with their defaults where nothing is given."""
    names = {"partly_judged", "baseline", "target", "every_look", "half_width"}
    inference = {name: options[name] for name in ("family", "correction") if options.get(name)}
    return Terms(
        design=design,
        inference=Inference(**inference),
        **{name: value for name, value in options.items() if name in names},
    )


def rule_of(partly_judged: PartlyJudged | None, judgments: "Judgments") -> PartlyJudged:
    """Return the rule for queries that people judged in part; nothing can tell a pool for certain.

    Sides of passages know no "not relevant": what people did not label leans nowhere that is known.
    """
    if judgments.kind == "passages":
        return "skip" if partly_judged == "skip" else "error"
    if partly_judged is not None:
        return partly_judged
    grades = (grade for of_query in judgments.people.values() for grade in of_query.values())
    return "not relevant" if any(grade <= 0 for grade in grades) else "error"


@dataclass(frozen=True)
class Judgments:
    """Judgments of people and of a model; `kind` is what measures call them."""

    kind: Kind
    people: Qrels
    model: Qrels

    @property
    def model_argument(self) -> str:
        """The argument that gives the model's."""
        return f"judge_{self.kind}"

    def shown(self, run: Run, qids: Sequence[str], cutoff: int) -> Iterator[tuple[str, list[str]]]:
        """The first documents of each query as measures of these judgments rank them."""
        if self.kind == "passages":
            for qid in qids:
                yield qid, run.documents(qid)[:cutoff]
            return
        for qid, row in zip(qids, trec_eval_positions(run, qids, cutoff), strict=True):
            documents: list[str] = run.docnos.take(row[row >= 0]).tolist()
            yield qid, documents


@dataclass(frozen=True)
class Checked:
    """The queries that the model judged, those of them that people did, and anomalies.

    `withheld`: why no interval can be given; `withheld_corrected`: why none of both together can.
    `is_known`: whether it is known what the judged ones are a sample of.
    """

    pool: tuple[str, ...]
    judged: tuple[str, ...]
    notices: tuple[str, ...]
    withheld: str = ""
    withheld_corrected: str = ""
    is_known: bool = True


def checked(judgments: Judgments, opened: OpenRuns, terms: Terms) -> Checked:
    """Return what there is to measure; `InputError` where that is impossible, with what to do."""
    people, model = judgments.people, judgments.model
    what = NAMES[judgments.kind]
    seen = opened.seen
    missed = [qid for qid in people if people[qid] and qid in seen and not model.get(qid)]
    if missed:
        raise InputError(
            f"the model judged none of the documents of {len(missed):,} of the queries that people "
            f"judged, as {missed[0]!r}.",
            remedy=f"Let it judge them, or leave them out of {judgments.kind}.",
        )
    pool = opened.judged(model)
    judged = tuple(qid for qid in pool if people.get(qid))
    if not judged:
        raise InputError(
            f"people judged none of the {len(pool):,} queries that are measured and the model "
            "judged.",
            remedy=f"Check that the ids in {judgments.kind} and {judgments.model_argument} are "
            "those of the runs.",
        )
    withheld = ""
    if terms.design is None and judged != pool:
        withheld = "it is not known how the judged ones were drawn (no design)."
    elif judgments.kind == "qrels" and _best(people, judged) <= 0:
        withheld = "people gave no document a grade above 0."
    alike = likeness(_both(judgments, judged))
    notices = list(_notices(judgments, opened, pool, judged, terms))
    if alike.text and not alike.is_copied:
        notices.append(f"{what}: {alike.text}")
    are_pairs = terms.design is not None and terms.design.unit == "pair"
    n = len(judged) * (not are_pairs)
    withheld_corrected = why_not_both(alike, n, len(pool))
    for why in (withheld, withheld_corrected * alike.is_copied):
        notices += [f"{what}: intervals are withheld: {why}"] * bool(why)
    is_known = terms.design is not None or judged == pool
    return Checked(pool, judged, tuple(notices), withheld, withheld_corrected, is_known)


def _notices(
    judgments: Judgments,
    opened: OpenRuns,
    pool: Sequence[str],
    judged: Sequence[str],
    terms: Terms,
) -> Iterator[str]:
    people, model, what = judgments.people, judgments.model, NAMES[judgments.kind]
    if terms.design is not None and terms.design.is_simple and len(judged) < len(pool):
        yield (
            f"{what}: the {len(judged):,} queries that people judged are taken as a simple "
            f"random sample of the {len(pool):,} that the model judged. If they were drawn "
            "otherwise, name the design; if nobody knows how, name none."
        )
    measured = opened.seen.union(pool)
    if absent := [qid for qid in people if qid not in measured]:
        yield (
            f"{what}: {len(absent):,} of the queries that people judged are not among those that "
            f"are measured, as {absent[0]!r}; they are not counted."
        )
    if judgments.kind != "qrels":
        return
    best = _best(people, judged), _best(model, pool)
    if best[1] <= 0:
        yield "the model gave no document a grade above 0, so its judgments carry no information."
    elif best[0] > 0 and (best[0] == 1) != (best[1] == 1):
        yield (
            f"people's grades go up to {best[0]}, the model's to {best[1]}: corrected figures "
            "hold all the same, but the model's own figures cannot be compared with people's."
        )


def check_baseline(opened: OpenRuns, baseline: str) -> None:
    """`InputError` where no run has that name."""
    names = [run.name for run in opened.runs]
    if baseline and baseline not in names:
        raise InputError(
            f"there is no run {baseline!r}, which should be the baseline.",
            remedy=f"Known: {', '.join(names)}.",
        )


def _best(qrels: Qrels, qids: Sequence[str]) -> int:
    return max(grade for qid in qids for grade in qrels[qid].values())


def _both(judgments: Judgments, judged: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Grades of people and of the model of the documents that both judged."""
    for qid in judged:
        of_model = judgments.model[qid]
        for docno, grade in judgments.people[qid].items():
            if docno in of_model:
                yield grade, of_model[docno]
