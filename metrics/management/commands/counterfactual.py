"""counterfactual: a collection with the genders swapped."""

from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from metrics.collection import FORMATS
from metrics.counterfactual import read_pairs, rewrite_collection
from metrics.files import sha256_of, write_text
from metrics.management.command import FairpoolCommand
from metrics.tables import to_json
from metrics.version import VERSION


class Command(FairpoolCommand):
    help = (
        "Write a collection in which every gendered word and first name is its counterpart. Run "
        "the ranker on both collections and compare the runs with compare_runs: that is CRBO."
    )
    example = "counterfactual collection.tsv --output counterfactual.tsv"

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "collection",
            metavar="COLLECTION",
            help="Lines docno<TAB>text, or JSON lines; plain, .gz, .zst, or - for standard input.",
        )
        parser.add_argument(
            "--output",
            required=True,
            metavar="CF.tsv",
            help="The file to write: TSV, or JSON lines where the name says .jsonl; compressed "
            "where it ends in .gz or .zst. OUT.meta.json beside it says how it was made.",
        )
        parser.add_argument(
            "--format",
            choices=FORMATS,
            default="auto",
            help="The lines of the collection (default: %(default)s).",
        )
        parser.add_argument(
            "--words", metavar="FILE", help="Pairs female,male of words (default: built in)."
        )
        parser.add_argument(
            "--names", metavar="FILE", help="Pairs female,male of first names (default: built in)."
        )
        parser.add_argument(
            "--her",
            choices=("tagger", "rules"),
            default="tagger",
            help="How to decide whether her is his or him: by part of speech, or by rules alone "
            "(default: %(default)s).",
        )
        parser.add_argument(
            "--processes", type=int, default=1, metavar="N", help="Cores to use (default: 1)."
        )

    def handle(self, **options: Any) -> None:
        path, output = Path(options["collection"]), Path(options["output"])
        pairs = read_pairs(options["words"], options["names"])
        size = path.stat().st_size if path.is_file() else None
        with self.progress("swapping", total=size, unit="B", quiet=options["quiet"]) as progress:
            done = rewrite_collection(
                path,
                output,
                pairs=pairs,
                method=options["her"],
                format=options["format"],
                processes=options["processes"],
                progress=progress,
            )
        made = {
            "fairpool": VERSION,
            "collection": path.name,
            "n_documents": done.n_documents,
            "n_changed": done.n_changed,
            "pairs_sha256": pairs.sha256,
            "her": options["her"],
            "sha256": sha256_of(output),
        }
        write_text(f"{output}.meta.json", to_json(made))
        if options["as_json"]:
            self.print_json(made)
        else:
            self.stdout.write(
                f"{done.n_changed:,} of {done.n_documents:,} passages changed, in {output}."
            )
