"""Creating a batch: a draft of HITs with terms and a price, not published."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace

from django.conf import settings
from django.db import transaction

from annotation.batches.operations.adaptive_policy import adaptive_begin
from annotation.batches.operations.batches import create_batch, name_is_taken
from annotation.batches.operations.gold import known_answer
from annotation.batches.operations.gold_pairs import GOLD_PAIRS
from annotation.batches.operations.planning import BatchPlan, PlannedQuery, WorkerConditions
from annotation.batches.operations.queries import (
    queries_from_pool,
    queries_with_text,
    with_gold,
    without_batched,
    without_labelled,
)
from annotation.batches.operations.schemes import check_about
from annotation.batches.operations.terms import AdaptiveParameters, CreateBatchParameters
from annotation.core.consent import Charge, Estimate
from annotation.core.operations import Operation, Result, Run
from annotation.core.parameters import ParametersError, TermError, about, value_of
from annotation.core.site_budget import site_budget
from annotation.crowd.questions import most_bytes
from annotation.labels.queries.questions import nominal_question_in
from annotation.labels.queries.raters import raters_for
from annotation.models import Batch, Study
from annotation.schemes import JOINED, About, Question, in_language, known_answers
from annotation.studies.operations.create import study_for
from annotation.task_page import PageTexts
from annotation.vocabulary import Environment
from metrics.errors import InputError
from metrics.runs.queries import Queries
from metrics.votes.adaptive import FIRST

#: Terms that go into the plan as they are.
_TERMS = (
    "name", "pool", "reward", "budget", "assignments_per_hit", "queries_per_hit",
    "lifetime_seconds", "duration_seconds", "auto_approval_seconds", "seed", "together", "title",
    "description", "keywords", "suggested_by",
)  # fmt: skip


@dataclass(frozen=True)
class BatchEstimate(Estimate):
    """Plan of a batch, with its cost once it is published."""

    plan: BatchPlan = field(kw_only=True)


class CreateBatch(Operation[Study, CreateBatchParameters]):
    """Store a batch as a draft (201), or only plan and price it (200, with `dry_run`).

    Nothing is published, and nothing spent, before `publish_batch` is asked for.
    """

    name = "create batch"
    command = "batch create"
    title = "New batch"
    button = "Create the draft"
    subject = Study
    parameters = CreateBatchParameters

    def clean(
        self, subject: Study | None, parameters: CreateBatchParameters
    ) -> CreateBatchParameters:
        pool = parameters.pool
        if (pool is None) == (not parameters.queries):
            raise ParametersError({"queries": "Give a pool or queries, and not both."})
        if pool is not None and pool.belongs.study != subject:
            raise TermError("pool", f"the pool {pool} belongs to another study.")
        of_pairs = pool.of_pairs if pool else _are_pairs(parameters.queries)
        check_about(parameters.scheme, of=About.PASSAGE if of_pairs else About.QUERY)
        _check_questions(parameters)
        if parameters.adaptive and parameters.assignments_per_hit != FIRST:
            wrong = f"Adaptive votes begin with {FIRST} workers."
            raise ParametersError({"assignments_per_hit": wrong})
        return parameters

    def estimate(self, subject: Study | None, parameters: CreateBatchParameters) -> BatchEstimate:
        plan = plan_of(subject, parameters)
        if Batch.everything.filter(name__iexact=plan.name).exists():
            raise name_is_taken(plan.name)
        plan.check()
        if plan.budget is None and settings.MTURK_ENVIRONMENT == Environment.PRODUCTION:
            raise TermError(
                "budget",
                f"a batch that spends real money needs a budget; {plan.cost} USD is the full cost.",
            )
        fee, hits = plan.unit_cost - plan.reward, tuple(range(plan.n_hits))
        return BatchEstimate(
            n_answers=plan.n_hits * plan.assignments_per_hit,
            n_hits=plan.n_hits,
            n_queries=len(plan.queries),
            charges=(Charge(plan.reward, fee, hits, plan.assignments_per_hit),),
            budget_left=site_budget(environment=settings.MTURK_ENVIRONMENT).left,
            plan=plan,
        )

    def run(self, subject: Study | None, parameters: CreateBatchParameters, run: Run) -> Result:
        plan = plan_of(subject, parameters)
        with transaction.atomic():
            batch = make_planned_batch(
                plan=plan,
                environment=settings.MTURK_ENVIRONMENT,
                actor=run.actor.name,
                study=study_for(subject, name=plan.name, actor=run.actor),
                adaptive=parameters.adaptive,
            )
        values = {"name": batch.name, "number": batch.pk}
        return Result(values, "Stored as a draft. Nothing is published yet.", made=batch)


def plan_of(study: Study | None, parameters: CreateBatchParameters) -> BatchPlan:
    """The batch of `study` as it would be; `TermError` where its queries cannot be had.

    Without a study it will get one of its own.
    """
    pool = parameters.pool
    with about("pool" if pool else "queries"):
        queries = queries_from_pool(pool) if pool else _planned(parameters)
        n_before = len(queries)
        if study is None and (parameters.new_only or parameters.exclude_labelled):
            raise InputError("which queries are new?", remedy="Name a pool or a study.")
        if study and parameters.new_only:
            queries = without_batched(queries, study=study, scheme=parameters.scheme)
        if study and parameters.exclude_labelled:
            question = parameters.scheme.subset.question
            queries = without_labelled(queries, study=study, question=question)
    n_left_out = n_before - len(queries)
    if parameters.gold:
        with about("gold"):
            queries = with_gold(queries, _as_read(parameters.gold), parameters.scheme)
    with about("comprehension"):
        comprehension = _tested(parameters)
    return BatchPlan(
        queries=queries,
        n_left_out=n_left_out,
        most_bytes=most_bytes(settings.MTURK_ENVIRONMENT),
        comprehension=comprehension,
        comprehension_question=_test_question(parameters).name if comprehension else "",
        conditions=WorkerConditions.from_json(asdict(parameters.conditions)),
        texts=PageTexts(
            in_language(parameters.scheme, parameters.language),
            parameters.consent,
            parameters.contact,
            _suggestions(study, parameters, queries),
        ),
        **{name: getattr(parameters, name) for name in _TERMS},
    )


def _check_questions(parameters: CreateBatchParameters) -> None:
    """Refuse terms that need a question with one answer and options in no order."""
    scheme = parameters.scheme
    if parameters.suggested_by:
        with value_of("suggested_by"):
            nominal_question_in(scheme, scheme.questions[0].name)
    if parameters.adaptive:
        with value_of("question"):
            nominal_question_in(scheme, parameters.adaptive.question)
    if parameters.comprehension:
        _test_question(parameters)


@transaction.atomic
def make_planned_batch(
    *,
    plan: BatchPlan,
    environment: str,
    actor: str,
    study: Study,
    adaptive: AdaptiveParameters | None = None,
) -> Batch:
    """Store `plan`; with `adaptive` it asks adaptively, as after `batch begin-adaptive`."""
    batch = create_batch(plan=plan, environment=environment, actor=actor, study=study)
    if adaptive is not None:
        adaptive_begin(batch=batch, actor=actor, terms=adaptive)
    return batch


def _are_pairs(queries: Queries | Sequence[PlannedQuery]) -> bool:
    """Return whether all of these have passages; raises `ParametersError` if only some do."""
    kinds = {False} if isinstance(queries, Queries) else {bool(query.passage) for query in queries}
    if len(kinds) > 1:
        raise ParametersError({"queries": "Give queries, or pairs with passages, and not both."})
    return kinds.pop()


def _planned(parameters: CreateBatchParameters) -> list[PlannedQuery]:
    if isinstance(parameters.queries, Queries):
        return queries_with_text(parameters.queries)
    return [
        replace(query, gold=known_answer(query.qid, query.gold, parameters.scheme))
        if query.gold
        else query
        for query in parameters.queries
    ]


def _as_read(queries: Queries | Sequence[PlannedQuery]) -> Queries:
    """Queries with their categories as a file would have them."""
    if isinstance(queries, Queries):
        return queries
    texts = {query.qid: query.text for query in queries}
    return Queries("", "labels", texts, {query.qid: query.gold for query in queries})


def _test_question(parameters: CreateBatchParameters) -> Question:
    """The question that the test before the first HIT asks."""
    with value_of("comprehension_question"):
        return nominal_question_in(parameters.scheme, parameters.comprehension_question)


def _tested(parameters: CreateBatchParameters) -> list[PlannedQuery]:
    """The queries of the test before the first HIT, with the answer to its question."""
    if not parameters.comprehension:
        return []
    question = _test_question(parameters).name
    source, scheme = parameters.comprehension, parameters.scheme
    queries = (
        with_gold(_pairs_named(parameters, source), source, scheme)
        if isinstance(source, Queries)
        else source
    )
    if scheme.about == About.PASSAGE and not all(query.passage for query in queries):
        raise InputError(
            "a test about passages has a query without one.",
            remedy=f"Name pairs of the pool: {GOLD_PAIRS}. By the API give docno and passage.",
        )
    tested = []
    for query in queries:
        known = known_answers(scheme, query.gold) if query.gold else {}
        codes = known.get(question)
        if query.gold and codes is None:
            raise InputError(
                f"{query.text!r} has no known answer to {question!r}, which the test asks.",
                remedy=f"Write it as {question}=CODE, or let the test ask another question.",
            )
        tested.append(replace(query, gold=JOINED.join(codes or ())))
    return tested


def _pairs_named(parameters: CreateBatchParameters, named: Queries) -> list[PlannedQuery]:
    """The pairs of the pool that are named; none for a pool of queries."""
    pool = parameters.pool
    if pool is None or not pool.of_pairs:
        return []
    rows = pool.queries.filter(qid__in=list(named.ids))
    pairs = [PlannedQuery(row.qid, row.text, passage=row.passage) for row in rows]
    if not pairs:
        raise InputError(
            "the test names no pair of the pool.", remedy=f"Name pairs of the pool: {GOLD_PAIRS}."
        )
    return pairs


def _suggestions(
    study: Study | None, parameters: CreateBatchParameters, queries: Sequence[PlannedQuery]
) -> dict[str, str]:
    """Return what the model to show says of the first question, by query id; without one, {}."""
    model, question = parameters.suggested_by, parameters.scheme.questions[0]
    if not model:
        return {}
    if study is None:
        raise TermError("suggested_by", f"no study has the model {model!r}.")
    raters = raters_for(study=study, question=question).filter(category="")
    rater = raters.filter(name=model).order_by("-id").first()
    if rater is None:
        known = ", ".join(sorted(set(raters.values_list("name", flat=True)))) or "none"
        raise TermError(
            "suggested_by",
            f"no model {model!r} answers {question.name!r} in this study.",
            remedy=f"Models are {known}.",
        )
    query_ids = {query.qid for query in queries}
    labels = rater.labels.exclude(category=None).values_list("qid", "category")
    suggestions = {qid: str(category) for qid, category in labels if qid in query_ids}
    if not suggestions:
        raise TermError(
            "suggested_by",
            f"{model!r} has labelled none of these queries.",
            remedy="Have it label them first, or show no model's labels.",
        )
    return suggestions


CREATE_BATCH = CreateBatch()
