"""Score a collection by the workers of the site."""

from argparse import ArgumentParser, ArgumentTypeError
from pathlib import Path
from typing import Any

from annotation.core.base_command import FairpoolCommand
from annotation.core.commands import actor
from annotation.management.sharding import score_with_workers
from metrics.cli.numbers import number
from metrics.cli.score import Score
from metrics.errors import InputError
from metrics.io.storage import absolute
from metrics.texts.lexicon import Lexicon
from metrics.texts.magnitude_store import Metadata
from metrics.texts.shards import SHARD_SIZE, plan_shards

_MEGABYTE = 1 << 20
_megabytes = number(0, 1 << 40)


def megabytes(text: str) -> int:
    """A size in megabytes from the command line, in bytes; not above 0 is a usage error."""
    size = int(_megabytes(text) * _MEGABYTE)
    if size < 1:
        raise ArgumentTypeError(f"{text} is not above 0")
    return size


class Command(Score, FairpoolCommand):
    help = (
        "Let the workers of this site score a collection in shards, and join their parts to one "
        "file of magnitudes, the same that `fairpool score` writes on one machine."
    )
    example = "collection score-shards /mnt/marco/passages.tsv --output passages.parquet"

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        group = parser.add_argument_group(
            "on several machines",
            "Workers must see COLLECTION under the name that you give: a shared mount, or "
            "s3://bucket/name with AWS_* in the environment of all.",
        )
        group.add_argument(
            "--parts",
            metavar="FOLDER",
            help="Where all workers may write their parts: a folder of a shared mount or a URL "
            "(default: that of M.parquet).",
        )
        group.add_argument(
            "--shard-size",
            type=megabytes,
            default=SHARD_SIZE,
            metavar="MB",
            help="Megabytes of a plain file that one task scores, and that are lost with its "
            f"worker; a .gz or .zst is one shard (default: {SHARD_SIZE // _MEGABYTE}).",
        )

    def score(self, lexicon: Lexicon, options: dict[str, Any]) -> Metadata:
        if options["selection"] is not None:
            raise InputError(
                "--only-run does not go with workers.",
                remedy="Score what the runs name with fairpool score.",
            )
        if options["extend"]:
            raise InputError(
                "--extend does not go with workers.",
                remedy="Score the new files with fairpool score: the old ones are not read again.",
            )
        if options["repair_encoding"]:
            raise InputError(
                "--repair-encoding does not go with workers.", remedy="Use fairpool score."
            )
        plan = plan_shards(options["collection"], options["format"], options["shard_size"])
        label = f"scoring {len(plan.shards):,} shards"
        size = sum(file.size for file in plan.files)
        with self.progress(options, label, size, "B") as progress:
            return score_with_workers(
                plan,
                options["output"],
                lexicon=lexicon,
                tokenizer=options["tokenizer"],
                parts=absolute(options["parts"] or Path(options["output"]).parent),
                actor=actor(),
                progress=progress,
                tell=self.note,
            )
