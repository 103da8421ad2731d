"""The next action on a batch, to which its pages lead; the first page says why."""

from collections.abc import Collection
from dataclasses import dataclass
from enum import StrEnum

from annotation.batches.queries.batches import BatchProgress
from annotation.labels.queries.deciding import method_choices
from annotation.labels.queries.exporting import LabelsOverview, labels_overview
from annotation.labels.queries.questions import subset_question
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
    DECIDE_LABELS = "decide"
    ADJUDICATE = "ties"
    USE_LABELS = "use"
    NOTHING = ""


@dataclass(frozen=True)
class NextAction:
    """The next step and, once the votes are complete, the labels of the subset's question.

    `methods` decide that question, by name and label, the usual one first. `may_ask_model` says of
    a batch of drawn queries, which waits for people, that no model labels its pool yet.
    """

    step: NextStep
    labels: LabelsOverview | None = None
    question: str = ""
    methods: tuple[tuple[str, str], ...] = ()
    may_ask_model: bool = False


def next_action(*, batch: Batch, progress: BatchProgress, may: Collection[str]) -> NextAction:
    """Return the step for which the batch waits from a person with the permissions `may`.

    Nothing while answers come in by themselves.
    """
    if Action.MANAGE not in may:
        return NextAction(NextStep.NOTHING)
    if progress.state in (BatchState.DRAFT, BatchState.PUBLISHING):
        return NextAction(NextStep.PUBLISH if Action.PUBLISH in may else NextStep.NOTHING)
    if progress.is_awaited:
        if progress.recruits_on_prolific:
            return NextAction(NextStep.WAIT_FOR_PROLIFIC)
        is_ours = progress.environment == Environment.LOCAL
        return NextAction(
            NextStep.INVITE if is_ours else NextStep.NOTHING,
            may_ask_model=Action.PUBLISH in may and _lacks_model(batch),
        )
    question = subset_question(batch=batch)
    labels = labels_overview(batch=batch, question=question)
    return NextAction(
        _of_complete(progress, labels, may),
        labels,
        question.name,
        method_choices(question, batch.scheme.item_noun),
    )


def _lacks_model(batch: Batch) -> bool:
    """Return whether the batch's queries were drawn, and no model answers its question yet."""
    if not DrawnSample.objects.filter(pool=batch.pool_id).exists():
        return False
    question = subset_question(batch=batch)
    can_answer = question.is_nominal or bool(question.grades)
    return can_answer and not raters_for(study=batch.study, question=question).exists()


def _of_complete(
    progress: BatchProgress, labels: LabelsOverview | None, may: Collection[str]
) -> NextStep:
    """Return the next step of a batch without answers to come."""
    if progress.votes[VoteState.UNVERIFIED]:
        if progress.recruits_on_prolific:
            return NextStep.APPROVE_ON_PROLIFIC
        return NextStep.IMPORT_LIST
    if labels is None:
        return NextStep.DECIDE_LABELS if progress.n_votes else NextStep.NOTHING
    if labels.n_ties and Action.ADJUDICATE in may:
        return NextStep.ADJUDICATE
    return NextStep.USE_LABELS
