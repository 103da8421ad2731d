"""Add places to a study on Prolific."""

from dataclasses import dataclass

from django.conf import settings
from django.db import transaction

from annotation.batches.operations.prolific.moving import pause_if_stopped
from annotation.batches.operations.prolific.study import (
    DRAFT,
    check_balance,
    claim,
    fees_of,
    hold_fees,
    log_study,
    study_at_prolific,
    study_row,
    update_study_row,
)
from annotation.core.consent import Charge, Estimate
from annotation.core.operations import Operation, Result, Run
from annotation.core.parameters import parameter
from annotation.core.versions import State
from annotation.models import Batch
from annotation.prolific.calculator import Offer, check_costs, in_units
from annotation.prolific.client import RefusedError
from annotation.prolific.tokens import workspace_prolific
from annotation.vocabulary import Action, AuditAction, BatchState, Permit
from metrics.errors import InputError


@dataclass(frozen=True, kw_only=True)
class AddPlacesParameters:
    places: int = parameter(
        min_value=1,
        max_value=10_000,
        label="More places",
        help_text="In addition to the present places.",
    )


class AddPlaces(Operation[Batch, AddPlacesParameters]):
    """Add places to the study, for which Prolific charges the workspace at once.

    After a lost answer, reading the study shows whether it has them.
    """

    name = "add places"
    path = "prolific/places"
    example = {"places": 3}
    page = "add-places"
    title = "Add places on Prolific"
    button = "Add the places"
    subject = Batch
    parameters = AddPlacesParameters
    permission = Action.PUBLISH
    permit = Permit.RECRUIT
    calls_out = True
    states = (BatchState.PUBLISHING, BatchState.PUBLISHED)
    spends = True

    def is_real(self, subject: Batch) -> bool:
        return True

    def seen(self, subject: Batch, parameters: AddPlacesParameters) -> State:
        return {"Places": str(study_row(subject).places)}

    def estimate(self, subject: Batch, parameters: AddPlacesParameters) -> Estimate:
        row = study_row(subject)
        if subject.uses_task_builder:
            raise InputError(
                "every task has its place already, and a place that is given back becomes free "
                "again.",
                remedy="Make another batch for further answers.",
            )
        if row.status in {"", DRAFT}:
            raise InputError("the study is not published.", remedy="Publish it first.")
        offer = Offer(row.reward, row.minutes, row.places + parameters.places)
        prolific = workspace_prolific(row.workspace)
        total = prolific.cost(reward=offer.reward, places=offer.places)
        ours = offer.cost(settings.PROLIFIC_FEE_PERCENT)
        check_costs(ours=ours, theirs=total, places=offer.places)
        fees = fees_of(subject, total=total, places=offer.places, hits=row.hits)
        cost = in_units(total - row.total_cost)
        return Estimate(
            n_answers=parameters.places * row.hits,
            charges=(Charge(cost, in_units(0), (f"{row.internal_name}:{offer.places}",)),),
            committed=cost - in_units(max(0, fees - row.fees_committed)),
            facts=(
                ("Places now", f"{row.places} for {in_units(row.total_cost)} USD"),
                ("Places then", f"{offer.places} for {in_units(total)} USD"),
            ),
        )

    def run(self, subject: Batch, parameters: AddPlacesParameters, run: Run) -> Result:
        with claim(study_row(subject), "changing_since", "changing the study"):
            done = self._add(subject, parameters, run)
        pause_if_stopped(subject, run.actor.name)
        return done

    def _add(self, subject: Batch, parameters: AddPlacesParameters, run: Run) -> Result:
        agreed = study_row(subject).places
        row, prolific, market_study = study_at_prolific(subject, is_mine=True)
        if row.places != agreed:
            raise InputError(
                f"Prolific has {row.places} places, not {agreed}: nothing was added.",
                remedy="Look at the places again.",
            )
        if run.consent is not None:  # somebody may have added places since
            run.consent.check(self.estimate(subject, parameters))
        places = agreed + parameters.places
        total = prolific.cost(reward=row.reward, places=places)
        check_balance(prolific, row.workspace, total - row.total_cost)
        with transaction.atomic():
            hold_fees(subject, row, fees_of(subject, total=total, places=places, hits=row.hits))
            log_study(
                subject, run.actor.name, AuditAction.PROLIFIC_PLACES_ADDED,
                places=places, cents=total,
            )  # fmt: skip
        try:
            market_study = prolific.change_study(
                market_study.study_id, total_available_places=places
            )
        except RefusedError:
            market_study = prolific.study(market_study.study_id)
            if market_study.places == agreed:
                held = fees_of(subject, total=row.total_cost, places=agreed, hits=row.hits)
                hold_fees(subject, row, held)
                raise
        update_study_row(row, market_study, is_mine=True)
        return Result({"places": row.places}, f"The study has {row.places} places now.")


ADD_PLACES = AddPlaces()
