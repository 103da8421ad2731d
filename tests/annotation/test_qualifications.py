"""Who may work, as the API asks for it."""

import pytest

from annotation.crowd.qualifications import WorkerConditions, condition_problems, to_wire


def test_conditions_become_requirements() -> None:
    conditions = WorkerConditions(
        locales=("US", "US-CA"), min_approval=95, min_approved=100, masters=True
    )
    guarded = {"ActionsGuarded": "DiscoverPreviewAndAccept"}
    assert to_wire(conditions, environment="production", kept_out="3MARK") == (
        {
            "QualificationTypeId": "00000000000000000071",
            "Comparator": "In",
            "LocaleValues": [{"Country": "US"}, {"Country": "US", "Subdivision": "CA"}],
            **guarded,
        },
        {
            "QualificationTypeId": "000000000000000000L0",
            "Comparator": "GreaterThanOrEqualTo",
            "IntegerValues": [95],
            **guarded,
        },
        {
            "QualificationTypeId": "00000000000000000040",
            "Comparator": "GreaterThanOrEqualTo",
            "IntegerValues": [100],
            **guarded,
        },
        {
            "QualificationTypeId": "2F1QJWKUDD8XADTFD2Q0G6UTO95ALH",
            "Comparator": "Exists",
            **guarded,
        },
        {"QualificationTypeId": "3MARK", "Comparator": "DoesNotExist", **guarded},
    )


@pytest.mark.parametrize(
    ("environment", "ids"),
    [
        # The two ids of Masters are in Amazon's developer guide.
        ("sandbox", ["2ARFPLSP75KLA8M8DH1HTEQVJT3SY6"]),
        ("production", ["2F1QJWKUDD8XADTFD2Q0G6UTO95ALH"]),
        ("local", []),
    ],
)
def test_masters_have_another_id_in_each_environment(environment: str, ids: list[str]) -> None:
    wanted = to_wire(WorkerConditions(masters=True), environment=environment)
    assert [one["QualificationTypeId"] for one in wanted] == ids


def test_conditions_survive_storage() -> None:
    conditions = WorkerConditions(locales=("DE",), not_from=("a", "b"), share_percent=10)
    held = {"locales": ["DE"], "not_from": ["a", "b"], "share_percent": 10}
    assert WorkerConditions.from_json(held) == conditions
    assert WorkerConditions.from_json({}) == WorkerConditions()


@pytest.mark.parametrize("code", ["us", "USA", "", "U1", "US-", "US-ca", "ÜS"])
def test_what_is_no_country_is_refused(code: str) -> None:
    assert "is not a country code" in condition_problems(WorkerConditions(locales=(code,)))[0]
