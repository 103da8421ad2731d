"""Participants of a panel: how one comes and answers, and the list that the panel exports."""

from collections.abc import Callable
from pathlib import Path

from annotation.models import Batch
from tests.mturk_local.conftest import Guest

HEADER = "Submission id,Participant id,Status,Started at\n"
Come = Callable[..., Guest]


def participant_comes(
    site: str, batch: Batch, participant: str, choice: str = "f", guest: Guest | None = None
) -> Guest:
    """Somebody comes by the panel's link as this participant, and answers the batch's HIT."""
    guest = guest or Guest(site)
    guest.browser.open(
        f"{guest.site}panel/gender/?PROLIFIC_PID={participant}&STUDY_ID=s"
        f"&SESSION_ID={participant}-session"
    )
    answer(guest, batch, choice)
    return guest


def answer(guest: Guest, batch: Batch, choice: str) -> None:
    guest.accept(str(batch.hits.get().hit_id))
    guest.answer(**{"q-0-gender": choice, "q-1-gender": choice})


def the_list(tmp_path: Path, *rows: str) -> Path:
    path = tmp_path / "submissions.csv"
    path.write_text(HEADER + "".join(f"{row}\n" for row in rows))
    return path
