"""Earnings of each worker of a batch."""

from argparse import ArgumentParser
from dataclasses import astuple, fields
from typing import Any

from annotation.batches.queries.batches import get_batch
from annotation.batches.queries.pay import WorkerPay, pay_list
from annotation.core.base_command import FairpoolCommand


class Command(FairpoolCommand):
    help = "List what each worker of a batch earned. Holds worker ids: for paying, not publishing."
    example = "batch pay-list first"

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("batch", metavar="BATCH", help="Name of the batch.")

    def handle(self, **options: Any) -> None:
        name = options["batch"]
        rows = pay_list(batch=get_batch(name=name))
        lines = [[column.name for column in fields(WorkerPay)], *map(astuple, rows)]
        result = {"name": name, "workers": rows}
        self.print_result(options, result, ("\t".join(map(str, cells)) for cells in lines))
