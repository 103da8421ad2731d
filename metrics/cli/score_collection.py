"""score_collection: a collection of passages to its gender magnitudes."""

from argparse import ArgumentParser
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..io.file_kinds import SCORED_COLLECTION
from ..io.outputs import ExtendedFile, InputFile, add_file_option, add_output_option, output_file
from ..vocabulary import FORMATS, TOKENIZERS
from .command import Command
from .numbers import whole_number

if TYPE_CHECKING:
    from ..texts.lexicon import Lexicon
    from ..texts.magnitude_store import Metadata


class ScoreCollection(Command):
    help = "Count the gender words of every passage of a collection, into one Parquet file."
    example = "score_collection collection.tsv --tokenizer word --output magnitudes.parquet"

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "collection",
            metavar="COLLECTION",
            nargs="+",
            type=InputFile,
            help="One or several files of one collection: lines docno<TAB>text, or JSON lines; "
            "plain, .gz, .zst, or - for standard input.",
        )
        add_output_option(parser, output_file(SCORED_COLLECTION), "M.parquet")
        parser.add_argument(
            "--extend",
            type=ExtendedFile,
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
        add_file_option(
            parser,
            "--lexicon",
            "Word list of lines word,group, or a built-in one: rekabsaz_schedl_2020, the "
            "32 + 32 words of SIGIR 2020, or rekabsaz_kopeinik_schedl_2021, the 163 + 163 of "
            "SIGIR 2021 and ECIR 2024 (default: the first).",
            metavar="FILE|NAME",
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
            type=whole_number(1),
            metavar="N",
            help="Cores to use, as threads of one process (default: all).",
        )

    def handle(self, *_args: Any, **options: Any) -> None:
        from ..texts.lexicon import read_lexicon
        from ..texts.magnitude import unmatchable_words

        lexicon, tokenizer = read_lexicon(options["lexicon"]), options["tokenizer"]
        unmatchable = unmatchable_words(lexicon, tokenizer)
        if unmatchable:
            self.note(f"The tokenizer {tokenizer} never makes: {', '.join(unmatchable)}.")
        metadata = self.score(lexicon, options)
        output = options["output"]
        line = f"{metadata.n_documents:,} passages scored into {output}."
        self.print_result(options, {"output": output, **vars(metadata)}, line)

    def score(self, lexicon: "Lexicon", options: dict[str, Any]) -> "Metadata":
        """Write the scored collection, and show how far it is."""
        from ..texts.scoring import score_collection

        paths = [Path(path) for path in options["collection"]]
        # Standard input has no size to show progress against; what is missing is reported later.
        known = all(path.is_file() for path in paths)
        size = sum(path.stat().st_size for path in paths) if known else None
        with self.progress(options, "scoring", size, "B") as progress:
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
