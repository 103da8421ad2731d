"""score: a collection of passages to its gender magnitudes."""

from argparse import ArgumentParser
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..engines import SHARD_SIZE, engine_names
from ..errors import InputError
from ..io.file_kinds import SCORED_COLLECTION
from ..io.listing import LISTING_HELP, InputFiles, listed_files
from ..io.outputs import ExtendedFile, InputFile, add_output_option, output_file
from ..io.packing import PACKED_HELP
from ..vocabulary import FORMATS, Tokenizer
from .command import Command
from .numbers import number, whole_number
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
            type=InputFiles,
            help="One or several files of one collection: lines docno<TAB>text, or JSON lines, "
            f"or - for standard input; or Parquet with columns id and text. {LISTING_HELP} "
            f"{PACKED_HELP}",
        )
        add_output_option(parser, output_file(SCORED_COLLECTION), "M.parquet")
        parser.add_argument(
            "--extend",
            type=ExtendedFile,
            metavar="OLD.parquet",
            help="Add the passages to this scored collection, without reading its files again; "
            "it stays as it is unless it is also the file to write.",
        )
        parser.add_argument(
            "--format",
            choices=FORMATS,
            default="auto",
            help="Format of the collection; auto decides by the name, then by the first byte "
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
            help="Cores to use, as threads of one process, or as workers of an engine that is "
            "started here (default: all).",
        )
        group = parser.add_argument_group("beyond one machine")
        group.add_argument(
            "--engine",
            choices=engine_names(),
            help="Score in shards: in processes of this machine, on Dask or on Ray. The file is "
            "the same; all workers must see the collection and the place of the output under the "
            "names that are given. Finished parts stay until all are joined, and the same command "
            "goes on with them (default: threads of one process).",
        )
        group.add_argument(
            "--scheduler",
            metavar="HOST:PORT",
            help="The engine's scheduler, where one runs already (default: one is started here).",
        )
        group.add_argument(
            "--parts",
            action="store_true",
            help="Write no file, but a folder of parts with a manifest, for collections that "
            "one file should not hold. The folder can be used like a scored collection.",
        )
        group.add_argument(
            "--shard-size",
            type=number(0, 1 << 40),
            metavar="MB",
            help="Megabytes that one job scores; a packed file is not divided, small ones are "
            f"gathered (default: {SHARD_SIZE >> 20}).",
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
                f"{len(selection) - metadata.n_documents:,} of the {len(selection):,} "
                "documents that the runs name are not in the collection."
            )
        output = options["output"]
        line = f"{metadata.n_documents:,} passages scored into {output}."
        self.print_result(options, {"output": output, **vars(metadata)}, line)

    def score(self, lexicon: "Lexicon", options: dict[str, Any]) -> "Metadata":
        """Write the scored collection, and show how far it is."""
        from ..texts.scoring import score_collection

        files = listed_files(options["collection"])
        paths = [Path(path) for path in files]
        # Standard input has no size to show progress against; what is missing is reported later.
        known = all(path.is_file() for path in paths)
        size = sum(path.stat().st_size for path in paths) if known else None
        with self.progress(options, "scoring", size, "B") as progress:
            return score_collection(
                files,
                options["output"],
                lexicon=lexicon,
                tokenizer=options["tokenizer"],
                format=options["format"],
                extend=options["extend"],
                repair_encoding=options["repair_encoding"],
                selection=options["selection"],
                threads=options["processes"],
                engine=options["engine"],
                scheduler=options["scheduler"],
                as_parts=options["parts"],
                shard_size=int((options["shard_size"] or SHARD_SIZE >> 20) * (1 << 20)) or 1,
                progress=progress,
            )


def _documents_of(paths: list[str]) -> "Selection":
    """The documents that the runs at `paths` name, those of a run with 261.0 alone also as 261."""
    from ..io.digests import AND
    from ..io.ids import is_float
    from ..results.meeting import renamed_documents
    from ..runs.reading import read_runs
    from ..texts.scan.selection import Selection

    runs = read_runs({path: path for path in paths})
    # The other way round, each of millions of whole numbers would be written anew.
    floats = [run for run in runs if all(map(is_float, run.docnos.tolist()))]
    return Selection(
        [run.docnos for run in runs],
        AND.join(run.digest for run in runs),
        [renamed_documents(run).docnos for run in floats],
    )
