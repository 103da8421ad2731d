"""Choose where a draft runs: on the crowd of this site, or at Prolific without this site."""

from dataclasses import dataclass

from django.conf import settings

from annotation.batches.queries.task_builder import batch_tasks
from annotation.core.counting import counted
from annotation.core.operations import Operation, Result, Run
from annotation.core.parameters import parameter
from annotation.models import AuditEvent, Batch
from annotation.vocabulary import Action, AuditAction, BatchState, Environment
from metrics.errors import InputError

SERVICE, PROLIFIC_HERE, PROLIFIC_ALONE, MTURK = "service", "prolific-here", "prolific", "mturk"
#: Where people answer, by its name in forms.
CROWDS = (
    (SERVICE, "This site's crowd service"),
    (PROLIFIC_HERE, "Prolific, with this site"),
    (PROLIFIC_ALONE, "Prolific, without this site"),
    (MTURK, "Mechanical Turk's protocol"),
)
ABOUT_CROWDS = (
    "On this site, people come by a link, an account or a panel. Prolific's participants come "
    "too, if they can reach the site. Without the site, Prolific's Task Builder asks the "
    "questions."
)


@dataclass(frozen=True, kw_only=True)
class ChooseCrowdParameters:
    crowd: str = parameter(choices=list(CROWDS), label="Where it runs", help_text=ABOUT_CROWDS)


class ChooseCrowd(Operation[Batch, ChooseCrowdParameters]):
    """Choose where people answer a draft.

    Whether this site's own service or Mechanical Turk is called is a setting of the site. The Task
    Builder asks the questions itself; what it cannot ask is refused before anything is made.
    """

    name = "choose crowd"
    path = "crowd"
    example = {"crowd": PROLIFIC_ALONE}
    title = button = "Choose where it runs"
    subject = Batch
    parameters = ChooseCrowdParameters
    permission = Action.PUBLISH
    states = (BatchState.DRAFT,)

    def run(self, subject: Batch, parameters: ChooseCrowdParameters, run: Run) -> Result:
        chosen, message = _chosen(subject, parameters.crowd)
        changed = Batch.objects.filter(pk=subject.pk, state=BatchState.DRAFT).exclude(
            environment=chosen
        )
        if changed.update(environment=chosen):
            AuditEvent.objects.create(
                batch=subject, actor=run.actor.name, action=AuditAction.CROWD_CHOSEN,
                detail={"crowd": chosen},
            )  # fmt: skip
        return Result({"crowd": chosen}, message)


CHOOSE_CROWD = ChooseCrowd()


def _chosen(batch: Batch, crowd: str) -> tuple[str, str]:
    """The environment, and what it means for this batch."""
    if crowd == PROLIFIC_ALONE:
        tasks = batch_tasks(batch=batch)
        n_tasks, n_groups = counted(len(tasks.rows), "task"), counted(tasks.n_groups, "group")
        words = f"Prolific asks the questions of {n_tasks} in {n_groups}, one for each HIT."
        return Environment.PROLIFIC, " ".join([words, *tasks.left_out])
    ours, is_local = settings.MTURK_ENVIRONMENT, settings.MTURK_ENVIRONMENT == Environment.LOCAL
    if is_local == (crowd == MTURK):
        other = "sandbox" if is_local else "local"
        raise InputError(
            f"this site calls the environment {ours}.",
            remedy=f"Whoever runs it sets MTURK_ENVIRONMENT={other}.",
        )
    if crowd == PROLIFIC_HERE:
        return ours, "The batch runs on this site. Once it is published, recruit on Prolific."
    return ours, "The batch runs on the crowd of this site."
