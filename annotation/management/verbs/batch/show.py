"""Command: progress of a batch."""

from argparse import ArgumentParser
from dataclasses import asdict
from typing import Any

from django.conf import settings

from annotation.batches.queries.batches import BatchProgress, batch_progress, get_batch
from annotation.batches.queries.pay import HourlyPay, hourly_pay
from annotation.core.base_command import FairpoolCommand


class Command(FairpoolCommand):
    help = "Show how far a batch is: HITs, votes, workers, money."
    example = "batch show first --json"

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("batch", metavar="BATCH", help="Name of the batch.")

    def handle(self, **options: Any) -> None:
        batch = get_batch(name=options["batch"])
        progress, pay = batch_progress(batch=batch), hourly_pay(batch=batch)
        warnings = _warnings(pay)
        result = {**asdict(progress), **asdict(pay), "warnings": warnings}
        del result["item_noun"]
        self.print_result(options, result, [*_lines(progress), *_pay(pay), *warnings])


def _pay(pay: HourlyPay) -> list[str]:
    if pay.usd_per_hour is None:
        return []
    pace = f"at the median of {pay.median_seconds:.0f} s for a HIT"
    people = f"({pay.n_answers_timed:,} answers of people)"
    return [f"Pay:     {pay.usd_per_hour:,} USD an hour {pace} {people}"]


def _warnings(pay: HourlyPay) -> list[str]:
    if pay.is_implausible:
        wage = "nobody reads so fast: that is not a wage"
        return [f"Warning: {wage}. Look at the workers: `worker quality`."]
    floor = settings.MTURK_HOURLY_FLOOR
    if pay.usd_per_hour is None or pay.usd_per_hour >= floor:
        return []
    remedy = "Raise the reward of the next batch, and pay the difference with `batch bonus`."
    return [f"Warning: that is below {floor:g} USD an hour. {remedy}"]


def _lines(progress: BatchProgress) -> list[str]:
    marks = [
        f"{number:,} {kind}"
        for number, kind in (
            (progress.n_votes_simulated, "simulated"),
            (progress.n_votes_model, "by language models"),
        )
        if number
    ]
    budget = "no budget" if progress.budget is None else f"budget {progress.budget:,} USD"
    hits = (
        f"{progress.n_hits_published:,} of {progress.n_hits:,} published, "
        f"{progress.n_hits_unknown:,} unknown, {progress.n_hits_refused:,} refused"
    )
    answers = ", ".join(
        [
            f"{progress.n_assignments:,} of {progress.n_assignments_expected:,}",
            f"{progress.n_quarantined:,} unreadable",
            *progress.free_places,
        ]
    )
    votes = (
        f"{progress.n_votes:,} of {progress.n_votes_expected:,} by {progress.n_workers:,} workers"
    )
    others = "".join(f", {other}" for other in progress.other_votes)
    return [
        f"{progress.name}: {progress.state_name}, {progress.environment_name}",
        f"HITs:    {hits}",
        f"Answers: {answers}",
        f"Votes:   {votes}" + (f" ({', '.join(marks)})" if marks else "") + others,
        f"Money:   {progress.committed:,} USD committed, {progress.spent:,} USD spent, {budget}",
        *([f"Paid:    {progress.where_paid}"] if progress.where_paid else []),
    ]
