"""The crowd's operations as the services use them: typed values in and out, errors by meaning.

Each call that may be repeated is, a few times, when no usable reply came: reading, and writing that
carries a token or has the same effect twice. The caller has to resolve what is still unknown then.
"""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

from annotation.crowd import pricing
from annotation.crowd.client import Calls, translated
from annotation.crowd.errors import (
    AlreadyDoneError,
    CrowdRefusedError,
    NotThereError,
    WrongStateError,
    clock_offset,
)
from annotation.crowd.records import CrowdAssignment, CrowdHIT, QualificationRequest
from annotation.crowd.terms import Terms

__all__ = ["CrowdAssignment", "CrowdHIT", "Gateway", "QualificationRequest"]

#: Time for a qualification test, and until a refused worker may try again.
_TEST_SECONDS, _RETRY_SECONDS = 1_800, 60
#: The crowd remembers a token for 24 hours; an hour less leaves room for clocks and long calls.
TOKEN_MEMORY = timedelta(hours=23)
#: Any time in the past expires a HIT; this one is the same in every call.
_LONG_AGO = datetime(2000, 1, 1, tzinfo=UTC)
#: Events that may change a batch's numbers without our own operations.
_EVENTS = (
    "AssignmentAccepted",
    "AssignmentReturned",
    "AssignmentAbandoned",
    "AssignmentSubmitted",
    "AssignmentApproved",
    "AssignmentRejected",
)


class Gateway(Calls):
    """One requester at one crowd.

    With a `queue`, events of all HITs wait there, at our own crowd service, until somebody reads
    them.
    """

    queue = ""

    @property
    def endpoint(self) -> str:
        return self._client.meta.endpoint_url

    def balance(self) -> Decimal:
        """Dollars that can be spent. The sandbox always says 10000.00."""
        return Decimal(self._call("get_account_balance", want="AvailableBalance"))

    def clock_offset(self) -> float | None:
        """Seconds that this machine's clock is ahead of the service's; None if it does not say."""
        with translated():
            reply = self._client.get_account_balance()
        return clock_offset(dict(reply["ResponseMetadata"]["HTTPHeaders"]))

    def create_hit_type(self, terms: Terms) -> str:
        """The id of the type with these terms; equal terms always give the same id."""
        hit_type_id: str = self._call(
            "create_hit_type",
            want="HITTypeId",
            Title=terms.title,
            Description=terms.description,
            Keywords=terms.keywords,
            Reward=pricing.wire(terms.reward),
            AssignmentDurationInSeconds=terms.duration_seconds,
            AutoApprovalDelayInSeconds=terms.auto_approval_seconds,
            QualificationRequirements=list(terms.requirements),
        )
        if self.queue:
            self._call(
                "update_notification_settings",
                HITTypeId=hit_type_id,
                Active=True,
                Notification={
                    "Destination": self.queue,
                    "Transport": "SQS",
                    "Version": "2014-08-15",
                    "EventTypes": _EVENTS,
                },
            )
        return hit_type_id

    def change_type(self, hit_id: str, hit_type_id: str) -> None:
        """Give a HIT other terms: those of another HIT type."""
        self._call("update_hit_type_of_hit", HITId=hit_id, HITTypeId=hit_type_id)

    def create_hit(
        self,
        *,
        hit_type_id: str,
        question: str,
        annotation: str,
        token: str,
        max_assignments: int,
        lifetime_seconds: int,
    ) -> str:
        """Publish a HIT and return its id; `AlreadyDoneError` if `token` has published one."""
        hit = self._call(
            "create_hit_with_hit_type",
            want="HIT",
            HITTypeId=hit_type_id,
            Question=question,
            RequesterAnnotation=annotation,
            UniqueRequestToken=token,
            MaxAssignments=max_assignments,
            LifetimeInSeconds=lifetime_seconds,
        )
        return CrowdHIT.from_wire(hit).hit_id

    def get_hit(self, hit_id: str) -> CrowdHIT:
        return CrowdHIT.from_wire(self._call("get_hit", want="HIT", HITId=hit_id))

    def list_hits(self) -> Iterator[CrowdHIT]:
        """Every HIT of the account, each once; slow where there are many."""
        seen = set()
        for hit in self._pages("list_hits", "HITs"):
            if hit["HITId"] not in seen:
                seen.add(hit["HITId"])
                yield CrowdHIT.from_wire(hit)

    def assignments(self, hit_id: str) -> list[CrowdAssignment]:
        """Yield the submitted answers to a HIT, each pair of assignment and worker once.

        After a return the same assignment id can come from another worker.
        """
        assignments: dict[tuple[str, str], CrowdAssignment] = {}
        for wire in self._pages("list_assignments_for_hit", "Assignments", HITId=hit_id):
            assignment = CrowdAssignment.from_wire(wire)
            assignments.setdefault((assignment.assignment_id, assignment.worker_id), assignment)
        return list(assignments.values())

    def get_assignment(self, assignment_id: str) -> CrowdAssignment:
        return CrowdAssignment.from_wire(
            self._call("get_assignment", want="Assignment", AssignmentId=assignment_id)
        )

    def expire(self, hit_id: str) -> None:
        """Offer the HIT to nobody from now on; doing so twice is not an error."""
        self._set_expiry(hit_id, _LONG_AGO)

    def extend(self, hit_id: str, until: datetime) -> None:
        """Offer the HIT until `until`, also if it had expired."""
        self._set_expiry(hit_id, until)

    def _set_expiry(self, hit_id: str, at: datetime) -> None:
        try:
            self._call("update_expiration_for_hit", HITId=hit_id, ExpireAt=at)
        except AlreadyDoneError:
            # The service treats the pair of HIT and time as a token.
            return

    def add_assignments(self, hit_id: str, number: int, *, token: str) -> None:
        """Ask for `number` more assignments; repeating it with the same token is not an error."""
        try:
            self._call(
                "create_additional_assignments_for_hit",
                HITId=hit_id,
                NumberOfAdditionalAssignments=number,
                UniqueRequestToken=token,
            )
        except AlreadyDoneError:
            return

    def delete(self, hit_id: str) -> None:
        self._call("delete_hit", HITId=hit_id)

    def approve(self, assignment_id: str, *, feedback: str, override: bool = False) -> None:
        self._call(
            "approve_assignment",
            AssignmentId=assignment_id,
            RequesterFeedback=feedback,
            OverrideRejection=override,
        )

    def reject(self, assignment_id: str, *, feedback: str) -> None:
        self._call("reject_assignment", AssignmentId=assignment_id, RequesterFeedback=feedback)

    def send_bonus(
        self, *, worker_id: str, assignment_id: str, amount: Decimal, reason: str, token: str
    ) -> None:
        """Pay `amount` on top; repeating it with the same token within 24 hours pays nothing."""
        try:
            self._call(
                "send_bonus",
                WorkerId=worker_id,
                AssignmentId=assignment_id,
                BonusAmount=pricing.wire(amount),
                Reason=reason,
                UniqueRequestToken=token,
            )
        except AlreadyDoneError:
            return

    def bonuses(self, assignment_id: str) -> list[tuple[str, Decimal, str]]:
        """(worker id, amount, reason) of every bonus paid for an assignment."""
        return [
            (paid["WorkerId"], Decimal(paid["BonusAmount"]), paid.get("Reason", ""))
            for paid in self._pages(
                "list_bonus_payments", "BonusPayments", AssignmentId=assignment_id
            )
        ]

    def ensure_qualification(self, *, name: str, description: str, test: str = "") -> str:
        """Return the id of our own qualification type of this name; make it if there is none.

        With `test`, a `QuestionForm`, workers can ask for it as often as they are refused.
        """
        tested = {
            "Test": test,
            "TestDurationInSeconds": _TEST_SECONDS,
            "RetryDelayInSeconds": _RETRY_SECONDS,
        }
        try:
            made = self._call(
                "create_qualification_type",
                want="QualificationType",
                Name=name,
                Description=description,
                QualificationTypeStatus="Active",
                **(tested if test else {}),
            )
        except CrowdRefusedError as error:
            for known in self._pages(
                "list_qualification_types",
                "QualificationTypes",
                Query=name,
                MustBeRequestable=False,
                MustBeOwnedByCaller=True,
            ):
                if known["Name"] == name:
                    return str(known["QualificationTypeId"])
            raise error from None
        return str(made["QualificationTypeId"])

    def qualification_give(self, type_id: str, worker_id: str) -> None:
        """Mark a worker, without telling; marking twice is not an error."""
        self._call(
            "associate_qualification_with_worker",
            QualificationTypeId=type_id,
            WorkerId=worker_id,
            IntegerValue=1,
            SendNotification=False,
        )

    def take_qualification(self, type_id: str, worker_id: str, *, reason: str) -> None:
        """Take the mark back; a worker without it is not an error."""
        self._decide(
            "disassociate_qualification_from_worker",
            QualificationTypeId=type_id,
            WorkerId=worker_id,
            Reason=reason,
        )

    def qualification_requests(self, type_id: str) -> list[QualificationRequest]:
        """The requests that wait for a decision, each once."""
        waiting = {
            request["QualificationRequestId"]: QualificationRequest(
                request["QualificationRequestId"], request["WorkerId"], request.get("Answer", "")
            )
            for request in self._pages(
                "list_qualification_requests",
                "QualificationRequests",
                QualificationTypeId=type_id,
            )
        }
        return list(waiting.values())

    def qualification_grant(self, request_id: str, value: int) -> None:
        """Decide a request; one that was decided before is not an error."""
        self._decide(
            "accept_qualification_request", QualificationRequestId=request_id, IntegerValue=value
        )

    def qualification_refuse(self, request_id: str, *, reason: str) -> None:
        """Refuse a request for a qualification; the worker reads `reason`."""
        self._decide(
            "reject_qualification_request", QualificationRequestId=request_id, Reason=reason
        )

    def _decide(self, operation: str, **parameters: Any) -> None:
        try:
            self._call(operation, **parameters)
        except (WrongStateError, NotThereError):
            return
