"""Bonuses in two steps: a set is made from lines of CSV, and paid at each request."""

import re
from dataclasses import dataclass

from annotation.prolific.double.refusals import RefusalError
from annotation.prolific.double.refusals import field as refuse
from annotation.prolific.double.studies import FEE
from annotation.prolific.double.submissions import Submission

MOST_ROWS = 200
#: A decimal of the currency: 30 is thirty of them, not thirty cents.
_AMOUNT = re.compile(r"(\d+)(?:\.(\d{1,2}))?")


@dataclass(frozen=True)
class BonusSet:
    """Subunits by submission."""

    set_id: str
    study_id: str
    amounts: tuple[tuple[str, int], ...]

    @property
    def amount(self) -> int:
        return sum(amount for _, amount in self.amounts)

    @property
    def fees(self) -> int:
        return round(self.amount * FEE)

    @property
    def total(self) -> int:
        return self.amount + self.fees


def read_rows(csv: str, submissions: list[Submission]) -> tuple[tuple[str, int], ...]:
    """The subunits for each submission that a line names by its id or its participant's."""
    by_id = {submission.submission_id: submission for submission in submissions}
    by_id |= {submission.participant: submission for submission in submissions}
    rows = [line.partition(",") for line in csv.splitlines() if line.strip()]
    if not rows or len(rows) > MOST_ROWS:
        raise refuse("csv_bonuses", f"Between 1 and {MOST_ROWS} rows are possible.")
    unknown = [name for name, _, _ in rows if name not in by_id]
    if unknown:
        raise RefusalError([f"{name} did not take part in the study." for name in unknown])
    return tuple((by_id[name].submission_id, _subunits(text)) for name, _, text in rows)


def _subunits(text: str) -> int:
    matched = _AMOUNT.fullmatch(text.strip())
    amount = int(matched[1]) * 100 + int((matched[2] or "0").ljust(2, "0")) if matched else 0
    if not amount:
        raise refuse("csv_bonuses", f'"{text}" is not an amount above zero.')
    return amount
