"""A panel's list of submissions: read as Prolific writes it, refused where it is not that."""

from pathlib import Path

import pytest

from annotation.batches.operations.prolific.set_up_bonuses import _ELIGIBLE
from annotation.prolific.statuses import PAID, verdict_of
from annotation.prolific.submission_list import MOST_SUBMISSIONS, read_submissions
from metrics.errors import InputError

#: The columns of Prolific's export, shortened.
EXPORT = (
    "\ufeffSubmission id,Participant id,Status,Custom study tncs accepted at,Completion code\r\n"
    "65a,5f1,APPROVED,Not Applicable,C1\r\n"
    "65b,5f2,AWAITING REVIEW,,C1\r\n"
    '65c,5f3,TIMED-OUT,,"N,O"\r\n'
)


def stored(tmp_path: Path, content: str | bytes) -> Path:
    path = tmp_path / "list.csv"
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def test_prolifics_export_is_read(tmp_path: Path) -> None:
    found = read_submissions(stored(tmp_path, EXPORT))

    assert found == [
        ("5f1", "65a", "approved"),
        ("5f2", "65b", "waiting"),
        ("5f3", "65c", "refused"),
    ]


@pytest.mark.parametrize("first", ["", "sep=;\r\n"])
def test_a_list_that_a_spreadsheet_saved_may_have_semicolons(tmp_path: Path, first: str) -> None:
    found = read_submissions(
        stored(tmp_path, first + EXPORT.replace("N,O", "N;O").replace(",", ";"))
    )

    assert [one.participant for one in found] == ["5f1", "5f2", "5f3"]


def test_a_list_of_another_panel_needs_no_submissions(tmp_path: Path) -> None:
    found = read_submissions(stored(tmp_path, "status,PARTICIPANT ID\napproved,p1\n"))

    assert found == [("p1", "", "approved")]


def test_who_is_paid_in_part_is_approved_and_an_unknown_status_stands_aside(
    tmp_path: Path,
) -> None:
    rows = "s1,p1,APPROVED\ns2,p2,PARTIALLY APPROVED\ns3,p3,partially_approved\ns4,p4,GREAT\n"
    found = read_submissions(stored(tmp_path, f"Submission id,Participant id,Status\n{rows}"))

    verdicts = [one.verdict for one in found]
    assert verdicts == ["approved", "approved", "approved", "waiting"]


@pytest.mark.parametrize("status", sorted(PAID))
def test_every_status_that_is_paid_is_approved_wherever_it_is_read(status: str) -> None:
    assert verdict_of(status) == "approved"
    assert status in _ELIGIBLE


@pytest.mark.parametrize(
    ("content", "line"),
    [
        ("Participant id,State\np1,APPROVED\n", 1),
        ("Participant id,Status\np1,APPROVED\n,APPROVED\n", 3),
        ("Participant id,Status\np1,GREAT\n", 2),
        ("Participant id,Status\np1\n", 2),
        ("Participant id,Status,Status\np1,APPROVED,REJECTED\n", 1),
        ("Participant id,Status\np 1,APPROVED\n", 2),
        (f"Participant id,Status\n{'p' * 141},APPROVED\n", 2),
        (b"Participant id,Status\n\xff,APPROVED\n", 2),
        (b"Participant id,Status\np\x00,APPROVED\n", 2),
        ('Participant id,Status\np\u202e1,"APPROVED"\n', 2),
    ],
)
def test_what_is_no_such_list_is_refused_with_its_line(
    tmp_path: Path, content: str | bytes, line: int
) -> None:
    with pytest.raises(InputError) as caught:
        read_submissions(stored(tmp_path, content))

    assert caught.value.line == line


@pytest.mark.parametrize("content", ["", "\n\n", "Participant id,Status\n", "=1+1"])
def test_an_empty_list_is_refused(tmp_path: Path, content: str) -> None:
    with pytest.raises(InputError):
        read_submissions(stored(tmp_path, content))


def test_a_list_of_any_length_is_not_read(tmp_path: Path) -> None:
    rows = "p,APPROVED\n" * (MOST_SUBMISSIONS + 1)
    with pytest.raises(InputError):
        read_submissions(stored(tmp_path, f"Participant id,Status\n{rows}"))
