"""score_collection: a collection of passages to its gender magnitudes."""

from argparse import ArgumentTypeError
from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from metrics.collection import FORMATS
from metrics.lexicon import Lexicon, read_lexicon
from metrics.magnitude import unmatchable_words
from metrics.magnitude_store import Metadata
from metrics.management.command import FairpoolCommand
from metrics.scoring import score_collection
from metrics.tokens import TOKENIZERS


def at_least_one(text: str) -> int:
    """A number of cores from the command line; anything below 1 is a usage error."""
    number = int(text)
    if number < 1:
        raise ArgumentTypeError(f"{number} is less than 1")
    return number


class Command(FairpoolCommand):
    help = "Count the gender words of every passage of a collection, into one Parquet file."
    example = "score_collection collection.tsv --tokenizer word --output magnitudes.parquet"

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "collection",
            metavar="COLLECTION",
            nargs="+",
            help="One or several files of one collection: lines docno<TAB>text, or JSON lines; "
            "plain, .gz, .zst, or - for standard input.",
        )
        parser.add_argument(
            "--output", required=True, metavar="M.parquet", help="The file to write."
        )
        parser.add_argument(
            "--extend",
            metavar="OLD.parquet",
            help="Add the passages to this scored collection, whose files are not read again; it "
            "stays as it is unless it is also the file to write.",
        )
        parser.add_argument(
            "--format",
            choices=FORMATS,
            default="auto",
            help="The lines of the collection; auto goes by the name, then the first byte "
            "(default: %(default)s).",
        )
        parser.add_argument(
            "--lexicon",
            metavar="FILE",
            help="Word list of lines word,group (default: the 32 + 32 words of Rekabsaz & "
            "Schedl 2020).",
        )
        parser.add_argument(
            "--tokenizer",
            choices=TOKENIZERS,
            default="word",
            help="word for new studies, whitespace to reproduce published tables "
            "(default: %(default)s).",
        )
        parser.add_argument(
            "--processes",
            type=at_least_one,
            metavar="N",
            help="Cores to use, as threads of one process (default: all).",
        )

    def handle(self, *_args: Any, **options: Any) -> None:
        lexicon, tokenizer = read_lexicon(options["lexicon"]), options["tokenizer"]
        unmatchable = unmatchable_words(lexicon, tokenizer)
        if unmatchable:
            self.note(f"The tokenizer {tokenizer} never makes: {', '.join(unmatchable)}.")
        metadata = self.score(lexicon, options)
        if options["as_json"]:
            self.print_json({"output": options["output"], **vars(metadata)})
        else:
            self.stdout.write(f"{metadata.n_documents:,} passages scored into {options['output']}.")

    def score(self, lexicon: Lexicon, options: dict[str, Any]) -> Metadata:
        """Write the scored collection, and show how far it is."""
        paths = [Path(path) for path in options["collection"]]
        # Standard input has no size to show progress against; what is missing is reported later.
        known = all(path.is_file() for path in paths)
        size = sum(path.stat().st_size for path in paths) if known else None
        with self.progress("scoring", total=size, unit="B", quiet=options["quiet"]) as progress:
            return score_collection(
                options["collection"],
                options["output"],
                lexicon=lexicon,
                tokenizer=options["tokenizer"],
                format=options["format"],
                extend=options["extend"],
                threads=options["processes"],
                progress=progress,
            )
