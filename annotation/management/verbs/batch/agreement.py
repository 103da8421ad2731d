"""Command: agreement of a batch's voters, with intervals and warnings."""

from typing import Any

from django.core.management.base import CommandParser

from annotation.batches.queries.batches import BatchProgress, batch_progress, get_batch
from annotation.batches.queries.queries import QueryFilter, batch_queries
from annotation.core.counting import about_items, counted
from annotation.core.options import ParametersCommand
from annotation.core.parameters import fields_of, read_parameters
from annotation.labels.queries.agreement import AgreementParameters, NamedAgreement, batch_agreement
from annotation.labels.queries.questions import nominal_question
from annotation.models import Batch
from metrics.errors import InputError
from metrics.votes.agreement import Agreement, interval_words
from metrics.votes.intervals import Estimate
from metrics.votes.table import Kind


class Command(ParametersCommand):
    help = (
        "Say how much the voters of a batch agree: raw agreement, Krippendorff's alpha, Gwet's "
        "AC1, Fleiss' kappa, alpha per category, ties, each coefficient with an interval for other "
        "queries and other workers."
    )
    example = "batch agreement study --json"

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("batch", metavar="BATCH", help="Name of the batch.")
        self.add_fields(parser, fields_of(AgreementParameters))
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

    def handle(self, **options: Any) -> None:
        with self.usage_errors():
            values = self.sent(AgreementParameters, options)
            parameters = read_parameters(AgreementParameters, values)
        batch = get_batch(name=options["batch"])
        if options["queries_with"]:
            qids = _queries_with(batch, options["queries_with"], parameters.question)
            self.print_result(options, {"queries": qids}, "\n".join(qids))
            return
        agreement = batch_agreement(batch=batch, parameters=parameters)
        progress, details = batch_progress(batch=batch), options["details"]
        lines: list[str] = []
        for row in agreement.questions:
            if len(agreement.questions) > 1:
                lines += ["", f"{row.name}: {row.coefficient} alpha"]
            lines += _summary(row, progress) + (_details(row) if details else [])
        result = {**agreement.as_dict(details=details), "votes": progress.votes}
        self.print_result(options, result, lines)


def _queries_with(batch: Batch, pattern: str, question: str) -> list[str]:
    """The queries behind a pattern such as 2-1, or behind a confusion such as f,m."""
    first, comma, second = pattern.partition(",")
    if not (comma or all(part.isdecimal() for part in pattern.split("-"))):
        raise InputError(f"{pattern!r} is not a pattern.", remedy="Write for example 2-1, or f,m.")
    filters = QueryFilter(
        question=question or nominal_question(batch=batch).name,
        pattern="" if comma else pattern,
        first=comma and first,
        second=second,
    )
    return [row.qid for row in batch_queries(batch=batch, filters=filters).rows]


def _summary(agreement: NamedAgreement, progress: BatchProgress) -> list[str]:
    others, noun, each = progress.other_votes, progress.item_noun, agreement.votes_per_query
    is_nominal = agreement.coefficient == Kind.NOMINAL
    mean = "" if each is None else f" ({each:.2f} per {noun})"
    n_queries, n_votes = agreement.n_queries, agreement.n_votes
    return [
        f"{counted(n_queries, noun)}, {n_votes:,} votes{mean} of {agreement.n_workers} workers",
        *([f"not among them: {', '.join(others)}"] if others else []),
        "votes: " + ", ".join(f"{code} {count:,}" for code, count in agreement.categories.items()),
        f"{'majority' if is_nominal else 'decided'}: "
        + ", ".join(f"{code} {count:,}" for code, count in agreement.majority.items())
        + f", tie {agreement.ties:,}",
        "",
        *(_line(of.title, estimate) for of, _distance, estimate in agreement.measured),
        *(
            _line(f"alpha of {code}", estimate)
            for code, estimate in agreement.per_category_alpha.items()
        ),
        "",
        about_items(interval_words(agreement.interval), noun),
        *([agreement.variance.advice] if agreement.variance else []),
        *(f"\n! {about_items(warning, noun)}" for warning in agreement.warnings),
    ]


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
