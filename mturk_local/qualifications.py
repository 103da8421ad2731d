"""Requirements on workers: system qualifications, and the notation of requirements. Pure."""

import json
import operator
from collections.abc import Callable
from typing import Any, NamedTuple

from mturk_local.errors import ParameterError

#: The Masters qualification of production and of the sandbox; either means the higher fee here.
MASTERS = frozenset({"2F1QJWKUDD8XADTFD2Q0G6UTO95ALH", "2ARFPLSP75KLA8M8DH1HTEQVJT3SY6"})
NUMBER_APPROVED = "00000000000000000040"
ADULT = "00000000000000000060"
LOCALE = "00000000000000000071"
PERCENT_APPROVED = "000000000000000000L0"
#: The qualifications that the service assigns itself.
SYSTEM_NAMES = {
    NUMBER_APPROVED: "Worker_NumberHITsApproved",
    ADULT: "Worker_Adult",
    LOCALE: "Worker_Locale",
    PERCENT_APPROVED: "Worker_PercentAssignmentsApproved",
    **dict.fromkeys(sorted(MASTERS), "Masters"),
}

_MOST_REQUIREMENTS = 10
_MOST_INTEGERS = 15
_MOST_LOCALES = 30
_LOCALE_COMPARATORS = frozenset({"EqualTo", "NotEqualTo", "In", "NotIn"})  # codespell:ignore notin
_BARE_COMPARATORS = frozenset({"Exists", "DoesNotExist"})
_LIST_COMPARATORS = frozenset({"In", "NotIn"})  # codespell:ignore notin

_COMPARE: dict[str, Callable[[int, int], bool]] = {
    "LessThan": operator.lt,
    "LessThanOrEqualTo": operator.le,
    "GreaterThan": operator.gt,
    "GreaterThanOrEqualTo": operator.ge,
    "EqualTo": operator.eq,
    "NotEqualTo": operator.ne,
}


class Locale(NamedTuple):
    """Where a worker is. Either part may be unknown (empty)."""

    country: str
    subdivision: str


#: A worker's value of a qualification: a number, a place, or nothing.
Held = int | Locale | None


def asks_for_masters(requirements: list[dict[str, Any]]) -> bool:
    return any(requirement["QualificationTypeId"] in MASTERS for requirement in requirements)


def normalised(requirements: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Sort requirements, so that equal ones make one HIT type; refuse impossible ones."""
    if len(requirements) > _MOST_REQUIREMENTS:
        raise ParameterError(
            f"A HIT may have at most {_MOST_REQUIREMENTS} QualificationRequirements."
        )
    for requirement in requirements:
        _check(requirement)
    return sorted(requirements, key=lambda requirement: json.dumps(requirement, sort_keys=True))


def _check(requirement: dict[str, Any]) -> None:
    comparator = requirement["Comparator"]
    integers = requirement.get("IntegerValues", [])
    locales = requirement.get("LocaleValues", [])
    type_id = requirement["QualificationTypeId"]
    if "ActionsGuarded" in requirement and "RequiredToPreview" in requirement:
        raise _wrong(type_id, "ActionsGuarded and RequiredToPreview cannot be used together")
    if comparator in _BARE_COMPARATORS:
        if integers or locales:
            raise _wrong(type_id, f"the comparator {comparator} takes no values")
        return
    if bool(integers) == bool(locales):
        raise _wrong(type_id, "either IntegerValues or LocaleValues must be given")
    if locales and comparator not in _LOCALE_COMPARATORS:
        raise _wrong(type_id, f"the comparator {comparator} takes no locales")
    if (type_id == LOCALE) != bool(locales):
        raise _wrong(type_id, "locales go with the qualification Worker_Locale, and only there")
    most = _MOST_LOCALES if locales else _MOST_INTEGERS
    if comparator not in _LIST_COMPARATORS:
        most = 1
    if len(integers) + len(locales) > most:
        raise _wrong(type_id, f"the comparator {comparator} takes at most {most} value(s)")


def _wrong(type_id: str, why: str) -> ParameterError:
    return ParameterError(f"The QualificationRequirement on {type_id} is not valid: {why}.")


def meets(requirement: dict[str, Any], held: Held) -> bool:
    """Return whether a worker's value satisfies a requirement.

    A worker without a value satisfies `DoesNotExist` alone: an unknown value is not "not equal".
    """
    comparator = requirement["Comparator"]
    if comparator in _BARE_COMPARATORS:
        return (held is not None) is (comparator == "Exists")
    if held is None:
        return False
    if isinstance(held, Locale):
        inside = any(_lies_in(held, location) for location in requirement["LocaleValues"])
        return inside is (comparator in {"EqualTo", "In"})
    numbers: list[int] = requirement["IntegerValues"]
    if comparator in _LIST_COMPARATORS:
        return (held in numbers) is (comparator == "In")
    return _COMPARE[comparator](held, numbers[0])


def _lies_in(held: Locale, location: dict[str, str]) -> bool:
    if held.country != location["Country"]:
        return False
    subdivision: str = location.get("Subdivision", held.subdivision)
    return subdivision == held.subdivision


def guards(requirement: dict[str, Any], action: str) -> bool:
    """Return whether an unmet requirement prevents `Accept`, `Preview` or `Discover`."""
    to_preview = "PreviewAndAccept" if requirement.get("RequiredToPreview") else "Accept"
    return action in requirement.get("ActionsGuarded", to_preview)
