"""Make the draft of a study on Prolific."""

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import quote

from django.conf import settings
from rest_framework.serializers import ChoiceField, ListField

from annotation.batches.operations.channels import batch_channels, batch_reference
from annotation.batches.operations.inviting.panel import PANELS
from annotation.batches.operations.prolific.groups import (
    People,
    PeopleField,
    find_people,
    people_filters,
    people_offered,
)
from annotation.batches.operations.prolific.study import (
    DRAFT,
    check_is_same,
    claim,
    is_past_rehearsal,
    known_study,
    log_study,
    market_name,
    update_study_row,
)
from annotation.batches.operations.refresh import snapshot_after
from annotation.batches.queries.batches import batch_progress
from annotation.batches.queries.pay import minutes_for_hit
from annotation.batches.queries.task_builder import left_out_fact
from annotation.core.access import User
from annotation.core.consent import Estimate
from annotation.core.counting import counted
from annotation.core.money import holds_money
from annotation.core.operations import Operation, Result, Run
from annotation.core.parameters import parameter
from annotation.crowd.annotations import batch_annotation
from annotation.crowd.connection import batch_people
from annotation.crowd.people import Channel
from annotation.models import Batch, ProlificStudy, ProlificTasks, ProlificWorkspace
from annotation.prolific.calculator import Offer, check_costs, check_offer, in_units
from annotation.prolific.client import LIVE, Prolific
from annotation.prolific.filters import read_filters
from annotation.prolific.tokens import workspace_prolific
from annotation.prolific.wire import MarketStudy
from annotation.task_page.devices import DEVICES, devices_for
from annotation.vocabulary import Action, AuditAction, BatchState, Environment, Permit
from metrics.errors import InputError

_PANEL = PANELS["prolific"]
_KINDS = _COMPLETED, _NO_PLACE, _NO_CONSENT, _WITHDRAWAL = (
    "completed",
    "no place",
    "no consent",
    "withdrawal",
)
_MANUAL = [{"action": "MANUALLY_REVIEW"}]


@dataclass(frozen=True, kw_only=True)
class DraftStudyParameters:
    minutes: int = parameter(
        min_value=1,
        max_value=600,
        label="Minutes",
        help_text="The time that one participant needs.",
    )
    hits: int = parameter(
        1, min_value=1, max_value=1_000, label="HITs per participant", help_text="For one payment."
    )
    places: int = parameter(
        0,
        min_value=0,
        max_value=10_000,
        label="Places",
        help_text="Participants; 0: as many as the missing answers take.",
    )
    filters: str = parameter(
        "",
        max_length=4_000,
        allow_blank=True,
        label="Who may take part",
        help_text="One filter of Prolific's list per line, such as fluent-languages: English or "
        "approval_rate: 95..100. Empty: everybody there.",
        style={"rows": 3},
    )
    not_from: Sequence[str] = parameter(
        (),
        kind=PeopleField,
        max_length=100,
        label="Leave out",
        help_text="Participants of other batches, by the batch's name, or groups of the workspace.",
    )
    only_from: Sequence[str] = parameter(
        (),
        kind=PeopleField,
        max_length=100,
        label="Nobody but",
        help_text="Approved participants of these batches, or groups. None: everybody.",
    )
    devices: Sequence[str] = parameter(
        (),
        kind=ListField,
        child=ChoiceField(choices=DEVICES),
        label="Devices",
        help_text="None: all devices that the task page is meant for. Phones are left out if a "
        "question has to be answered by typing.",
    )


class DraftStudy(Operation[Batch, DraftStudyParameters]):
    """Make the draft of the batch's study on Prolific, which costs nothing and nobody sees.

    A draft that is there already, also after a lost answer, is found by its name: there is never a
    second one.
    """

    name = "draft study"
    path = "prolific/draft"
    example = {"minutes": 5}
    page = "draft-study"
    title = "Make a draft on Prolific"
    button = "Make the draft"
    subject = Batch
    parameters = DraftStudyParameters
    permission = Action.PUBLISH
    permit = Permit.RECRUIT
    calls_out = True
    states = (BatchState.PUBLISHING, BatchState.PUBLISHED)

    def initial(self, subject: Batch) -> dict[str, Any]:
        return {
            "minutes": minutes_for_hit(batch=subject),
            "devices": list(devices_for(subject.scheme)),
        }

    def choices(self, subject: Batch, user: User) -> Mapping[str, list[tuple[str, str]]]:
        workspace = site_workspace()
        offered = people_offered(
            batch=subject, workspace=workspace, prolific=workspace_prolific(workspace), user=user
        )
        # Where the Task Builder asks, the tasks say how many people do how much.
        fixed = ("hits", "places") if subject.uses_task_builder else ()
        return {"not_from": offered, "only_from": offered, **{name: [] for name in fixed}}

    def clean(self, subject: Batch, parameters: DraftStudyParameters) -> DraftStudyParameters:
        if subject.environment not in {Environment.LOCAL, Environment.PROLIFIC}:
            raise InputError("only batches on our own crowd service are recruited for on Prolific.")
        if subject.uses_task_builder:
            _check_tasks(subject, parameters)
        known = known_study(subject)
        if known is not None:
            return DraftStudyParameters(minutes=known.minutes, hits=known.hits, places=known.places)
        if both := [name for name in parameters.not_from if name in parameters.only_from]:
            raise InputError(f"{both[0]} is left out and let in at once.", remedy="Choose one.")
        needed = -(-batch_progress(batch=subject).n_to_come // parameters.hits)
        if subject.uses_task_builder and parameters.places not in {0, needed}:
            raise InputError(
                f"{needed} participants answer everything as often as asked.",
                remedy="Leave the places empty: Prolific shares out all tasks.",
            )
        if not needed:
            raise InputError(
                "no answer is missing.", remedy="Ask for more assignments, then recruit."
            )
        if parameters.places > needed:
            raise InputError(
                f"{needed} participants are enough for the answers that are missing.",
                remedy=f"Give at most {needed} places.",
            )
        devices = parameters.devices or devices_for(subject.scheme)
        filled = replace(parameters, places=parameters.places or needed, devices=devices)
        check_offer(_offer(subject, filled))
        return filled

    def estimate(self, subject: Batch, parameters: DraftStudyParameters) -> Estimate:
        workspace = site_workspace()
        prolific, offer = workspace_prolific(workspace), _offer(subject, parameters)
        theirs = prolific.cost(reward=offer.reward, places=offer.places)
        available, currency = prolific.balance(workspace.workspace_id)
        ours = offer.cost(settings.PROLIFIC_FEE_PERCENT)
        known = known_study(subject)
        devices = parameters.devices if known is None else known.devices
        filters = _chosen_filters(prolific, parameters) if known is None else known.filters
        filter_ids = [study_filter["filter_id"] for study_filter in filters]
        left_out, admitted = _people(subject, workspace, prolific, parameters)
        fee, name = settings.PROLIFIC_FEE_PERCENT, market_name(workspace)
        hourly, then = in_units(offer.per_hour), "to be agreed to when it is published"
        minutes, hits = counted(offer.minutes, "minute"), counted(parameters.hits, "HIT")
        pay = f"{in_units(offer.reward)} USD for {minutes}, {hourly} USD an hour"
        return Estimate(
            facts=(
                ("Market", name),
                ("Participants", f"{offer.places}, each for {hits}"),
                ("Filters", ", ".join(filter_ids) or "none"),
                *((("Left out", _labels(left_out)),) if left_out else ()),
                *((("Nobody but", _labels(admitted)),) if admitted else ()),
                ("Devices", ", ".join(devices)),
                ("Pay", pay),
                ("Cost by Prolific", f"{in_units(theirs)} USD, {then}"),
                ("Cost by our calculation", f"{in_units(ours)} USD, with a fee of {fee} %"),
                ("Available", f"{in_units(available)} {currency} in {workspace.title}"),
                *left_out_fact(batch=subject),
            )
        )

    def run(self, subject: Batch, parameters: DraftStudyParameters, run: Run) -> Result:
        row = _planned(subject, parameters)
        prolific = workspace_prolific(row.workspace)
        with claim(row, "draft_asked_at", f"making the draft of {subject.name}"):
            row.refresh_from_db()  # another process was quicker and has stored its id
            market_study = find_study(prolific, row)
            if market_study is None:
                # Without a project, the workspace chosen in the account would pay.
                project = prolific.project(row.workspace.workspace_id)
                market_study = prolific.create_study(_terms(subject, row) | {"project": project})
                log_study(
                    subject, run.actor.name, AuditAction.PROLIFIC_STUDY_DRAFTED,
                    study=market_study.study_id,
                )  # fmt: skip
            update_study_row(row, market_study)
        if market_study.status == DRAFT:
            check_is_same(row, market_study)
        return Result(
            {"study": market_study.study_id, "cost": str(in_units(row.total_cost))},
            f"The draft has {row.places} places for {in_units(row.total_cost)} USD.",
        )


DRAFT_STUDY = DraftStudy()


def site_workspace() -> ProlificWorkspace:
    """The workspace of this site that pays at the address in force."""
    workspace = ProlificWorkspace.objects.filter(
        address=settings.PROLIFIC_ADDRESS.rstrip("/")
    ).first()
    if workspace is None:
        raise InputError(
            "no workspace of Prolific is connected.", remedy="Store the token of one first."
        )
    return workspace


def find_study(prolific: Prolific, row: ProlificStudy) -> MarketStudy | None:
    """Return the row's study at Prolific, if it was ever made; refuse to choose between two."""
    if row.study_id:
        return prolific.study(row.study_id)
    named = prolific.named(row.internal_name)
    if len(named) > 1:
        raise InputError(
            f"Prolific has {len(named)} studies named {row.internal_name}.",
            remedy="Delete all but one of the drafts there; nothing was published.",
        )
    return named[0] if named else None


def _offer(batch: Batch, parameters: DraftStudyParameters) -> Offer:
    reward = int(batch.reward * 100) * parameters.hits
    return Offer(reward, parameters.minutes, parameters.places)


def _chosen_filters(prolific: Prolific, parameters: DraftStudyParameters) -> list[dict[str, Any]]:
    text = parameters.filters.strip()
    return read_filters(text, prolific.filters()) if text else []


def _people(
    batch: Batch,
    workspace: ProlificWorkspace,
    prolific: Prolific,
    parameters: DraftStudyParameters,
) -> tuple[list[People], list[People]]:
    """Return the groups of participants to exclude, and those to admit exclusively."""
    left_out, admitted = (
        find_people(names, batch=batch, workspace=workspace, prolific=prolific)
        for names in (parameters.not_from, parameters.only_from)
    )
    return left_out, admitted


def _labels(people: list[People]) -> str:
    return "; ".join(group.label for group in people)


def _filters(
    batch: Batch,
    workspace: ProlificWorkspace,
    prolific: Prolific,
    parameters: DraftStudyParameters,
) -> list[dict[str, Any]]:
    """Return the filters for Prolific, after creating the groups that they name."""
    written = _chosen_filters(prolific, parameters)
    left_out, admitted = _people(batch, workspace, prolific, parameters)
    if not (left_out or admitted):
        return written
    by_id = {study_filter["filter_id"]: study_filter for study_filter in written}
    for study_filter in people_filters(
        prolific, left_out=left_out, admitted=admitted, known=prolific.filters()
    ):
        values = by_id.get(study_filter["filter_id"], {}).get("selected_values", [])
        chosen = list(dict.fromkeys([*values, *study_filter["selected_values"]]))
        by_id[study_filter["filter_id"]] = {**study_filter, "selected_values": chosen}
    return list(by_id.values())


def _planned(batch: Batch, parameters: DraftStudyParameters) -> ProlificStudy:
    """Commit the row before the first call; return the existing one, if any."""
    known = known_study(batch)
    if known is not None:
        return known
    workspace, offer = site_workspace(), _offer(batch, parameters)
    prolific = workspace_prolific(workspace)
    theirs = prolific.cost(reward=offer.reward, places=offer.places)
    check_costs(ours=offer.cost(settings.PROLIFIC_FEE_PERCENT), theirs=theirs, places=offer.places)
    filters = _filters(batch, workspace, prolific, parameters)
    terms = {
        "workspace": workspace,
        "internal_name": f"fairpool-{batch.uid.hex}",
        "codes": {kind: f"C{secrets.token_hex(4).upper()}" for kind in _KINDS},
        "filters": filters,
        "devices": list(parameters.devices),
        "hits": parameters.hits,
        "minutes": offer.minutes,
        "reward": offer.reward,
        "places": offer.places,
        "total_cost": theirs,
    }
    return _plan(batch, terms)


@holds_money
def _plan(batch: Batch, terms: Mapping[str, Any]) -> ProlificStudy:
    """Store the row, replacing that of a finished rehearsal, for which nobody was paid."""
    row = ProlificStudy.objects.select_related("workspace").filter(batch=batch).first()
    if row is not None and is_past_rehearsal(row):
        row.bonus_sets.all().delete()
        row.delete()
    return ProlificStudy.objects.get_or_create(batch=batch, defaults=terms)[0]


def _channel(batch: Batch, row: ProlificStudy) -> Channel:
    """Return the panel address of the study, found by its code after a lost answer."""
    done, no_place, no_consent, withdrawal = (row.codes[kind] for kind in _KINDS)
    channel = next(
        (known for known in batch_channels(batch) if known.own.get("CompletionCode") == done), None
    )
    if channel is None:
        participant, study, session = _PANEL.parameters
        back = _PANEL.back
        if row.workspace.address != LIVE:
            back = f"{row.workspace.address}/submissions/complete?cc="
        channel = batch_people(batch).create_channel(
            "panel",
            reference=batch_reference(batch),
            hit_type_id=batch.hit_type_id,
            annotation=batch_annotation(batch.uid),
            Provider="prolific",
            ParticipantParameter=participant,
            StudyParameter=study,
            SessionParameter=session,
            TasksPerVisit=row.hits,
            CompletionCode=done,
            CompletionUrl=f"{back}{quote(done)}",
            ScreenOutCode=no_place,
            ScreenOutUrl=f"{back}{quote(no_place)}",
            NoConsentCode=no_consent,
            NoConsentUrl=f"{back}{quote(no_consent)}",
            WithdrawalCode=withdrawal,
            WithdrawalUrl=f"{back}{quote(withdrawal)}",
            KeysUrl=f"{row.workspace.address}/.well-known/study/jwks.json",
        )
        snapshot_after(batch)
    ProlificStudy.objects.filter(pk=row.pk).update(channel_id=channel.channel_id)
    return channel


def _check_tasks(batch: Batch, parameters: DraftStudyParameters) -> None:
    """Refuse a study of questions that Prolific has not got yet, or of several HITs at once."""
    if not ProlificTasks.objects.filter(batch=batch, is_ready=True).exists():
        raise InputError("Prolific does not have the questions yet.", remedy="Upload them first.")
    if parameters.hits > 1:
        raise InputError(
            "a participant does one HIT where Prolific asks the questions.",
            remedy="Make a batch with more on each HIT.",
        )


def _terms(batch: Batch, row: ProlificStudy) -> dict[str, Any]:
    """Return the terms of the study. Codes never approve or pay automatically."""
    questions = _builder_terms(batch, row) if batch.uses_task_builder else _site_terms(batch, row)
    return {
        "name": batch.title,
        "internal_name": row.internal_name,
        "metadata": row.internal_name,
        "description": batch.description or batch.title,
        **questions,
        "total_available_places": row.places,
        "estimated_completion_time": row.minutes,
        "reward": row.reward,
        "naivety_distribution_rate": 0,
        "submissions_config": {"max_submissions_per_participant": 1},
        "device_compatibility": row.devices,
        "study_labels": ["annotation"],
        **({"filters": row.filters} if row.filters else {}),
    }


def _builder_terms(batch: Batch, row: ProlificStudy) -> dict[str, Any]:
    """The terms of a study whose questions the Task Builder asks."""
    return {
        "prolific_id_option": "not_required",
        "completion_codes": [
            {"code": row.codes[_COMPLETED], "code_type": "COMPLETED", "actions": _MANUAL}
        ],
        "data_collection_method": "AI_TASK_BUILDER_BATCH",
        "data_collection_id": ProlificTasks.objects.get(batch=batch).tasks_id,
        "data_collection_metadata": {"annotators_per_task": batch.assignments_per_hit},
    }


def _site_terms(batch: Batch, row: ProlificStudy) -> dict[str, Any]:
    """The terms of a study that leads to the panel address of the batch."""
    channel = _channel(batch, row)
    no_consent, withdrawal = (
        [{"action": "REQUEST_RETURN", "return_reason": reason}]
        for reason in ("You did not agree to take part.", "You withdrew from the study.")
    )
    return {
        "external_study_url": f"{channel.url}{_PANEL.pasted}",
        "is_external_study_url_secure": True,
        "prolific_id_option": "url_parameters",
        "completion_codes": [
            {"code": row.codes[_COMPLETED], "code_type": "COMPLETED", "actions": _MANUAL},
            {"code": row.codes[_NO_PLACE], "code_type": "SCREENED_OUT", "actions": _MANUAL},
            {"code": row.codes[_NO_CONSENT], "code_type": "NO_CONSENT", "actions": no_consent},
            # Prolific has no type of its own for it.
            {"code": row.codes[_WITHDRAWAL], "code_type": "OTHER", "actions": withdrawal},
        ],
    }
