"""The effect of the decision method on labels and bias."""

from collections.abc import Sequence
from typing import Any

from django.core.management.base import CommandParser

from annotation.batches.queries.batches import get_batch
from annotation.core.base_command import FairpoolCommand
from annotation.reports.queries.comparison import (
    BiasByMethod,
    batch_comparison,
    batch_decisions,
)
from annotation.reports.queries.method_bias import bias_by_method
from annotation.vocabulary import TIE
from metrics.cli.numbers import seed
from metrics.cli.run_arguments import add_measured_run_options, measured_runs
from metrics.votes.comparison import MethodComparison


class Command(FairpoolCommand):
    help = (
        "Decide the labels of a batch by every method, side by side: which queries change, which "
        "ties are resolved, and with runs how the bias of each moves. Stores nothing."
    )
    example = "label compare-methods study --scores magnitudes.parquet --run BM25=bm25.run"

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("batch", metavar="BATCH", help="Name of the batch.")
        run_help = "A run to measure; may be given several times (default: none)."
        add_measured_run_options(parser, help=run_help)
        parser.add_argument(
            "--question",
            default="",
            help="Question of the labels (default: the only one with one answer and options in "
            "no order).",
        )
        parser.add_argument(
            "--strict", action="store_true", help="Majority: more than half of the votes."
        )
        parser.add_argument(
            "--seed",
            type=seed,
            default=0,
            help="Of MACE's starts, and of the draws (default: %(default)s).",
        )

    def handle(self, **options: Any) -> None:
        runs, batch = measured_runs(options), get_batch(name=options["batch"])
        subject = {"batch": batch, "question": options["question"]}
        terms = {**subject, "strict": options["strict"], "seed": options["seed"]}
        decisions = batch_decisions(**terms)
        methods = batch_comparison(decisions, **subject)
        bias = (
            bias_by_method(
                decisions,
                magnitudes=options["magnitudes"],
                runs=runs,
                missing=options["missing"],
                **terms,
            )
            if runs
            else []
        )
        lines = [_header(methods), *map(_method, methods), *map(_bias, bias)]
        self.print_result(options, {"methods": methods, "bias": bias}, lines)


def _header(methods: Sequence[MethodComparison]) -> str:
    codes = "".join(f"{code:>7}" for code in (*methods[0].labels, TIE))
    return f"{'method':<16}{codes}{'flipped':>9}{'resolved':>10}"


def _method(comparison: MethodComparison) -> str:
    counts = "".join(f"{count:>7,}" for count in comparison.labels.values())
    changed = f"{len(comparison.flipped):>9,}{len(comparison.resolved):>10,}"
    return f"{comparison.method:<16}{counts}{comparison.ties:>7,}{changed}"


def _bias(row: BiasByMethod) -> str:
    value = "undefined" if row.value is None else f"{row.value:+.4f}"
    change = (
        f" ({row.change:+.4f}{_interval(row.change_low, row.change_high)})" if row.change else ""
    )
    ends = _interval(row.low, row.high)
    return f"{row.method:<16}{row.run:<20}{row.measure}@{row.cutoff:<4}{value}{ends}{change}"


def _interval(low: float | None, high: float | None) -> str:
    return "" if low is None or high is None else f" [{low:+.4f}, {high:+.4f}]"
