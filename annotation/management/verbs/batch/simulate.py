"""Answer a local batch with simulated workers."""

from argparse import ArgumentParser
from typing import Any

from annotation.batches.queries.batches import get_batch
from annotation.core.base_command import FairpoolCommand
from annotation.overview.operations.simulation import batch_simulate, crowd_of, read_truth
from metrics.cli.numbers import seed, share, whole_number

#: Most simulated workers: ids have room for these, and each keeps a session.
_MOST_WORKERS = 999


class Command(FairpoolCommand):
    help = (
        "Let simulated workers answer a published batch of the local crowd service, over HTTP as a "
        "browser would. Simulated votes are permanently marked."
    )
    example = "batch simulate demo --truth sample/truth.csv --seed 7 --accuracy 0.9"

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("batch", metavar="BATCH", help="Name of the batch.")
        parser.add_argument(
            "--truth",
            help="File of true answers: qid,query,label or qid<TAB>label, with labels as those of "
            "gold questions. Left out, the truth is made up.",
        )
        parser.add_argument(
            "--seed", type=seed, required=True, help="Determines every vote: a whole number from 0."
        )
        parser.add_argument(
            "--workers",
            type=whole_number(1, _MOST_WORKERS),
            default=12,
            help="How many workers there are (default 12).",
        )
        parser.add_argument(
            "--accuracy",
            type=share,
            default=0.9,
            help="Mean share of right votes, 0 to 1 (default 0.9); workers differ from each other.",
        )

    def handle(self, **options: Any) -> None:
        batch, path = get_batch(name=options["batch"]), options["truth"]
        truth = read_truth(path, batch.scheme) if path else {}
        crowd = crowd_of(
            seed=options["seed"], n_workers=options["workers"], accuracy=options["accuracy"]
        )
        total = batch.hits.count()
        with self.progress(options, "Answering", total, "HITs") as progress:
            done = batch_simulate(batch=batch, truth=truth, crowd=crowd, progress=progress)
        self.print_result(
            options,
            done._asdict(),
            f"{done.n_workers} simulated workers handed in {done.n_assignments} assignments "
            f"with {done.n_votes} votes. They are marked as simulated.",
        )
