"""Change the budget of a batch."""

from dataclasses import dataclass
from decimal import Decimal

from annotation.core.consent import Estimate
from annotation.core.money import set_budget
from annotation.core.operations import PUBLIC_STATES, Operation, Result, Run
from annotation.core.parameters import CENT, USD, parameter
from annotation.core.versions import State
from annotation.models import Batch
from annotation.vocabulary import Action, BatchState


@dataclass(frozen=True, kw_only=True)
class BudgetParameters:
    budget: Decimal = parameter(
        **USD,
        min_value=CENT,
        label="New budget, in USD",
        help_text="Fees included. Publishing and bonuses stop there.",
    )


def budget_state(batch: Batch) -> State:
    """Budget of a batch, in words."""
    return {"Budget": "no limit" if batch.budget is None else f"{batch.budget} USD"}


class ChangeBudget(Operation[Batch, BudgetParameters]):
    """Change the total that the batch may cost. It cannot fall below what is committed."""

    name = "budget"
    example = {"budget": "50.00"}
    page = "budget"
    title = "Change the budget"
    button = "Change the budget"
    subject = Batch
    parameters = BudgetParameters
    permission = Action.PUBLISH
    states = (BatchState.DRAFT, *PUBLIC_STATES)

    def initial(self, subject: Batch) -> dict[str, Decimal]:
        return {"budget": subject.budget} if subject.budget else {}

    def seen(self, subject: Batch, parameters: BudgetParameters) -> State:
        return budget_state(subject)

    def estimate(self, subject: Batch, parameters: BudgetParameters) -> Estimate:
        before = "none: no limit" if subject.budget is None else f"{subject.budget} USD"
        return Estimate(
            facts=(
                ("Budget now", before),
                ("Committed", f"{subject.committed} USD"),
                ("Budget from now on", f"{parameters.budget} USD"),
            ),
            nothing="" if parameters.budget != subject.budget else "That is the budget already.",
        )

    def run(self, subject: Batch, parameters: BudgetParameters, run: Run) -> Result:
        set_budget(subject, budget=parameters.budget, actor=run.actor.name)
        values = {"budget": str(parameters.budget)}
        return Result(values, f"The budget is {parameters.budget} USD now.")


BUDGET = ChangeBudget()
