"""compare_methods: what the way of deciding does to labels and bias."""

from typing import Any

from django.core.management.base import CommandParser

from annotation.agreement.comparison import MethodComparison
from annotation.batches.queries.batches import batch_get
from annotation.reports.queries.comparison import (
    BiasByMethod,
    batch_comparison,
    batch_decisions,
    bias_by_method,
)
from annotation.vocabulary import TIE, Category
from metrics.cli.numbers import seed
from metrics.cli.run_arguments import add_measured_run_options, measured_runs
from metrics.management.command import FairpoolCommand


class Command(FairpoolCommand):
    help = (
        "Decide the labels of a batch by every method, side by side: which queries change, which "
        "ties are resolved, and with runs how the bias of each moves. Stores nothing."
    )
    example = "compare_methods study --magnitudes magnitudes.parquet --run BM25=bm25.run"

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("batch", metavar="B", help="Name of the batch.")
        run_help = "A run to measure; may be given several times (default: none)."
        add_measured_run_options(parser, help=run_help)
        parser.add_argument(
            "--strict", action="store_true", help="Majority: more than half of the votes."
        )
        parser.add_argument(
            "--seed", type=seed, default=0, help="Of MACE's starts (default: %(default)s)."
        )

    def handle(self, **options: Any) -> None:
        runs = measured_runs(options)
        decisions = batch_decisions(
            batch=batch_get(name=options["batch"]),
            strict=options["strict"],
            seed=options["seed"],
        )
        methods = batch_comparison(decisions)
        bias = (
            bias_by_method(
                decisions,
                magnitudes=options["magnitudes"],
                runs=runs,
                missing=options["missing"],
            )
            if runs
            else []
        )
        lines = [_HEADER, *map(_method, methods), *map(_bias, bias)]
        self.print_result(options, {"methods": methods, "bias": bias}, lines)


_CODES = "".join(f"{code:>7}" for code in (*Category, TIE))
_HEADER = f"{'method':<16}{_CODES}{'flipped':>9}{'resolved':>10}"


def _method(one: MethodComparison) -> str:
    counts = "".join(f"{count:>7,}" for count in one.labels.values())
    return f"{one.method:<16}{counts}{one.ties:>7,}{len(one.flipped):>9,}{len(one.resolved):>10,}"


def _bias(row: BiasByMethod) -> str:
    value = "undefined" if row.value is None else f"{row.value:+.4f}"
    change = "" if not row.change else f" ({row.change:+.4f})"
    return f"{row.method:<16}{row.run:<20}{row.measure}@{row.cutoff:<4}{value}{change}"
