"""What each worker of a batch earned."""

from argparse import ArgumentParser
from dataclasses import asdict
from decimal import Decimal
from typing import Any

from annotation.batches.queries.batches import batch_get
from annotation.batches.queries.pay import WorkerPay, pay_list
from metrics.management.command import FairpoolCommand


class Command(FairpoolCommand):
    help = "List what each worker of a batch earned. Holds worker ids: for paying, not publishing."
    example = "pay_list first"

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("name", help="Name of the batch.")

    def handle(self, *, name: str, as_json: bool, **_: Any) -> None:
        rows = [
            {key: str(held) if isinstance(held, Decimal) else held for key, held in row.items()}
            for row in (asdict(pay) for pay in pay_list(batch=batch_get(name=name)))
        ]
        if as_json:
            self.print_json({"name": name, "workers": rows})
            return
        columns = list(WorkerPay.__dataclass_fields__)
        self.stdout.write("\t".join(columns))
        for row in rows:
            self.stdout.write("\t".join(str(row[column]) for column in columns))
