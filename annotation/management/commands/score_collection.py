"""score_collection: also with `--celery`, which needs the workers and the database of the site."""

from argparse import ArgumentParser, ArgumentTypeError
from importlib import import_module
from pathlib import Path
from typing import Any

from metrics.cli.numbers import number
from metrics.cli.score_collection import ScoreCollection
from metrics.errors import InputError
from metrics.io.storage import absolute
from metrics.management.command import FairpoolCommand
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


class Command(ScoreCollection, FairpoolCommand):
    databases_with = frozenset({"--celery"})

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        group = parser.add_argument_group("on several machines")
        group.add_argument(
            "--celery",
            action="store_true",
            help="Let the workers of this site score the collection in shards, and join their "
            "parts to the same file. They must see COLLECTION under the name that you give: a "
            "shared mount, or s3://bucket/name with AWS_* in the environment of all.",
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
        if not options["celery"]:
            return super().score(lexicon, options)
        if options["extend"]:
            raise InputError(
                "--extend and --celery together.",
                remedy="Score the new files without --celery: the old ones are not read again.",
            )
        # Imported only now: with the services come SciPy, Matplotlib and more, two seconds of them.
        commands = import_module("annotation.core.commands")
        sharding = import_module("annotation.management.sharding")
        plan = plan_shards(options["collection"], options["format"], options["shard_size"])
        label = f"scoring {len(plan.shards):,} shards"
        size = sum(file.size for file in plan.files)
        with self.progress(options, label, size, "B") as progress:
            metadata: Metadata = sharding.score_with_workers(
                plan,
                options["output"],
                lexicon=lexicon,
                tokenizer=options["tokenizer"],
                parts=absolute(options["parts"] or Path(options["output"]).parent),
                actor=commands.actor(),
                progress=progress,
                tell=self.note,
            )
        return metadata
