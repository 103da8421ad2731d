"""The market's memory: studies, submissions, bonuses and a balance, under one lock."""

import itertools
import secrets
import threading
from collections import Counter
from datetime import UTC, datetime
from typing import Any, NamedTuple

from annotation.prolific.double.bonuses import BonusSet, read_rows
from annotation.prolific.double.groups import (
    ALLOWLIST,
    BLOCKLIST,
    Group,
    groups_named,
    may_come,
)
from annotation.prolific.double.hooks import Hooks
from annotation.prolific.double.links import origin, signed
from annotation.prolific.double.refusals import RefusalError, not_found
from annotation.prolific.double.refusals import field as refuse
from annotation.prolific.double.studies import Study, check_terms
from annotation.prolific.double.submissions import HOLDING, Submission
from annotation.prolific.double.task_builder import TaskBatch, TaskBuilder

#: Reads of a submission before an accepted approval or bonus shows in it.
READS_UNTIL_SEEN = 2
_MOST_APPROVED = 1_000


#: Two of the filters that Prolific lists, one of each type, and those of groups.
_FILTERS: list[dict[str, Any]] = [
    {
        "filter_id": "fluent-languages",
        "title": "Fluent languages",
        "type": "select",
        "choices": {"19": "English", "27": "German"},
        "data_type": "ChoiceID",
    },
    {
        "filter_id": "approval_rate",
        "title": "Approval rate",
        "type": "range",
        "min": 0,
        "max": 100,
        "data_type": "integer",
    },
    *(
        {
            "filter_id": filter_id,
            "title": filter_id,
            "type": "select",
            "data_type": "ParticipantGroupID",
        }
        for filter_id in (ALLOWLIST, BLOCKLIST)
    ),
]


class Visit(NamedTuple):
    """A participant on the way to the researcher's address, placeholders filled in."""

    submission: Submission
    url: str


class Market:
    """One workspace. Every public method is one request or one act of a participant."""

    def __init__(self, *, balance: int = 1_000_00, currency: str = "USD") -> None:
        self.lock = threading.RLock()
        self.balance, self.currency = balance, currency
        self.owner_id, self.workspace_id = secrets.token_hex(12), secrets.token_hex(12)
        self.filters = _FILTERS
        self.studies: dict[str, Study] = {}
        self.submissions: dict[str, Submission] = {}
        self.groups: dict[str, Group] = {}
        self.bonus_sets: dict[str, BonusSet] = {}
        self.messages: list[dict[str, Any]] = []
        #: Number of the next requests to the wallet that meet another one in progress.
        self.busy = 0
        #: How often each set was paid: more than once is the error to look for.
        self.paid: Counter[str] = Counter()
        # Of two rehearsals, neither has an id of the other.
        self._numbers = itertools.count(secrets.randbits(80))
        self.hooks = Hooks(self.workspace_id, self._new_id)
        self.tasks = TaskBuilder(self.workspace_id)
        #: Group of tasks by submission, of studies that the Task Builder shows.
        self.groups_done: dict[str, str] = {}
        #: Last announced status of each study and submission.
        self._told: dict[str, str] = {}
        #: A signed link is for the study's address, or for the site: there are both.
        self._audiences = itertools.cycle((False, True))

    def tell(self) -> None:
        """Announce every status that has changed."""
        for study in self.studies.values():
            if self._told.get(study.study_id, "UNPUBLISHED") != study.status:
                self._told[study.study_id] = study.status
                change = {
                    "status": study.status,
                    "metadata": str(study.terms.get("metadata") or ""),
                }
                self.hooks.tell("study.status.change", study.study_id, **change)
        for submission in self.submissions.values():
            if self._told.get(submission.submission_id) != submission.status:
                self._told[submission.submission_id] = submission.status
                change = {"status": submission.status, "participant_id": submission.participant}
                self.hooks.tell("submission.status.change", submission.submission_id, **change)

    # Studies

    def create_study(self, terms: dict[str, Any]) -> Study:
        check_terms(terms)
        for group_id in groups_named(terms, ALLOWLIST) + groups_named(terms, BLOCKLIST):
            self.group(group_id)
        if terms.get("data_collection_method"):
            self._check_tasks(terms)
        study = Study(self._new_id(), terms, created_at=_now())
        self.studies[study.study_id] = study
        return study

    def study(self, study_id: str) -> Study:
        try:
            return self.studies[study_id]
        except KeyError:
            raise not_found() from None

    def study_wire(self, study: Study) -> dict[str, Any]:
        return study.wire(len(self._holding(study)))

    def change_study(self, study_id: str, members: dict[str, Any]) -> Study:
        """Change terms; further places of a running study are charged at once."""
        study = self.study(study_id)
        before = study.cost if study.status != "UNPUBLISHED" else None
        kept = study.terms, study.status
        study.change(members)
        if before is not None:
            try:
                self._spend(study.cost - before)
            except RefusalError:
                study.terms, study.status = kept
                raise
        return study

    def move_study(self, study_id: str, action: str) -> Study:
        study = self.study(study_id)
        if action == "PUBLISH" and study.status == "UNPUBLISHED":
            self._spend(study.cost)
            study.published_at = _now()
        study.change_state(action)
        return study

    def delete_study(self, study_id: str) -> None:
        if self.study(study_id).status != "UNPUBLISHED":
            raise RefusalError("Only drafts can be deleted.")
        del self.studies[study_id]

    def progress(self, study_id: str) -> list[dict[str, Any]]:
        study = self.study(study_id)
        if not study.terms.get("access_details"):
            raise not_found()
        return [
            {
                "external_url": detail["external_url"],
                "total_allocation": detail["total_allocation"],
                "allocated": study.allocated.get(detail["external_url"], 0),
            }
            for detail in study.terms["access_details"]
        ]

    # Participants

    def arrive(self, study_id: str, participant: str) -> Visit | None:
        """Let a participant take a place; None where none is free for them."""
        study = self.study(study_id)
        came = [
            submission
            for submission in self.of_study(study_id)
            if submission.participant == participant
        ]
        is_let_in = may_come(participant, study.terms, self.groups)
        if (
            study.status != "ACTIVE"
            or came
            or not is_let_in
            or len(self._holding(study)) >= study.places
        ):
            return None
        submission = Submission(self._new_id(), study_id, participant, started_at=_now())
        if study.terms.get("data_collection_method"):
            self.groups_done[submission.submission_id] = self._free_group(study)
        self.submissions[submission.submission_id] = submission
        if len(self._holding(study)) == study.places:
            study.status = "AWAITING REVIEW"
        self.tell()
        if submission.submission_id in self.groups_done:
            return Visit(submission, f"/rehearsal-task/{submission.submission_id}")
        template = address = self._address(study)
        study.allocated[address] = study.allocated.get(address, 0) + 1
        values = {
            "PROLIFIC_PID": participant,
            "STUDY_ID": study_id,
            "SESSION_ID": submission.submission_id,
        }
        for name, value in values.items():
            address = address.replace(f"{{{{%{name}%}}}}", value)
        if study.terms.get("is_external_study_url_secure"):
            audience = origin(template) if next(self._audiences) else template
            claims = {**values, "workspace_id": self.workspace_id}
            session = submission.submission_id
            address = signed(address, audience=audience, session=session, values=claims)
        return Visit(submission, address)

    def come_back(self, submission_id: str, code: str) -> Submission:
        """Let a participant submit with `code`, and do the code's actions."""
        submission = self.submission(submission_id)
        codes = self.study(submission.study_id).terms["completion_codes"]
        known = {code["code"]: {act["action"] for act in code["actions"]} for code in codes}
        submission.submit(code, known.get(code, set()), _now())
        self.tell()
        return submission

    def leave(self, submission_id: str, status: str) -> Submission:
        """A participant returns the place (RETURNED) or lets its time run out (TIMED-OUT)."""
        submission = self.submission(submission_id)
        is_asked = submission.status == "AWAITING REVIEW" and submission.return_requested
        if submission.status not in {"ACTIVE", "RESERVED"} and not is_asked:
            raise RefusalError(f"A submission that is {submission.status} cannot be left.")
        submission.status = status
        study = self.study(submission.study_id)
        if study.status == "AWAITING REVIEW":
            study.status = "ACTIVE"
        self.tell()
        return submission

    # The Task Builder

    def task_of(self, submission_id: str) -> tuple[TaskBatch, str]:
        """The batch that a submission is about, and the group of tasks that it does."""
        submission = self.submission(submission_id)
        if submission_id not in self.groups_done:
            raise not_found()
        terms = self.study(submission.study_id).terms
        return self.tasks.batch(terms["data_collection_id"]), self.groups_done[submission_id]

    def answer_tasks(
        self, submission_id: str, answers: dict[str, dict[str, list[str]]]
    ) -> Submission:
        """Let a participant answer the tasks of the submission, and submit."""
        submission = self.submission(submission_id)
        batch, group = self.task_of(submission_id)
        if submission.status not in {"ACTIVE", "RESERVED"}:
            raise RefusalError(f"A submission that is {submission.status} cannot be completed.")
        self.tasks.answer(
            batch, group, participant=submission.participant, submission=submission_id,
            answers=answers,
        )  # fmt: skip
        codes = self.study(submission.study_id).terms["completion_codes"]
        done = next(code["code"] for code in codes if code["code_type"] == "COMPLETED")
        return self.come_back(submission_id, done)

    def _check_tasks(self, terms: dict[str, Any]) -> None:
        if terms["data_collection_method"] != "AI_TASK_BUILDER_BATCH":
            raise refuse("data_collection_method", "Only batches are rehearsed.")
        batch = self.tasks.batches.get(str(terms.get("data_collection_id")))
        if batch is None or batch.status != "READY":
            raise refuse("data_collection_id", "There is no such batch, or it is not ready.")
        n_wanted = (terms.get("data_collection_metadata") or {}).get("annotators_per_task", 1)
        if n_wanted < 1 or terms["total_available_places"] > n_wanted * len(batch.groups):
            raise refuse("total_available_places", "There are not so many tasks.")

    def _free_group(self, study: Study) -> str:
        """The group of tasks that the fewest participants hold."""
        batch = self.tasks.batch(study.terms["data_collection_id"])
        held = Counter(self.groups_done[holder.submission_id] for holder in self._holding(study)
                       if holder.submission_id in self.groups_done)  # fmt: skip
        return min(batch.groups, key=lambda group: held[group])

    # Groups

    def group(self, group_id: str) -> Group:
        try:
            return self.groups[group_id]
        except KeyError:
            raise not_found() from None

    def create_group(self, body: dict[str, Any]) -> Group:
        """A group; nothing keeps two from having one name."""
        if body.get("workspace_id") != self.workspace_id or not body.get("name"):
            raise refuse("workspace_id", "A workspace and a name are required.")
        made = Group(self._new_id(), str(body["name"]), self.workspace_id)
        self.groups[made.group_id] = made
        return made

    def add_to_group(self, group_id: str, participants: list[str]) -> Group:
        group = self.group(group_id)
        group.add(participants)
        return group

    # Submissions

    def submission(self, submission_id: str) -> Submission:
        try:
            return self.submissions[submission_id]
        except KeyError:
            raise not_found() from None

    def of_study(self, study_id: str) -> list[Submission]:
        return [
            submission
            for submission in self.submissions.values()
            if submission.study_id == study_id
        ]

    def approve(self, body: dict[str, Any]) -> None:
        """Accept up to a thousand; they show as approved after some reads."""
        if "submission_ids" in body:
            chosen = [self.submission(submission_id) for submission_id in body["submission_ids"]]
        else:
            people = set(body["participant_ids"])
            chosen = [
                submission
                for submission in self.of_study(body["study_id"])
                if submission.participant in people
            ]
        self._use_wallet()
        if not chosen or len(chosen) > _MOST_APPROVED:
            raise refuse("submission_ids", "Between 1 and 1000 submissions are possible.")
        for submission in chosen:
            if submission.status not in {"AWAITING REVIEW", "APPROVED"}:
                raise RefusalError(
                    f"{submission.submission_id} is {submission.status}.", is_flat=True
                )
        for submission in chosen:
            if submission.status == "AWAITING REVIEW":
                submission.pending.append((READS_UNTIL_SEEN, "APPROVED"))

    # Bonuses

    def set_up_bonuses(self, study_id: str, csv: str) -> BonusSet:
        rows = read_rows(csv, self.of_study(self.study(study_id).study_id))
        made = BonusSet(self._new_id(), study_id, rows)
        self.bonus_sets[made.set_id] = made
        return made

    def pay_bonuses(self, set_id: str) -> None:
        """Pay the set, again if it was paid before: that is what Prolific warns of."""
        if set_id not in self.bonus_sets:
            raise not_found()
        bonus_set = self.bonus_sets[set_id]
        self._spend(bonus_set.total)
        self.paid[set_id] += 1
        for submission_id, amount in bonus_set.amounts:
            self.submissions[submission_id].pending.append((READS_UNTIL_SEEN, amount))

    def _holding(self, study: Study) -> list[Submission]:
        return [
            submission
            for submission in self.of_study(study.study_id)
            if submission.status in HOLDING
        ]

    def _address(self, study: Study) -> str:
        """Where the next participant is sent: the first address whose places are not all taken."""
        for detail in study.terms.get("access_details") or ():
            if study.allocated.get(detail["external_url"], 0) < detail["total_allocation"]:
                return str(detail["external_url"])
        return str(study.terms["external_study_url"])

    def _use_wallet(self) -> None:
        if self.busy:
            self.busy -= 1
            raise RefusalError("Another payment of the workspace is under way.", status=429)

    def _spend(self, amount: int) -> None:
        self._use_wallet()
        if amount > self.balance:
            raise RefusalError("The available balance of the workspace is too low.")
        self.balance -= amount

    def _new_id(self) -> str:
        """Return 24 hexadecimal characters, in the order of creation."""
        return f"6{next(self._numbers):023x}"


def _now() -> str:
    return datetime.now(UTC).isoformat().replace("+00:00", "Z")
