"""What a site says of its access to Prolific."""

from pytest_django import Settings

from annotation.prolific.double.market import Market
from tests.annotation.prolific.conftest import TOKEN
from tests.commands import failure, run, run_json


def test_it_says_whose_the_token_is_and_what_it_can_spend(
    market: Market, address: str, settings: Settings
) -> None:
    settings.PROLIFIC_TOKEN, settings.PROLIFIC_ADDRESS = TOKEN, address
    shown = run("crowd", "check-prolific")
    assert "researcher@example.org" in shown
    assert "1,000.00 USD" in shown
    assert TOKEN not in shown
    (workspace,) = run_json("crowd", "check-prolific")["workspaces"]
    assert workspace["available"] == market.balance


def test_without_a_token_and_with_a_wrong_one_it_says_what_to_do(
    address: str, settings: Settings
) -> None:
    settings.PROLIFIC_TOKEN, settings.PROLIFIC_ADDRESS = "", address
    assert "PROLIFIC_TOKEN" in failure("crowd", "check-prolific")
    settings.PROLIFIC_TOKEN = "revoked"
    said = failure("crowd", "check-prolific")
    assert "new token" in said
    assert "revoked" not in said
