"""Draw queries of a pool for people to label, so that figures of the whole pool follow."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

import numpy as np
from django.db import transaction
from numpy.typing import NDArray

from annotation.core.counting import counted
from annotation.core.names import free_name
from annotation.core.operations import Operation, Result, Run
from annotation.core.parameters import TermError, about, parameter
from annotation.labels.queries.beliefs import beliefs_of
from annotation.labels.queries.questions import category_chosen
from annotation.labels.queries.raters import raters_for, study_question
from annotation.labels.queries.samples import LEAST_DRAWN, biases_of, drawn_ids
from annotation.labels.queries.stopping import stopping_of
from annotation.models import AuditEvent, DrawnSample, Study, StudyPool
from annotation.models.labels import LONGEST_VALUE
from annotation.schemes import LONGEST_NAME
from annotation.vocabulary import LONGEST_OWN_NAME, AuditAction, SampleDesign, WidthOf
from metrics.io.pair_ids import split_pair_id
from metrics.statistics.drawing import (
    Draw,
    belief_strata,
    doubt,
    draw_more_unequal,
    draw_simple,
    draw_stratified,
    draw_unequal,
)
from metrics.vocabulary import LARGEST_SEED
from pooling import models
from pooling.items import list_name
from pooling.pool import Place, Pool, PooledQuery
from pooling.queries import pool_name_is_free
from pooling.store import pool_build
from pooling.vocabulary import LARGEST_POOL


@dataclass(frozen=True, kw_only=True)
class DrawParameters:
    """The pool, size and design of a sample; one that is continued keeps its design."""

    pool: str = parameter(
        max_length=LONGEST_OWN_NAME,
        label="Pool",
        help_text="Name of the pool, or of a drawn sample to continue.",
    )
    size: int = parameter(
        100,
        min_value=LEAST_DRAWN,
        max_value=LARGEST_POOL,
        label="Queries to draw",
        help_text="With different chances, about so many are drawn. For pairs this counts "
        "pairs, or whole queries.",
    )
    design: str = parameter(
        str(SampleDesign.SIMPLE),
        choices=SampleDesign.choices,
        label="How to draw",
        help_text="Strata and different chances need labels of models. Whole queries are for "
        "pools of pairs: nDCG needs all passages of a query.",
    )
    question: str = parameter(
        "",
        max_length=LONGEST_NAME,
        allow_blank=True,
        label="Question of interest",
        help_text="The question that the models answered; left out, the only one that batches ask.",
    )
    category: str = parameter(
        "",
        max_length=LONGEST_VALUE,
        allow_blank=True,
        label="Category of interest",
        help_text="What the models' belief is about: a code of the question. Left out, the "
        "subset. It is not used if all have the same chance.",
    )
    run: str = parameter(
        "",
        max_length=LONGEST_OWN_NAME,
        allow_blank=True,
        label="Run of interest",
        help_text="The run whose mean bias the queries should show; left out, the pool's first "
        "run.",
    )
    half_width: float = parameter(
        0.0,
        min_value=0,
        max_value=1,
        label="Wanted: plus or minus",
        help_text="Drawing ends once the intervals are so narrow; 0: it does not end. Such "
        "intervals hold at every look, and are more than half as wide again as intervals for "
        "one look.",
    )
    width_of: str = parameter(
        str(WidthOf.ALL),
        choices=WidthOf.choices,
        label="Wanted of",
        help_text="Which intervals should be so narrow.",
    )
    seed: int = parameter(
        0,
        min_value=0,
        max_value=LARGEST_SEED,
        label="Seed",
        help_text="The same seed draws the same queries.",
    )
    name: str = parameter(
        "",
        max_length=LONGEST_OWN_NAME,
        allow_blank=True,
        label="Name of the sample",
        help_text="Left out, the sample is named after the pool.",
    )


class DrawSample(Operation[Study, DrawParameters]):
    """Draw queries of a pool at random for people to label.

    The sample is a pool of its own. With labels of its queries, and models' labels of all, figures
    of the whole pool have valid intervals. A sample is continued by drawing from it, until the
    intervals are as narrow as was wanted.
    """

    name = "draw sample"
    command = "study draw-sample"
    path = "draw-sample"
    example = {"pool": "top500", "size": 300}
    title = "Draw sample"
    button = "Draw sample"
    subject = Study
    parameters = DrawParameters

    def clean(self, subject: Study, parameters: DrawParameters) -> DrawParameters:
        pool = _pool_named(subject, parameters.pool)
        continued = getattr(pool, "drawn", None)
        if continued is not None and DrawnSample.objects.filter(continues=continued).exists():
            raise TermError(
                "pool", f"{pool.name} is continued already.", remedy="Continue its latest part."
            )
        if continued is not None:
            _check_not_met(continued, parameters)
        base = f"{continued.parent if continued else pool} sample"
        return replace(parameters, name=parameters.name or free_name(base, pool_name_is_free))

    def run(self, subject: Study, parameters: DrawParameters, run: Run) -> Result:
        pool = _pool_named(subject, parameters.pool)
        sample = draw_from(subject, pool, parameters, run.actor.name)
        size, left = sample.pool.queries.count(), sample.parent.queries.count()
        values = {"pool": sample.pool.pk, "name": sample.pool.name, "n_drawn": size}
        return Result(
            values, f"{sample.pool.name}: {size:,} of {counted(left, pool.item_noun)} drawn."
        )


@transaction.atomic
def draw_from(
    study: Study, pool: models.Pool, parameters: DrawParameters, actor: str
) -> DrawnSample:
    """Draw from the pool, or further queries of the sample that it is, and store them."""
    before: DrawnSample | None = getattr(pool, "drawn", None)
    parent = before.parent if before else pool
    queries = list(parent.queries.prefetch_related("places").order_by("qid"))
    sample = DrawnSample(
        parent=parent,
        continues=before,
        design=before.design if before else parameters.design,
        seed=parameters.seed,
        half_width=parameters.half_width or (before and before.half_width) or None,
        width_of=parameters.width_of,
        actor=actor,
    )
    if before is not None and not parameters.half_width:
        sample.width_of = before.width_of
    if before is not None:
        draw = _draw_more(before, queries, parameters)
        sample.question, sample.category = before.question, before.category
        sample.run, sample.raters = before.run, before.raters
    elif sample.design == SampleDesign.SIMPLE:
        draw = draw_simple(len(queries), parameters.size, seed=parameters.seed)
    elif sample.design == SampleDesign.QUERIES:
        draw = _draw_whole(parent, queries, parameters)
    else:
        draw = _draw_by_belief(study, sample, queries, parameters)
    qids = [query.qid for query in queries]
    sample.chances = dict(zip(qids, draw.chances.tolist(), strict=True))
    if draw.strata is not None:
        sample.strata = dict(zip(qids, draw.strata.tolist(), strict=True))
    sample.pool = _store(parent, [queries[row] for row in draw.rows], parameters.name)
    sample.save()
    documents = StudyPool.objects.get(pool=parent).documents
    StudyPool.objects.create(study=study, pool=sample.pool, documents=documents)
    AuditEvent.objects.create(
        study=study,
        actor=actor,
        action=AuditAction.SAMPLE_DRAWN,
        detail={
            "pool": parent.name,
            "sample": sample.pool.name,
            "design": sample.design,
            "queries": len(draw.rows),
            "seed": sample.seed,
        },
    )
    return sample


def _check_not_met(sample: DrawnSample, parameters: DrawParameters) -> None:
    """A sample that is as narrow as was wanted is drawn no further, unless more is wanted now."""
    if parameters.half_width:
        sample.half_width, sample.width_of = parameters.half_width, parameters.width_of
    state = stopping_of(sample)
    if state is not None and state.is_met:
        raise TermError(
            "half_width",
            state.sentence,
            remedy="Nothing more needs to be drawn; for narrower intervals give a smaller number.",
        )


def _draw_more(
    before: DrawnSample, queries: Sequence[models.PooledQuery], parameters: DrawParameters
) -> Draw:
    """Further queries, drawn so that with those before them they are one larger sample."""
    drawn = drawn_ids(before)
    taken = np.flatnonzero([query.qid in drawn for query in queries])
    size, seed = parameters.size, parameters.seed
    if before.design == SampleDesign.SIMPLE:
        return draw_simple(len(queries), size, seed=seed, before=taken)
    if before.design == SampleDesign.QUERIES:
        return _draw_whole(before.parent, queries, parameters, drawn)
    chances = np.array([before.chances[query.qid] for query in queries])
    if before.strata:
        strata = [before.strata[query.qid] for query in queries]
        weights = chances if before.design == SampleDesign.NEYMAN else None
        return draw_stratified(strata, size, seed=seed, before=taken, weights=weights)
    return draw_more_unequal(Draw(taken, chances), size, seed=seed, before=taken)


def _draw_whole(
    pool: models.Pool,
    pairs: Sequence[models.PooledQuery],
    parameters: DrawParameters,
    drawn: Collection[str] = (),
) -> Draw:
    """All pairs of as many queries, which have the same chance; `drawn` are pairs before them."""
    if not pool.of_pairs:
        raise TermError(
            "design",
            f"{pool.name} has queries without passages.",
            remedy="Draw them all with the same chance.",
        )
    of_pairs = [split_pair_id(pair.qid)[0] for pair in pairs]
    queries = list(dict.fromkeys(of_pairs))
    had = {split_pair_id(pair)[0] for pair in drawn}
    before = np.flatnonzero([query in had for query in queries])
    draw = draw_simple(len(queries), parameters.size, seed=parameters.seed, before=before)
    taken = {queries[row] for row in draw.rows}
    rows = np.flatnonzero([query in taken for query in of_pairs])
    return Draw(rows, np.full(len(pairs), draw.chances[0]))


def _draw_by_belief(
    study: Study,
    sample: DrawnSample,
    queries: Sequence[models.PooledQuery],
    parameters: DrawParameters,
) -> Draw:
    with about("question"):
        question, scheme = study_question(study=study, name=parameters.question)
    raters = list(raters_for(study=study, question=question))
    category = category_chosen(scheme, question, parameters.category)
    beliefs = beliefs_of(raters, category, [query.qid for query in queries])
    if not beliefs.models:
        raise TermError(
            "design",
            "the study has no model's labels of this category to draw by.",
            remedy="Import a model's labels, or draw all with the same chance.",
        )
    sample.question, sample.category = question.name, category
    sample.raters = list(beliefs.models)
    belief: NDArray[np.float64] = np.array([beliefs.by_query[query.qid] for query in queries])
    if sample.design in {SampleDesign.STRATIFIED, SampleDesign.NEYMAN}:
        strata = belief_strata(belief)
        weights = doubt(belief, strata) if sample.design == SampleDesign.NEYMAN else None
        return draw_stratified(strata, parameters.size, seed=parameters.seed, weights=weights)
    biases = biases_of(queries)
    sample.run = parameters.run or min(biases, default="")
    if sample.run not in biases:
        raise TermError(
            "run",
            f"the pool has no bias of {sample.run or 'any run'!r}.",
            remedy=f"Runs are {', '.join(sorted(biases)) or 'none; pool the queries again'}.",
        )
    return draw_unequal(belief, biases[sample.run], parameters.size, seed=parameters.seed)


def _store(parent: models.Pool, drawn: Sequence[models.PooledQuery], name: str) -> models.Pool:
    queries = [
        PooledQuery(
            query.qid,
            tuple(
                Place(place.run, place.direction, place.rank, place.bias)
                for place in sorted(
                    query.places.all(), key=lambda listed: (listed.run, listed.direction)
                )
            ),
        )
        for query in drawn
    ]
    lists: dict[str, list[tuple[int, str]]] = {key: [] for key in parent.summary["list_sizes"]}
    for query in queries:
        for place in query.places:
            listed = list_name(place.run, place.direction)
            lists.setdefault(listed, []).append((place.rank, query.qid))
    taken = {key: tuple(qid for _, qid in sorted(rows)) for key, rows in sorted(lists.items())}
    pool = Pool(parent.cutoff, taken, tuple(queries), of_pairs=parent.of_pairs)
    return pool_build(
        name=name,
        pool=pool,
        texts={query.qid: query.text for query in drawn},
        magnitude=parent.magnitude,
        rank_cutoff=parent.rank_cutoff,
        inputs=parent.inputs,
        summary=pool.summary() | {"n_queries": parent.queries.count()},
        biases={query.qid: query.biases for query in drawn},
        passages={query.qid: query.passage for query in drawn},
    )


def _pool_named(study: Study, name: str) -> models.Pool:
    pools = {place.pool.name: place.pool for place in study.pools.select_related("pool__drawn")}
    if name not in pools:
        raise TermError(
            "pool",
            f"the study has no pool {name!r}.",
            remedy=f"Pools are {', '.join(sorted(pools)) or 'none'}.",
        )
    return pools[name]


DRAW_SAMPLE = DrawSample()
