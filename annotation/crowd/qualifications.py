"""Conditions for workers, in our words and as the API's `QualificationRequirements`."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

_LOCALE = "00000000000000000071"
_NUMBER_APPROVED = "00000000000000000040"
_PERCENT_APPROVED = "000000000000000000L0"
#: The only condition whose id differs between sandbox and production.
_MASTERS = {
    "sandbox": "2ARFPLSP75KLA8M8DH1HTEQVJT3SY6",
    "production": "2F1QJWKUDD8XADTFD2Q0G6UTO95ALH",
}
_MOST_LOCALES = 30


@dataclass(frozen=True)
class WorkerConditions:
    """Conditions that a worker has to meet. Empty conditions let everybody in.

    `locales` are ISO 3166 country codes, with a subdivision as in `US-CA`; `min_approval` is a
    percentage, which the service reports as 100 until a worker has submitted 100 answers, so that
    it is useful only with `min_approved`. `not_from` names batches whose workers are excluded;
    `share_percent` is the most of the batch's HITs that one worker may do.
    """

    locales: tuple[str, ...] = ()
    min_approval: int | None = None
    min_approved: int | None = None
    masters: bool = False
    not_from: tuple[str, ...] = ()
    share_percent: int | None = None

    @classmethod
    def from_json(cls, held: Mapping[str, Any]) -> Self:
        lists = {name: tuple(held.get(name, ())) for name in ("locales", "not_from")}
        return cls(**{**held, **lists})

    @property
    def keep_somebody_out(self) -> bool:
        """Return whether a qualification of our own marks workers who must stop."""
        return bool(self.not_from) or self.share_percent is not None


def condition_problems(conditions: WorkerConditions) -> list[str]:
    """List the contradictions in the conditions, in plain words; empty without any."""
    problems = [
        f"{code!r} is not a country code such as US or US-CA"
        for code in conditions.locales
        if not _is_locale(code)
    ]
    if len(conditions.locales) > _MOST_LOCALES:
        problems.append(f"at most {_MOST_LOCALES} locales can be asked for")
    for name, value in (
        ("approval", conditions.min_approval),
        ("share", conditions.share_percent),
    ):
        if value is not None and not 1 <= value <= 100:  # noqa: PLR2004 - a percentage
            problems.append(f"the {name} {value} is not a percentage from 1 to 100")
    if conditions.min_approved is not None and conditions.min_approved < 0:
        problems.append("the number of approved answers is negative")
    return problems


def to_wire(
    conditions: WorkerConditions, *, environment: str, kept_out: str = "", tested: str = ""
) -> tuple[dict[str, Any], ...]:
    """Return the API's requirements; `kept_out` is the id of our own mark of excluded workers.

    `tested` is the id of the test that a worker must have passed; those who have not still see the
    HITs, so that they can take it.

    The local service has no Masters, so that there everybody counts as one.
    """
    requirements: list[dict[str, Any]] = []
    if conditions.locales:
        places = [_place(code) for code in conditions.locales]
        requirements.append(_requirement(_LOCALE, "In", LocaleValues=places))
    if conditions.min_approval is not None:
        values = [conditions.min_approval]
        requirements.append(
            _requirement(_PERCENT_APPROVED, "GreaterThanOrEqualTo", IntegerValues=values)
        )
    if conditions.min_approved is not None:
        values = [conditions.min_approved]
        requirements.append(
            _requirement(_NUMBER_APPROVED, "GreaterThanOrEqualTo", IntegerValues=values)
        )
    if conditions.masters and environment in _MASTERS:
        requirements.append(_requirement(_MASTERS[environment], "Exists"))
    if kept_out:
        requirements.append(_requirement(kept_out, "DoesNotExist"))
    if tested:
        passed = _requirement(tested, "GreaterThan", IntegerValues=[0])
        requirements.append({**passed, "ActionsGuarded": "Accept"})
    return tuple(requirements)


def _requirement(type_id: str, comparator: str, **values: Any) -> dict[str, Any]:
    return {
        "QualificationTypeId": type_id,
        "Comparator": comparator,
        **values,
        "ActionsGuarded": "DiscoverPreviewAndAccept",
    }


def _place(code: str) -> dict[str, str]:
    country, _, subdivision = code.partition("-")
    return {"Country": country, **({"Subdivision": subdivision} if subdivision else {})}


def _is_locale(code: str) -> bool:
    country, dash, subdivision = code.partition("-")
    return (
        len(country) == 2  # noqa: PLR2004 - ISO 3166-1 alpha-2
        and code.isascii()
        and country.isalpha()
        and country.isupper()
        and (not dash or (subdivision.isalnum() and subdivision.isupper()))
    )
