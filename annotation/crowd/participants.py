"""Participants of panels at our own crowd service: verification, and the panel's list."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from annotation.crowd.second_api import SecondApi

#: Participant, submission, verdict.
Submission = tuple[str, str, str]


class ImportedSubmissions(NamedTuple):
    """Numbers of participants by status.

    `not_here` are on the list, but took no HIT; `kept` are the workers who stay verified, though
    the list refuses them.
    """

    verified: int
    waiting: int
    refused: int
    not_here: int
    kept: tuple[str, ...]


class Participants(SecondApi):
    """The panels of the crowd service at `endpoint`, as one requester sees them."""

    def verifications(self) -> Iterator[tuple[str, str]]:
        """(worker id, verification) of every participant who has accepted a HIT of ours."""
        token: str | None = ""
        while token is not None:
            page = self._call("ListParticipants", want="Participants", NextToken=token)
            for participant in page["Participants"]:
                yield participant["WorkerId"], participant["Verification"]
            token = page["NextToken"]

    def import_submissions(self, submissions: Iterable[Submission]) -> ImportedSubmissions:
        """Send the panel's list to the service; repeating changes nothing.

        A submission is (participant, the panel's id of it or "", verdict), and a verdict is
        `approved`, `waiting` or `refused`.
        """
        return self._send("ImportSubmissions", submissions)

    def check_submissions(self, submissions: Iterable[Submission]) -> ImportedSubmissions:
        """Return what `import_submissions` would; the service changes nothing."""
        return self._send("CheckSubmissions", submissions)

    def _send(self, operation: str, submissions: Iterable[Submission]) -> ImportedSubmissions:
        reply = self._call(
            operation,
            want="NotHere",
            Submissions=[list(submission) for submission in submissions],
        )
        return ImportedSubmissions(
            reply["Verified"],
            reply["Waiting"],
            reply["Refused"],
            reply["NotHere"],
            tuple(reply.get("Kept", ())),  # none of a service of before it named them
        )
