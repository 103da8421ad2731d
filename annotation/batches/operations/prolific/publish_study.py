"""Publish a study on Prolific."""

from annotation.batches.operations.prolific.draft import find_study
from annotation.batches.operations.prolific.groups import fill_groups
from annotation.batches.operations.prolific.moving import pause_if_stopped
from annotation.batches.operations.prolific.study import (
    DRAFT,
    check_balance,
    check_is_same,
    claim,
    fees_of,
    hold_fees,
    log_study,
    market_name,
    study_at_prolific,
    study_row,
    update_study_row,
)
from annotation.batches.queries.task_builder import left_out_fact
from annotation.core.consent import Charge, Estimate
from annotation.core.operations import Operation, Result, Run
from annotation.core.parameters import NoParameters
from annotation.models import Batch, ProlificStudy
from annotation.prolific.calculator import in_units
from annotation.prolific.client import RefusedError
from annotation.prolific.tokens import workspace_prolific
from annotation.vocabulary import Action, AuditAction, BatchState, Permit


class PublishStudy(Operation[Batch, NoParameters]):
    """Publish the draft: people see the study, and Prolific charges the workspace.

    Before that, the budgets reserve the fees. After a lost answer, publishing again first reads
    what became of it.
    """

    name = "publish study"
    path = "prolific/publish"
    page = "publish-study"
    title = "Publish on Prolific"
    button = "Publish on Prolific"
    subject = Batch
    parameters = NoParameters
    permission = Action.PUBLISH
    permit = Permit.RECRUIT
    calls_out = True
    states = (BatchState.PUBLISHING, BatchState.PUBLISHED)
    spends = True

    def is_real(self, subject: Batch) -> bool:
        return True

    def estimate(self, subject: Batch, parameters: NoParameters) -> Estimate:
        row = study_row(subject)
        if row.status not in {"", DRAFT}:
            return Estimate(nothing="It was published before.")
        fees = fees_of(subject, total=row.total_cost, places=row.places, hits=row.hits)
        total = in_units(row.total_cost)
        return Estimate(
            n_answers=row.places * row.hits,
            charges=(Charge(total, in_units(0), (row.internal_name,)),),
            committed=total - in_units(max(0, fees - row.fees_committed)),
            facts=(
                ("Market", market_name(row.workspace)),
                ("Places", f"{row.places} at {in_units(row.reward)} USD each"),
                *left_out_fact(batch=subject),
            ),
        )

    def run(self, subject: Batch, parameters: NoParameters, run: Run) -> Result:
        with claim(study_row(subject), "changing_since", "changing the study"):
            self._publish(subject, run)
        pause_if_stopped(subject, run.actor.name)
        status = study_row(subject).status
        return Result({"status": status}, f"The study is {status.lower()} on Prolific.")

    def _publish(self, subject: Batch, run: Run) -> None:
        row, prolific, market_study = study_at_prolific(subject, is_mine=True)
        if market_study.status == DRAFT:
            check_is_same(row, market_study)
            # A lost answer may have left two drafts, of which one would be the wrong one to pay
            # for.
            find_study(prolific, ProlificStudy(internal_name=row.internal_name))
            check_balance(prolific, row.workspace, row.total_cost)
            fill_groups(prolific, row)
            fees = fees_of(subject, total=row.total_cost, places=row.places, hits=row.hits)
            hold_fees(subject, row, fees)
            _publish(subject, row, run)


PUBLISH_STUDY = PublishStudy()


def _publish(batch: Batch, row: ProlificStudy, run: Run) -> None:
    prolific = workspace_prolific(row.workspace)
    log_study(
        batch, run.actor.name, AuditAction.PROLIFIC_STUDY_PUBLISHED,
        study=str(row.study_id), cents=row.total_cost, places=row.places,
    )  # fmt: skip
    try:
        update_study_row(row, prolific.move_study(str(row.study_id), "PUBLISH"), is_mine=True)
    except RefusedError:
        # Refused, or done by an earlier request whose answer was lost: reading tells which.
        market_study = prolific.study(str(row.study_id))
        update_study_row(row, market_study, is_mine=True)
        if market_study.status != DRAFT:
            return
        hold_fees(batch, row, 0)
        raise
