"""Pay a bonus for one answer."""

from annotation.batches.operations.bonus import BonusParameters, bonus_pay
from annotation.core.consent import Charge, Estimate
from annotation.core.operations import PUBLIC_STATES, Operation, Result, Run
from annotation.crowd.pricing import fee
from annotation.models import Assignment, Bonus
from annotation.vocabulary import Action, AssignmentState, TaskKind


class AnswerBonus(Operation[Assignment, BonusParameters]):
    """Pay a bonus for an answer; exactly the same bonus is paid once."""

    name = "answer bonus"
    spends = True
    path = "bonus"
    example = {"amount": "0.50", "reason": "It took longer than we had said."}
    title = "Pay a bonus"
    queued = "Paying the bonus."
    subject = Assignment
    parameters = BonusParameters
    permission = Action.PAY
    states = PUBLIC_STATES
    job = TaskKind.ANSWER_BONUS
    is_divisible = True

    def estimate(self, subject: Assignment, parameters: BonusParameters) -> Estimate:
        """Estimate the bonus, which amount and reason identify."""
        if subject.state == AssignmentState.REJECTED:
            return Estimate(nothing="A rejected answer gets no bonus; restore it first.")
        same = Bonus.objects.filter(
            assignment=subject, amount=parameters.amount, reason=parameters.reason
        ).first()
        if same is not None and same.paid_at is not None:
            return Estimate(nothing="Exactly this bonus was paid before.")
        charge = Charge(parameters.amount, fee(parameters.amount), (subject.pk,))
        return Estimate(
            n_answers=1, charges=(charge,), committed=charge.cost if same else Estimate.committed
        )

    def run(self, subject: Assignment, parameters: BonusParameters, run: Run) -> Result:
        amount, reason = parameters.amount, parameters.reason
        paid = bonus_pay(assignment=subject, amount=amount, reason=reason, actor=run.actor.name)
        values = {"assignment": subject.assignment_id, "amount": str(amount), "paid_now": paid}
        done = "paid" if paid else "was paid before"
        return Result(values, f"{subject.assignment_id}: bonus of {amount} USD {done}.")


ANSWER_BONUS = AnswerBonus()
