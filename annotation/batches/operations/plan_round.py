"""Plan the next round of a batch that asks adaptively, without publishing it."""

from annotation.batches.operations.adaptive_policy import plan_adaptive_round
from annotation.core.counting import counted
from annotation.core.operations import Operation, Result, Run
from annotation.core.parameters import NoParameters
from annotation.models import Batch
from annotation.vocabulary import Action, BatchState


class PlanRound(Operation[Batch, NoParameters]):
    """Plan the HITs of the next round, from which earlier voters are excluded.

    It spends nothing: publishing the batch publishes them, and asks for consent. *Adaptive round*
    collects, plans and publishes at once.
    """

    name = "plan round"
    title = "Plan the next round"
    subject = Batch
    parameters = NoParameters
    permission = Action.PUBLISH
    states = (BatchState.PUBLISHING, BatchState.PUBLISHED)

    def run(self, subject: Batch, parameters: NoParameters, run: Run) -> Result:
        planned = plan_adaptive_round(batch=subject, actor=run.actor.name)
        return Result(
            planned.as_dict(),
            f"{counted(planned.hits, 'HIT')} planned for "
            f"{counted(planned.queries, subject.scheme.item_noun)}; "
            f"{counted(planned.kept_out, 'voter')} excluded.",
        )


PLAN_ROUND = PlanRound()
