"""Command: agreement of a batch's voters, with intervals and warnings."""

from typing import Any

from django.core.management.base import CommandParser

from annotation.batches.queries.batches import BatchProgress, batch_progress, get_batch
from annotation.core.base_command import FairpoolCommand
from annotation.core.counting import counted
from annotation.labels.queries.agreement import (
    batch_agreement,
    queries_with_confusion,
    queries_with_pattern,
)
from annotation.labels.queries.questions import nominal_question
from annotation.models import Batch
from metrics.cli.numbers import number, seed, whole_number
from metrics.errors import InputError
from metrics.vocabulary import LEVEL, RESAMPLES
from metrics.votes.agreeing import Agreement, as_dict, interval_words
from metrics.votes.intervals import (
    LEAST_RESAMPLES,
    MOST_RESAMPLES,
    Estimate,
    IntervalMethod,
)


class Command(FairpoolCommand):
    help = (
        "Say how much the voters of a batch agree: raw agreement, Krippendorff's alpha, Gwet's "
        "AC1, Fleiss' kappa, alpha per category, ties, each coefficient with an interval for other "
        "queries and other workers."
    )
    example = "batch agreement study --json"

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("batch", metavar="BATCH", help="Name of the batch.")
        parser.add_argument(
            "--question",
            metavar="NAME",
            default="",
            help="A question with one answer and options in no order (default: the only such "
            "question of the batch).",
        )
        parser.add_argument(
            "--details",
            action="store_true",
            help="Add vote patterns, agreement and confusion per category.",
        )
        parser.add_argument(
            "--queries-with",
            metavar="PATTERN",
            help="Instead, list the ids of the queries behind a number: a vote pattern such as "
            "2-1, or two categories that were confused such as f,m.",
        )
        parser.add_argument(
            "--strict",
            action="store_true",
            help="Majority needs more than half of a query's votes, not just the most.",
        )
        parser.add_argument(
            "--interval",
            choices=[method.value for method in IntervalMethod],
            default=IntervalMethod.QUERIES_AND_WORKERS.value,
            help="What intervals suppose drawn anew; with `queries`, they hold for these very "
            "workers (default: %(default)s).",
        )
        parser.add_argument(
            "--resamples",
            type=whole_number(LEAST_RESAMPLES, MOST_RESAMPLES),
            default=RESAMPLES,
            help="Resamples for --interval queries (default: %(default)s).",
        )
        parser.add_argument(
            "--level",
            type=number(0, 1, ends=False),
            default=LEVEL,
            help="Of the intervals (default: %(default)s).",
        )
        parser.add_argument(
            "--seed", type=seed, default=0, help="Of the resamples (default: %(default)s)."
        )

    def handle(self, **options: Any) -> None:
        batch = get_batch(name=options["batch"])
        if options["queries_with"]:
            qids = _queries_with(batch, options["queries_with"], options["question"])
            self.print_result(options, {"queries": qids}, "\n".join(qids))
            return
        agreement = batch_agreement(
            batch=batch,
            question=options["question"],
            strict=options["strict"],
            interval=IntervalMethod(options["interval"]),
            resamples=options["resamples"],
            level=options["level"],
            seed=options["seed"],
        )
        progress = batch_progress(batch=batch)
        lines = _summary(agreement, progress) + (_details(agreement) if options["details"] else [])
        result = {**as_dict(agreement, details=options["details"]), "votes": progress.votes}
        self.print_result(options, result, lines)


def _queries_with(batch: Batch, pattern: str, question: str) -> list[str]:
    """The queries behind a pattern such as 2-1, or behind a confusion such as f,m."""
    first, comma, second = pattern.partition(",")
    codes = nominal_question(batch=batch, name=question).codes
    if comma and {first, second} <= set(codes):
        return queries_with_confusion(batch=batch, first=first, second=second, question=question)
    if comma or not all(part.isdecimal() for part in pattern.split("-")):
        raise InputError(f"{pattern!r} is no pattern.", remedy="Write for example 2-1, or f,m.")
    return queries_with_pattern(batch=batch, pattern=pattern, question=question)


def _summary(agreement: Agreement, progress: BatchProgress) -> list[str]:
    others, noun, each = progress.other_votes, progress.item_noun, agreement.votes_per_query
    mean = "" if each is None else f" ({each:.2f} per {noun})"
    n_queries, n_votes = agreement.n_queries, agreement.n_votes
    lines = [
        f"{counted(n_queries, noun)}, {n_votes:,} votes{mean} of {agreement.n_workers} workers",
        *([f"not among them: {', '.join(others)}"] if others else []),
        "votes: " + ", ".join(f"{code} {count:,}" for code, count in agreement.categories.items()),
        "majority: "
        + ", ".join(f"{code} {count:,}" for code, count in agreement.majority.items())
        + f", tie {agreement.ties:,}",
        "",
        _line("raw agreement", agreement.raw_agreement),
        _line("Krippendorff's alpha", agreement.krippendorff_alpha),
        _line("Gwet's AC1", agreement.gwet_ac1),
        _line("Fleiss' kappa", agreement.fleiss_kappa),
        *(
            _line(f"alpha of {code}", estimate)
            for code, estimate in agreement.per_category_alpha.items()
        ),
        "",
        interval_words(agreement.interval),
        *([agreement.variance.advice] if agreement.variance else []),
    ]
    return lines + [f"\n! {warning}" for warning in agreement.warnings]


def _details(agreement: Agreement) -> list[str]:
    lines = [""]
    lines += [_line(f"votes {name}", estimate) for name, estimate in agreement.patterns.items()]
    lines += [
        _line(f"confirmed: {code}", estimate)
        for code, estimate in agreement.specific_agreement.items()
    ]
    for first, row in agreement.confusion.items():
        lines += [
            _line(f"{first}, another says {second}", estimate)
            for second, estimate in row.items()
            if second != first and estimate.value
        ]
    return lines


def _line(name: str, estimate: Estimate) -> str:
    if estimate.value is None:
        return f"{name:<26} undefined"
    interval = (
        ""
        if estimate.low is None
        else f"   {estimate.level:.0%} interval {estimate.low:.4f} to {estimate.high:.4f}"
    )
    return f"{name:<26} {estimate.value:8.4f}{interval}"
