"""Agreement and decisions of a batch with a scheme, question by question."""

from typing import Any

from django.core.management.base import CommandParser

from annotation.batches.api.schemes import SchemeResultsSerializer
from annotation.batches.queries.batches import get_batch
from annotation.core.base_command import FairpoolCommand
from annotation.core.counting import about_items, counted
from annotation.labels.by_question import QuestionResult
from annotation.labels.queries.scheme_results import scheme_results
from metrics.vocabulary import INTERVAL


class Command(FairpoolCommand):
    help = (
        "Print how much the workers of a batch agree on each question, by the coefficient of "
        "its kind, how many queries are decided, and how many are in the subset."
    )
    example = "scheme agreement study --json"

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("batch", metavar="BATCH", help="Name of the batch.")

    def handle(self, **options: Any) -> None:
        batch = get_batch(name=options["batch"])
        results = scheme_results(batch=batch)
        noun = results.scheme.item_noun
        lines = [_line(question, noun) for question in results.questions]
        lines += dict.fromkeys(
            about_items(warning, noun)
            for question in results.questions
            for warning in question.agreement.warnings
        )
        lines.append(
            f"{len(results.subset):,} of {counted(len(results.queries), noun)}: "
            f"{results.scheme.subset.words}"
        )
        self.print_result(options, SchemeResultsSerializer(results).data, lines)


def _line(result: QuestionResult, noun: str) -> str:
    agreement, of = result.agreement, result.agreement.krippendorff_alpha
    alpha = "undefined" if of.value is None else f"{of.value:.4f}"
    if of.low is not None:
        alpha += f" ({INTERVAL} {of.low:.4f} to {of.high:.4f})"
    return (
        f"{result.question.name}: alpha, {agreement.coefficient}, {alpha}, "
        f"{agreement.n_votes:,} answers of {agreement.n_workers} workers "
        f"to {counted(agreement.n_queries, noun)}; "
        f"{result.n_decided:,} decided, {result.n_undecided:,} undecided"
    )
