"""source-bias: whether rankers prefer what a language model wrote."""

from argparse import ArgumentParser
from typing import Any

from ..io.file_kinds import table_kind
from ..io.outputs import InputFile, add_file_option, add_output_option, output_file
from ..vocabulary import CUTOFFS
from .command import Command
from .run_arguments import (
    add_cutoff_option,
    add_order_option,
    add_run_option,
    chosen_cutoffs,
    named_paths,
    words,
)
from .score_arguments import add_scores_options, chosen_scores
from .table_output import add_format_option, write_table

_TABLE = table_kind("a table of source bias", ("run", "measure", "cutoff", "sources"))


class _Source(InputFile):
    """The value of `--source`: a pattern names no file."""

    __slots__ = ()

    @property
    def path(self) -> str:
        return "" if "(?P<" in self else str(self)


class SourceBias(Command):
    help = (
        "Measure whether rankers prefer what one source wrote, such as a language model, over "
        "another's copy of the same documents, ranked together: SourceDelta (Relative Delta of "
        "nDCG), SourceShare and SourceTwins, with intervals over queries."
    )
    example = (
        "source-bias --run bm25.run --qrels qrels.txt "
        "--source '(?P<document>.+)-(?P<source>human|llm)'"
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        add_run_option(parser)
        add_file_option(
            parser,
            "--qrels",
            "Judgements of the copies, or of the documents that they are copies of.",
            required=True,
        )
        parser.add_argument(
            "--source",
            required=True,
            type=_Source,
            metavar="FILE|PATTERN",
            help="Lines docno,source, or a pattern of ids that names source and document.",
        )
        parser.add_argument(
            "--pair",
            type=words,
            metavar="A,B",
            help="The sources that are compared, A minus B (default: the two that there are).",
        )
        add_cutoff_option(parser)
        add_scores_options(parser)
        add_order_option(parser)
        add_output_option(parser, output_file(_TABLE, or_printed=True), "OUT", required=False)
        add_format_option(parser)

    def handle(self, *_args: Any, **options: Any) -> None:
        from ..machine_texts import rows_of_sources, sources_of
        from ..results.source_bias import COLUMNS
        from ..runs import read_run
        from ..runs.qrels import read_qrels

        sources = sources_of(str(options["source"]), options["pair"])
        runs = [
            read_run(path, name, options["order"])
            for name, path in named_paths(options["runs"]).items()
        ]
        rows = rows_of_sources(
            runs,
            read_qrels(options["qrels"]),
            sources,
            chosen_cutoffs(options, CUTOFFS),
            scores=chosen_scores(self, options),
        )
        write_table(self, rows, COLUMNS, options)
