"""counterfactual: a collection with the genders swapped."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from ..io.file_kinds import COUNTERFACTUAL
from ..io.outputs import InputFile, InputStream, add_file_option, add_force_option, output_file
from ..io.packing import PACKED_HELP
from ..version import VERSION
from ..vocabulary import FORMATS
from .command import Command
from .numbers import add_count_option


class Counterfactual(Command):
    help = (
        "Write a collection in which every gendered word and first name is its counterpart. Run "
        "the ranker on both collections and compare the runs with fairpool compare: that is CRBO."
    )
    example = "counterfactual collection.tsv --output counterfactual.tsv"

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "collection",
            type=InputStream,
            metavar="COLLECTION",
            help="Lines docno<TAB>text, or JSON lines, or - for standard input. " + PACKED_HELP,
        )
        parser.add_argument(
            "-o",
            "--output",
            required=True,
            type=output_file(COUNTERFACTUAL, sidecar=True),
            metavar="CF.tsv",
            help="The file to write: TSV, or JSON lines where the name says .jsonl; compressed "
            "where it ends in .gz or .zst. OUT.meta.json beside it records how it was made.",
        )
        add_force_option(parser)
        parser.add_argument(
            "--format",
            choices=FORMATS,
            default="auto",
            help="The lines of the collection (default: %(default)s).",
        )
        add_file_option(parser, "--words", "Pairs female,male of words (default: built in).")
        parser.add_argument(
            "--names",
            type=InputFile,
            default="representative",
            metavar="FILE|representative|common",
            help="Pairs female,male of first names: a file, those of the 163 + 163 "
            "gender-representative words as in the ECIR 2024 study, or 84 common ones "
            "(default: %(default)s).",
        )
        parser.add_argument(
            "--her",
            choices=("tagger", "rules"),
            default="tagger",
            help="How to decide whether her is his or him: by part of speech, or by rules alone "
            "(default: %(default)s).",
        )
        help_text = "Cores to use (default: 1)."
        add_count_option(parser, "--processes", 1, help_text, metavar="N")

    def handle(self, *_args: Any, **options: Any) -> None:
        from ..io.digests import digest_of
        from ..io.files import write_text
        from ..reports.formats.tables import to_json
        from ..texts.counterfactual import read_pairs, rewrite_collection

        path, output = Path(options["collection"]), Path(options["output"])
        pairs = read_pairs(options["words"], options["names"])
        size = path.stat().st_size if path.is_file() else None
        with self.progress(options, "swapping", size, "B") as progress:
            done = rewrite_collection(
                path,
                output,
                pairs=pairs,
                method=options["her"],
                format=options["format"],
                processes=options["processes"],
                progress=progress,
            )
        summary = {
            "fairpool": VERSION,
            "collection": path.name,
            "n_documents": done.n_documents,
            "n_changed": done.n_changed,
            "words": Path(options["words"]).name if options["words"] else "built in",
            "names": Path(options["names"]).name,
            "pairs_sha256": pairs.sha256,
            "her": options["her"],
            "digest": digest_of(output),
        }
        write_text(f"{output}.meta.json", to_json(summary))
        line = f"{done.n_changed:,} of {done.n_documents:,} passages changed, in {output}."
        self.print_result(options, summary, line)
