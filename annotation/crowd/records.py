"""Answers of the crowd: HITs, assignments and qualification requests, as frozen values."""

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any, Self


@dataclass(frozen=True)
class CrowdHIT:
    """A HIT as the crowd knows it. `pending` workers have accepted it and not yet submitted."""

    hit_id: str
    annotation: str
    status: str
    question: str
    max_assignments: int
    pending: int
    available: int
    reward: Decimal
    expires_at: datetime | None
    requirements: tuple[dict[str, Any], ...]

    @classmethod
    def from_wire(cls, hit: Any) -> Self:
        return cls(
            hit_id=hit["HITId"],
            annotation=hit.get("RequesterAnnotation", ""),
            status=hit.get("HITStatus", ""),
            question=hit.get("Question", ""),
            max_assignments=hit.get("MaxAssignments", 0),
            pending=hit.get("NumberOfAssignmentsPending", 0),
            available=hit.get("NumberOfAssignmentsAvailable", 0),
            reward=Decimal(hit.get("Reward", "0")),
            expires_at=hit.get("Expiration"),
            requirements=tuple(hit.get("QualificationRequirements", ())),
        )


@dataclass(frozen=True)
class CrowdAssignment:
    """The assignment that one worker handed in. `answer` is XML exactly as it came."""

    assignment_id: str
    worker_id: str
    hit_id: str
    status: str
    answer: str
    accepted_at: datetime | None
    submitted_at: datetime | None

    @classmethod
    def from_wire(cls, assignment: Any) -> Self:
        return cls(
            assignment_id=assignment["AssignmentId"],
            worker_id=assignment["WorkerId"],
            hit_id=assignment.get("HITId", ""),
            status=assignment["AssignmentStatus"],
            answer=assignment.get("Answer", ""),
            accepted_at=assignment.get("AcceptTime"),
            submitted_at=assignment.get("SubmitTime"),
        )


@dataclass(frozen=True)
class QualificationRequest:
    """A worker's wish for a qualification; `answer` is the test's XML as it came."""

    request_id: str
    worker_id: str
    answer: str
