"""People whom a study excludes or exclusively admits: other batches' participants, and groups.

The participants of a batch are a group at Prolific with the name of its study, by which it is found
after a lost answer, so that it is made once.
"""

import difflib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import QuerySet
from rest_framework import serializers

from annotation.batches.operations.prolific.study import DRAFT, claim
from annotation.core.access import User, batches_open_to
from annotation.models import Batch, ProlificStudy, ProlificWorkspace
from annotation.prolific.client import Prolific
from annotation.prolific.statuses import PAID
from annotation.prolific.wire import MarketGroup
from annotation.vocabulary import Action
from metrics.errors import InputError

#: Prolific's filters of participants by group.
ADMITTED, LEFT_OUT = "participant_group_allowlist", "participant_group_blocklist"
#: Suffix of the group of approved participants; the group of all who came has none.
_APPROVED = "-approved"


class PeopleField(serializers.ListField):
    """Names of batches and of groups. Members cannot name batches of other studies."""

    child = serializers.CharField(max_length=200)

    def to_internal_value(self, data: Any) -> list[str]:
        names: list[str] = super().to_internal_value(data)
        user = self.context.get("user")
        if user is not None:
            mine = batches_open_to(user=user, action=Action.MANAGE)
            if hidden := Batch.objects.filter(name__in=names).exclude(pk__in=mine).first():
                raise serializers.ValidationError(f"There is no batch {hidden.name!r}.")
        return list(dict.fromkeys(names))


@dataclass(frozen=True)
class People:
    """The participants of the study of another batch, or a group that somebody made at Prolific."""

    label: str
    study: ProlificStudy | None
    group_id: str


def people_offered(
    *, batch: Batch, workspace: ProlificWorkspace, prolific: Prolific, user: User
) -> list[tuple[str, str]]:
    """Names or ids with labels: batches that `user` manages, and groups of the workspace."""
    mine = batches_open_to(user=user, action=Action.MANAGE)
    names = _studies(batch, workspace).filter(batch__in=mine).values_list("batch__name", flat=True)
    ours = set(ProlificStudy.objects.values_list("internal_name", flat=True))
    groups = [
        (
            group.group_id,
            f"Group {group.name}, {group.n_people} {'person' if group.n_people == 1 else 'people'}",
        )
        for group in prolific.groups(workspace.workspace_id)
        if group.name.removesuffix(_APPROVED) not in ours
    ]
    return [*((name, f"Participants of {name}") for name in names), *groups]


def find_people(
    names: Sequence[str], *, batch: Batch, workspace: ProlificWorkspace, prolific: Prolific
) -> list[People]:
    """Return the people whom the names mean, without changing anything; or `InputError`."""
    if not names:
        return []
    studies = {study.batch.name: study for study in _studies(batch, workspace)}
    groups = prolific.groups(workspace.workspace_id)
    return [
        People(f"participants of {name}", studies[name], "")
        if name in studies
        else _group_named(name, groups, tuple(studies))
        for name in names
    ]


def people_filters(
    prolific: Prolific,
    *,
    left_out: Sequence[People],
    admitted: Sequence[People],
    known: Sequence[dict[str, Any]],
) -> list[dict[str, Any]]:
    """Return Prolific's filters for them, once each group exists with its current participants."""
    filters = []
    for filter_id, people in ((LEFT_OUT, left_out), (ADMITTED, admitted)):
        if not people:
            continue
        if all(study_filter.get("filter_id") != filter_id for study_filter in known):
            raise InputError(
                f"Prolific's list has no filter {filter_id}: nothing was drafted.",
                remedy="Make the study's group of participants at Prolific by hand.",
            )
        ids = [
            group.group_id
            if group.study is None
            else _filled(prolific, group.study, is_admitted=filter_id == ADMITTED)
            for group in people
        ]
        filters.append({"filter_id": filter_id, "selected_values": ids})
    return filters


def fill_groups(prolific: Prolific, row: ProlificStudy) -> None:
    """Add the people who came to the other batches since the draft; repeating is not an error."""
    chosen = {
        (study_filter["filter_id"], group)
        for study_filter in row.filters
        if study_filter["filter_id"] in {LEFT_OUT, ADMITTED}
        for group in study_filter["selected_values"]
    }
    if not chosen:
        return
    names = {group.group_id: group.name for group in prolific.groups(row.workspace.workspace_id)}
    for filter_id, group in sorted(chosen):
        name = names.get(group, "").removesuffix(_APPROVED)
        study = ProlificStudy.objects.filter(internal_name=name).exclude(study_id=None).first()
        if study is not None:
            _add(prolific, group, study, is_admitted=filter_id == ADMITTED)


def _studies(batch: Batch, workspace: ProlificWorkspace) -> QuerySet[ProlificStudy]:
    """Studies of other batches in the same workspace that people may have come to."""
    studies = ProlificStudy.objects.filter(workspace=workspace).exclude(batch=batch)
    return studies.exclude(study_id=None).exclude(status__in=("", DRAFT)).select_related("batch")


def _group_named(name: str, groups: Sequence[MarketGroup], batches: Sequence[str]) -> People:
    matching = [group for group in groups if name in {group.group_id, group.name}]
    if len(matching) == 1:
        return People(f"group {matching[0].name}", None, matching[0].group_id)
    if matching:
        raise InputError(
            f"Prolific has {len(matching)} groups named {name!r}.",
            remedy=f"Give the id of one: {', '.join(group.group_id for group in matching)}.",
        )
    words = [*batches, *(group.name for group in groups)]
    near = ", ".join(difflib.get_close_matches(name, words, n=3, cutoff=0.3))
    raise InputError(
        f"neither a batch that recruited in this workspace nor a group there is named {name!r}.",
        remedy=f"Near it are: {near}." if near else "Publish that batch's study first.",
    )


def _filled(prolific: Prolific, study: ProlificStudy, *, is_admitted: bool) -> str:
    """Find the group of the study's participants by its name, or make it; return its id."""
    name = study.internal_name + (_APPROVED if is_admitted else "")
    workspace = study.workspace.workspace_id
    what = f"the group of the participants of {study.batch.name}"
    with claim(study, "group_asked_at", f"making {what}"):
        matching = [group for group in prolific.groups(workspace) if group.name == name]
        if len(matching) > 1:
            raise InputError(
                f"Prolific has {len(matching)} groups named {name}.",
                remedy="Delete all but one of them there; nothing was drafted.",
            )
        group = matching[0] if matching else prolific.create_group(workspace, name)
    if not _add(prolific, group.group_id, study, is_admitted=is_admitted) and is_admitted:
        raise InputError(
            f"no participant of {study.batch.name} is approved yet, so nobody could take part.",
            remedy="Approve them on Prolific first, then make the draft.",
        )
    return group.group_id


def _add(prolific: Prolific, group: str, study: ProlificStudy, *, is_admitted: bool) -> int:
    """Add everybody who came to the study, or who was approved; return their number."""
    people = {
        submission.participant_id
        for submission in prolific.submissions(str(study.study_id))
        if submission.participant_id and (submission.status in PAID or not is_admitted)
    }
    if people:
        prolific.add_to_group(group, sorted(people))
    return len(people)
