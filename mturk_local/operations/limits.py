"""The limits that the documentation states but the model of the API does not."""

import re
from typing import Any

from mturk_local import money
from mturk_local.errors import ParameterError

#: Most characters of a text; keywords include their commas.
_LENGTHS = {
    "Title": 128,
    "Description": 2_000,
    "Keywords": 1_000,
    "RequesterAnnotation": 255,
    "RequesterFeedback": 1_024,
}
#: Texts that people read, whose lengths the operations check.
_READ = frozenset({"Name", "Subject", "MessageText", "Reason"})
_NEVER_BLANK = frozenset({"Title", "Description", "Name", "Subject", "MessageText"})
#: Characters that XML cannot hold and pages do not show, except line ends and tabs.
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f]")
#: Least and most value of a number.
_RANGES = {
    "LifetimeInSeconds": (30, 31_536_000),
    "AssignmentDurationInSeconds": (30, 31_536_000),
    "AutoApprovalDelayInSeconds": (0, 2_592_000),
    "MaxAssignments": (1, 1_000_000_000),
    "NumberOfAdditionalAssignments": (1, 1_000_000_000),
    "TestDurationInSeconds": (1, 31_536_000),
    "RetryDelayInSeconds": (0, 31_536_000),
}
#: Amounts above this, in cents, are taken for typing errors.
_MOST_CENTS = 10_000_000


def check_limits(params: dict[str, Any]) -> None:
    """Refuse what is too long, out of range, or holds characters that Amazon cannot store."""
    for name, value in params.items():
        if name in _LENGTHS:
            _check_text(name, value)
        if name in _LENGTHS or name in _READ:
            _check_readable(name, value)
        if name in {"Reward", "BonusAmount"} and money.cents(value) > _MOST_CENTS:
            raise ParameterError(
                f"The value {value} is not valid for the parameter {name}: "
                f"it is above {money.amount(_MOST_CENTS)}."
            )
        if name in _RANGES:
            least, most = _RANGES[name]
            if not least <= value <= most:
                raise ParameterError(
                    f"The value {value} is not valid for the parameter {name}: "
                    f"it must lie between {least} and {most}."
                )


def _check_text(name: str, value: str) -> None:
    if len(value) > _LENGTHS[name]:
        raise ParameterError(
            f"The value of the parameter {name} has {len(value)} characters; "
            f"at most {_LENGTHS[name]} are allowed."
        )
    beyond = "\x7f" if name == "RequesterAnnotation" else "\uffff"
    if any(character > beyond for character in value):
        raise ParameterError(f"The value  is not valid for the parameter {name}.")


def _check_readable(name: str, value: str) -> None:
    if name in _NEVER_BLANK and not value.strip():
        raise ParameterError(f"The value  is not valid for the parameter {name}: it is blank.")
    if _CONTROL.search(value):
        raise ParameterError(
            f"The value of the parameter {name} has a control character, which no page can show."
        )
