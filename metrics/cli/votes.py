"""agree, decide: agreement of workers on files of votes, and the labels decided from them."""

from argparse import ArgumentParser
from typing import TYPE_CHECKING, Any

from ..io.file_kinds import table_kind
from ..io.outputs import InputFile, add_output_option, output_file
from ..vocabulary import LEVEL, RESAMPLES
from .command import Command
from .numbers import add_count_option, number, seed
from .table_output import write_table
from .vote_arguments import add_vote_file_options, listed, merged

if TYPE_CHECKING:
    from ..votes.reading import FileVotes

_AGREEMENT = table_kind("a table of agreement", ("coefficient", "option", "distance"))
_LABELS = table_kind("a table of decided labels", ("qid", "label", "state"))

_WRITTEN = "The file to write, as .csv, .json, .md or .tex (default: standard output)."


class _OfVotes(Command):
    """A command that reads files of votes on one question."""

    def add_arguments(self, parser: ArgumentParser) -> None:
        from ..votes.files.reader import IMPORT_FORMATS
        from ..votes.table import Kind

        add_vote_file_options(
            parser,
            InputFile,
            IMPORT_FORMATS,
            several="Plain or packed (gzip, bzip2, xz, zstd); several are votes on one question",
            labels="What a word of the files means; LABEL= leaves it out (default: words are the "
            "options; those that differ in capitals alone are one).",
        )
        parser.add_argument(
            "--options",
            metavar="CODE,...",
            help="All options, in their order; other answers are errors (default: those that "
            "occur).",
        )
        parser.add_argument(
            "--kind",
            choices=tuple(map(str, Kind)),
            default=Kind.NOMINAL.value,
            help="Kind of the options; several: codes joined by ; (default: %(default)s).",
        )

    def read(self, options: dict[str, Any]) -> "FileVotes":
        """The votes of the files; notes say how they were read."""
        from ..votes.files.mapping import read_names
        from ..votes.reading import read_votes

        read = read_votes(
            options["files"],
            layout=options["layout"],
            columns=merged(options["columns"]),
            labels=merged(options["labels"]),
            people=listed(options["people"]),
            ignore=listed(options["ignore"]),
            options=read_names(options["options"]) if options["options"] else None,
            gold=merged(options["gold"]),
        )
        for note in read.notes:
            self.note(note)
        return read


class Agree(_OfVotes):
    help = (
        "Measure how far workers agree: Krippendorff's alpha, Gwet's AC1, Fleiss' kappa and raw "
        "agreement, with intervals that hold for other workers, and alpha of each option."
    )
    example = "agree votes.csv --columns query_id=task --kind nominal"

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        parser.add_argument(
            "--suggested-by",
            default="",
            metavar="MODEL",
            help="The model whose labels the workers saw, so that their agreement is not their "
            "own.",
        )
        parser.add_argument(
            "--these-workers",
            action="store_true",
            help="Intervals for these workers only, by resampling the items; other workers "
            "would differ more (default: intervals for other workers).",
        )
        parser.add_argument(
            "--level",
            type=number(0, 1, ends=False),
            default=LEVEL,
            help="Level of the intervals (default: %(default)s).",
        )
        add_count_option(
            parser, "--resamples", RESAMPLES, "Resamples of --these-workers (default: %(default)s)."
        )
        parser.add_argument("--seed", type=seed, default=0, help="Seed of --these-workers.")
        add_output_option(
            parser, output_file(_AGREEMENT, or_printed=True), "OUT", _WRITTEN, required=False
        )

    def handle(self, *_args: Any, **options: Any) -> None:
        from dataclasses import replace

        from ..votes.agreeing import agree
        from ..votes.frames import votes_of_file
        from ..votes.intervals import IntervalMethod
        from ..votes.rows import agreement_rows

        votes = votes_of_file(self.read(options), options["kind"])
        measured = agree(
            replace(votes, suggested_by=options["suggested_by"]),
            interval=IntervalMethod.QUERIES
            if options["these_workers"]
            else IntervalMethod.QUERIES_AND_WORKERS,
            resamples=options["resamples"],
            level=options["level"],
            seed=options["seed"],
        )
        for text in measured.warnings:
            self.note(text)
        rows = [
            {name: cell for name, cell in row.items() if name != "question"}
            for row in agreement_rows("", measured)
        ]
        write_table(self, rows, list(rows[0]), options | {"format": None})


class Decide(_OfVotes):
    help = (
        "Decide a label for each item from the votes of several workers: by majority, or by a "
        "model of the workers. Ties are never broken at random."
    )
    example = "decide votes.csv --method dawid_skene -o labels.csv"

    def add_arguments(self, parser: ArgumentParser) -> None:
        from ..votes.deciding import ALL_METHODS

        super().add_arguments(parser)
        parser.add_argument(
            "--method",
            default="",
            choices=ALL_METHODS,
            help="gold_weighted weighs workers by their answers on gold questions of the files "
            "(default: majority, of options in an order median).",
        )
        parser.add_argument(
            "--strict", action="store_true", help="A majority needs more than half of the votes."
        )
        parser.add_argument("--seed", type=seed, default=0, help="Seed of mace.")
        parser.add_argument(
            "--probabilities",
            action="store_true",
            help="Also the probability of each option, of methods with a model, as p_CODE.",
        )
        add_output_option(
            parser,
            output_file(_LABELS, or_printed=True),
            "LABELS",
            _WRITTEN,
            required=False,
        )

    def handle(self, *_args: Any, **options: Any) -> None:
        from ..votes.deciding import check_method, decide_votes
        from ..votes.frames import votes_of_file
        from ..votes.rows import decision_rows

        read = self.read(options)
        votes = votes_of_file(read, options["kind"])
        check_method(options["method"], votes.kind, read.known)
        done = decide_votes(
            votes,
            options["method"],
            strict=options["strict"],
            seed=options["seed"],
            gold=votes_of_file(read, votes.kind, votes.options, of_gold=True),
            known=read.known,
        )
        for note in done.notes:
            self.note(note)
        rows = [
            {"qid": row["item"], "label": row["decided"]}
            | {name: cell for name, cell in row.items() if name not in _RENAMED}
            for row in decision_rows("", done, probabilities=options["probabilities"])
        ]
        write_table(self, rows, list(rows[0]), options | {"format": None})


#: The columns of rows that files have by other names, or without.
_RENAMED = ("question", "item", "decided")
