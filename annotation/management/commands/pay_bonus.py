"""Pay money on top for one answer."""

from argparse import ArgumentParser
from typing import Any

from annotation.management.arguments import actor
from annotation.selectors.batches import batch_get
from annotation.services.bonuses import bonus_pay
from annotation.services.money import parse_amount
from annotation.services.reviewing import assignment_get
from metrics.management.command import FairpoolCommand


class Command(FairpoolCommand):
    help = "Pay a bonus once; asking again for the same amount and reason pays nothing more."
    example = 'pay_bonus first 3ABC --amount 0.50 --reason "It took longer than we had said."'

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("name", help="Name of the batch.")
        parser.add_argument("assignment", help="Id of the assignment.")
        parser.add_argument("--amount", required=True, help="USD; the fee comes on top.")
        parser.add_argument("--reason", required=True, help="What the worker reads.")

    def handle(
        self, *, name: str, assignment: str, amount: str, reason: str, as_json: bool, **_: Any
    ) -> None:
        found = assignment_get(batch=batch_get(name=name), assignment_id=assignment)
        paid = bonus_pay(
            assignment=found, amount=parse_amount(amount), reason=reason, actor=actor()
        )
        if as_json:
            self.print_json({"assignment": assignment, "amount": amount, "paid_now": paid})
        else:
            done = "paid" if paid else "was paid before"
            self.stdout.write(f"{assignment}: bonus of {amount} USD {done}.")
