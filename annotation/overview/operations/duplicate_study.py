"""Duplicating a study: files, pools and draft batches, without votes."""

from dataclasses import dataclass, replace

from django.conf import settings
from django.db import IntegrityError, transaction
from django.forms.models import model_to_dict

from annotation.batches.operations.create import make_planned_batch
from annotation.batches.operations.planning import BatchPlan, PlannedQuery, WorkerConditions
from annotation.batches.operations.terms import AdaptiveParameters
from annotation.batches.queries.schemes import page_texts
from annotation.core.consent import Estimate
from annotation.core.names import free_name, new_among
from annotation.core.operations import Operation, Result, Run
from annotation.core.parameters import parameter
from annotation.crowd.questions import most_bytes
from annotation.models import (
    AuditEvent,
    Batch,
    DrawnSample,
    Membership,
    Study,
    StudyFile,
    StudyPool,
)
from annotation.studies.operations.studies import check_words, name_is_taken
from annotation.vocabulary import (
    LONGEST_OWN_NAME,
    AuditAction,
    BatchState,
    Environment,
    Permit,
    Role,
)
from pooling.models import ListPlace, Pool, PooledQuery
from pooling.queries import pool_name_is_free

_ROWS_AT_ONCE = 5_000
#: Terms of a batch, by names that a plan has, too.
_TERMS = (
    *("reward", "assignments_per_hit", "queries_per_hit", "lifetime_seconds", "duration_seconds"),
    *("auto_approval_seconds", "seed", "together", "budget", "title", "description", "keywords"),
    "suggested_by",
)


@dataclass(frozen=True, kw_only=True)
class DuplicateStudyParameters:
    name: str = parameter(
        "",
        max_length=LONGEST_OWN_NAME,
        allow_blank=True,
        label="Name of the copy",
        help_text="Left out, that of the study with a number.",
    )


class DuplicateStudy(Operation[Study, DuplicateStudyParameters]):
    """Copy a study without its votes: its files, scores and pools, and each batch as a draft.

    Labels, reports and members stay behind. Files are stored once for both.
    """

    name = "duplicate study"
    command = "study duplicate"
    path = "duplicate"
    example = {"name": "Nuances 2027"}
    title = "Duplicate study"
    button = "Duplicate without votes"
    subject = Study
    parameters = DuplicateStudyParameters
    permit = Permit.CREATE_STUDIES

    def clean(
        self, subject: Study, parameters: DuplicateStudyParameters
    ) -> DuplicateStudyParameters:
        name = parameters.name or free_name(subject.name, new_among(Study.objects))
        return replace(parameters, name=check_words(name, "")[0])

    def estimate(self, subject: Study, parameters: DuplicateStudyParameters) -> Estimate:
        batches = _published_or_draft(subject)
        return Estimate(
            facts=(
                ("Name", parameters.name),
                ("Files", f"{subject.files.filter(archived_at=None).count():,}"),
                ("Pools", f"{subject.pools.filter(pool__archived_at=None).count():,}"),
                ("Draft batches", f"{len(batches):,}"),
            )
        )

    def run(self, subject: Study, parameters: DuplicateStudyParameters, run: Run) -> Result:
        with transaction.atomic():
            try:
                with transaction.atomic():
                    copy = Study.objects.create(
                        name=parameters.name, description=subject.description
                    )
            except IntegrityError:
                raise name_is_taken(parameters.name) from None
            owner = getattr(run.actor.user, "pk", None)
            if owner is not None:
                Membership.objects.create(study=copy, user_id=owner, role=Role.OWNER)
            _copy_files(subject, copy)
            pools = _copy_pools(subject, copy)
            for batch in _published_or_draft(subject):
                _copy_batch(batch, copy, pools, run.actor.name)
            AuditEvent.objects.create(
                study=copy,
                actor=run.actor.name,
                action=AuditAction.STUDY_CREATED,
                detail={"name": copy.name, "duplicate of": subject.name},
            )
        return Result(
            {"name": copy.name, "number": copy.pk},
            f"{copy.name} is a copy of {subject.name}, without its votes.",
            made=copy,
        )


def _published_or_draft(study: Study) -> list[Batch]:
    """Return the batches for annotators; imported ones consist of votes only."""
    batches = study.batches.filter(archived_at=None).exclude(state=BatchState.IMPORTED)
    return list(batches.order_by("pk"))


def _copy_files(study: Study, copy: Study) -> None:
    files = list(study.files.filter(archived_at=None).order_by("pk"))
    for file in files:
        file.pk, file._state.adding, file.study = None, True, copy  # noqa: SLF001 - Django's way
    StudyFile.objects.bulk_create(files)


def _copy_pools(study: Study, copy: Study) -> dict[int, Pool]:
    """Copy the pools; return the copies by the number of the original."""
    copies = {}
    places = study.pools.filter(pool__archived_at=None).select_related("pool").order_by("pool__pk")
    for place in places:
        old = place.pool
        values = model_to_dict(old, ["of_pairs", "cutoff", "rank_cutoff", "magnitude"])
        new = Pool.objects.create(
            name=free_name(old.name, pool_name_is_free),
            inputs=old.inputs,
            summary=old.summary,
            **values,
        )
        _copy_queries(old, new)
        StudyPool.objects.create(study=copy, pool=new, documents=place.documents)
        copies[old.pk] = new
    _copy_samples(copies)
    return copies


def _copy_samples(copies: dict[int, Pool]) -> None:
    """Copy the terms of the drawn samples, those that others continue first."""
    samples: dict[int | None, DrawnSample] = {}
    for sample in DrawnSample.objects.filter(pool__in=copies, parent__in=copies).order_by("pk"):
        before, number = sample.continues_id, sample.pk
        if before is not None and before not in samples:
            continue  # its chances need queries that are missing
        sample.pk, sample._state.adding = None, True  # noqa: SLF001 - Django's way
        sample.pool, sample.parent = copies[sample.pool_id], copies[sample.parent_id]
        sample.continues = samples.get(before)
        sample.save()
        samples[number] = sample


def _copy_queries(old: Pool, new: Pool) -> None:
    queries = list(old.queries.prefetch_related("places"))
    stored = PooledQuery.objects.bulk_create(
        (
            PooledQuery(
                pool=new,
                qid=query.qid,
                text=query.text,
                passage=query.passage,
                best_rank=query.best_rank,
                biases=query.biases,
            )
            for query in queries
        ),
        batch_size=_ROWS_AT_ONCE,
    )
    ListPlace.objects.bulk_create(
        (
            ListPlace(
                query=row,
                run=place.run,
                direction=place.direction,
                rank=place.rank,
                bias=place.bias,
            )
            for row, query in zip(stored, queries, strict=True)
            for place in query.places.all()
        ),
        batch_size=_ROWS_AT_ONCE,
    )


def _copy_batch(batch: Batch, copy: Study, pools: dict[int, Pool], actor: str) -> None:
    """Make a draft with the same questions, and HITs of its own."""
    plan = BatchPlan(
        name=free_name(batch.name, new_among(Batch.objects)),
        queries=[
            PlannedQuery(query.qid, query.text, query.gold, query.passage)
            for query in batch.queries.all()
        ],
        conditions=WorkerConditions.from_json(batch.conditions),
        texts=page_texts(batch),
        comprehension=[PlannedQuery("", text, gold) for text, gold in batch.comprehension],
        comprehension_question=batch.comprehension_question,
        pool=pools.get(batch.pool_id or 0),
        most_bytes=most_bytes(settings.MTURK_ENVIRONMENT),
        **model_to_dict(batch, _TERMS),
    )
    if plan.budget is None and settings.MTURK_ENVIRONMENT == Environment.PRODUCTION:
        plan = replace(plan, budget=plan.cost)  # real money always has a limit
    rule = getattr(batch, "adaptive_policy", None)
    make_planned_batch(
        plan=plan,
        environment=settings.MTURK_ENVIRONMENT,
        actor=actor,
        study=copy,
        adaptive=AdaptiveParameters(
            question=rule.question,
            full_share=rule.full_share,
            most_votes=rule.most_votes,
            seed=rule.seed,
        )
        if rule
        else None,
    )


DUPLICATE_STUDY = DuplicateStudy()
