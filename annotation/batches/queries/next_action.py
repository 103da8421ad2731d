"""The next action on a batch, to which its pages lead; the first page says why."""

from collections.abc import Collection
from dataclasses import dataclass
from enum import StrEnum

from annotation.batches.queries.adaptive import n_to_ask
from annotation.batches.queries.batches import BatchProgress
from annotation.labels.queries.deciding import method_choices
from annotation.labels.queries.exporting import LabelsOverview, labels_overview
from annotation.labels.queries.raters import raters_for
from annotation.models import Batch, DrawnSample
from annotation.vocabulary import Action, BatchState, Environment, VoteState


class NextStep(StrEnum):
    """The next thing to do with a batch."""

    PUBLISH = "publish"
    INVITE = "invite"
    WAIT_FOR_PROLIFIC = "prolific"
    APPROVE_ON_PROLIFIC = "approve"
    IMPORT_LIST = "list"
    ASK_FURTHER = "round"
    ASK_AGAIN = "missing"
    DECIDE_LABELS = "decide"
    ADJUDICATE = "ties"
    USE_LABELS = "use"
    NOTHING = ""


@dataclass(frozen=True)
class NextAction:
    """The next step and, once the votes are complete, the labels of the subset's question.

    `question` and `title` name that question, `methods` decide it, by name and label, the usual one
    first. `may_ask_model` says of a batch of drawn queries, which waits for people, that no model
    labels its pool yet. `n_to_ask` queries are those of the next round.
    """

    step: NextStep
    labels: LabelsOverview | None = None
    n_to_ask: int = 0
    question: str = ""
    title: str = ""
    methods: tuple[tuple[str, str], ...] = ()
    may_ask_model: bool = False


def due_step(progress: BatchProgress, *, is_decided: bool, n_ties: int, n_to_ask: int) -> NextStep:
    """Return the step for which a batch waits from whoever may take it.

    Nothing while answers come in by themselves. `is_decided` and `n_ties` are about the question
    that makes the subset, `n_to_ask` about the next round of a batch that asks adaptively.
    """
    if progress.state in (BatchState.DRAFT, BatchState.PUBLISHING):
        return NextStep.PUBLISH
    on_prolific = progress.recruits_on_prolific or progress.environment == Environment.PROLIFIC
    if progress.is_awaited and not on_prolific:
        is_ours = progress.environment == Environment.LOCAL
        return NextStep.INVITE if is_ours else NextStep.NOTHING
    if progress.is_awaited:
        return NextStep.WAIT_FOR_PROLIFIC
    if progress.votes[VoteState.UNVERIFIED]:
        return NextStep.APPROVE_ON_PROLIFIC if on_prolific else NextStep.IMPORT_LIST
    if n_to_ask:
        return NextStep.ASK_FURTHER
    return _about_labels(progress, is_decided=is_decided, n_ties=n_ties)


def _about_labels(progress: BatchProgress, *, is_decided: bool, n_ties: int) -> NextStep:
    if is_decided:
        return NextStep.ADJUDICATE if n_ties else NextStep.USE_LABELS
    can_ask = progress.environment != Environment.PROLIFIC  # its tasks have all their places
    if progress.n_missing and progress.state == BatchState.PUBLISHED and can_ask:
        return NextStep.ASK_AGAIN
    return NextStep.DECIDE_LABELS if progress.n_votes else NextStep.NOTHING


def next_action(*, batch: Batch, progress: BatchProgress, may: Collection[str]) -> NextAction:
    """Return the step for which the batch waits from a person with the permissions `may`."""
    is_archived = batch.archived_at or (batch.study and batch.study.archived_at)
    if Action.MANAGE not in may or is_archived:
        return NextAction(NextStep.NOTHING)
    question = batch.scheme.subset_question
    labels = labels_overview(batch=batch, question=question)
    may_publish = Action.PUBLISH in may
    n_further = n_to_ask([progress]).get(batch.pk, 0) if may_publish else 0
    n_ties = labels.n_ties if labels else 0
    step = due_step(progress, is_decided=bool(labels), n_ties=n_ties, n_to_ask=n_further)
    if step == NextStep.PUBLISH and not may_publish:
        step = NextStep.NOTHING
    if step == NextStep.ASK_AGAIN and not may_publish:
        step = NextStep.DECIDE_LABELS if progress.n_votes else NextStep.NOTHING
    if step == NextStep.ADJUDICATE and Action.ADJUDICATE not in may:
        step = NextStep.USE_LABELS
    return NextAction(
        step,
        labels,
        n_further,
        question.name,
        question.title,
        method_choices(question, batch.scheme.item_noun),
        may_ask_model=may_publish and step == NextStep.INVITE and _lacks_model(batch),
    )


def _lacks_model(batch: Batch) -> bool:
    """Return whether the batch's queries were drawn, and no model answers its question yet."""
    if not DrawnSample.objects.filter(pool=batch.pool_id).exists():
        return False
    question = batch.scheme.subset_question
    can_answer = question.is_nominal or bool(question.grades)
    return can_answer and not raters_for(study=batch.study, question=question).exists()
