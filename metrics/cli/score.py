"""score: a collection of passages to its gender magnitudes."""

from argparse import ArgumentParser
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import InputError
from ..io.file_kinds import SCORED_COLLECTION
from ..io.outputs import ExtendedFile, InputFile, InputStream, add_output_option, output_file
from ..vocabulary import FORMATS, Tokenizer
from .command import Command
from .numbers import whole_number
from .score_arguments import add_lexicon_options

if TYPE_CHECKING:
    from ..texts.lexicon import Lexicon
    from ..texts.magnitude_store import Metadata
    from ..texts.scan.selection import Selection


class Score(Command):
    help = "Count the gender words of every passage of a collection, into one Parquet file."
    example = "score collection.tsv --tokenizer word --output magnitudes.parquet"

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "collection",
            metavar="COLLECTION",
            nargs="+",
            type=InputStream,
            help="One or several files of one collection: lines docno<TAB>text, or JSON lines, "
            "plain, .gz, .zst, or - for standard input; or Parquet with columns id and text.",
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
            help="How the collection is written; auto goes by the name, then the first byte "
            "(default: %(default)s).",
        )
        parser.add_argument(
            "--only-run",
            nargs="+",
            type=InputFile,
            metavar="RUN",
            help="Score only the documents that these runs name: faster and smaller, for measures "
            "that need no other document of the collection (default: all documents).",
        )
        add_lexicon_options(parser)
        parser.add_argument(
            "--processes",
            type=whole_number(1),
            metavar="N",
            help="Cores to use, as threads of one process (default: all).",
        )

    def handle(self, *_args: Any, **options: Any) -> None:
        from ..texts.lexicon import read_lexicon
        from ..texts.magnitude import unmatchable_words

        if options["only_run"] and options["extend"]:
            raise InputError(
                "--only-run and --extend exclude each other: a part of a collection cannot grow.",
                remedy="Give one of them.",
            )
        lexicon = read_lexicon(options["lexicon"])
        tokenizer: Tokenizer = options["tokenizer"] or "word"
        unmatchable = unmatchable_words(lexicon, tokenizer)
        if unmatchable:
            self.note(f"The tokenizer {tokenizer} never makes: {', '.join(unmatchable)}.")
        selection = _documents_of(options["only_run"]) if options["only_run"] else None
        metadata = self.score(lexicon, options | {"tokenizer": tokenizer, "selection": selection})
        if selection is not None and metadata.n_documents < len(selection):
            self.note(
                f"{len(selection) - metadata.n_documents:,} of the {len(selection):,} documents "
                "that the runs name are not in the collection."
            )
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
                repair_encoding=options["repair_encoding"],
                selection=options["selection"],
                threads=options["processes"],
                progress=progress,
            )


def _documents_of(paths: list[str]) -> "Selection":
    """The documents that the runs at `paths` name."""
    from ..io.digests import AND
    from ..runs.reading import read_runs
    from ..texts.scan.selection import Selection

    runs = read_runs({path: path for path in paths})
    return Selection([run.docnos for run in runs], AND.join(run.digest for run in runs))
