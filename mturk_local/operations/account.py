"""The requester's money."""

from mturk_local import money
from mturk_local.operations.registry import Call, Reply, operation


@operation("GetAccountBalance", differs="Play money; it starts at 10,000.00 USD.")
def get_account_balance(call: Call) -> Reply:
    account = call.requester
    return {
        "AvailableBalance": money.amount(account.balance_cents - account.held_cents),
        "OnHoldBalance": money.amount(account.held_cents),
    }
