"""chain: bias along the chain from retrieved documents to answers."""

from argparse import ArgumentParser
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import InputError
from ..io.file_kinds import table_kind, text_kind
from ..io.outputs import NamedInputFile, add_file_option, output_file
from .command import Command
from .numbers import add_count_option, whole_number
from .run_arguments import add_order_option, add_run_option, named_paths, words
from .score_arguments import add_scores_options, chosen_scores
from .table_output import add_output_options, write_table, write_values

if TYPE_CHECKING:
    from ..answers.answer import Answer
    from ..answers.reading import Columns

_TABLE = table_kind("a table of a chain", ("run", "figure", "step"))
_PER_QUERY = table_kind("a table of values per query", ("run", "qid", "measure"))


_FIGURE = text_kind("a figure", "<?xml", "%PDF", "\x89PNG")


#: The option of files of answers.
ANSWERS: dict[str, Any] = {
    "action": "append",
    "type": NamedInputFile,
    "metavar": "NAME=PATH",
    "help": "Answers as JSON lines: TREC RAG 2024 to 2026, TREC RAGTIME, or qid, answer and "
    "citations. PATH alone names systems by their run ids; once for each file.",
}


def add_groups_options(parser: ArgumentParser) -> None:
    """`--labels` and `--attribute`: groups of documents other than those of the word list."""
    add_file_option(
        parser, "--labels", "Groups of documents, of any kind: lines docno,group[,weight]."
    )
    parser.add_argument(
        "--attribute", default="", metavar="NAME", help="Which attribute of --labels to follow."
    )


class Chain(Command):
    help = (
        "Follow groups of documents from what was retrieved over what was referenced and cited to "
        "the words of the answer: their shares at each step, the changes between steps, and how "
        "much of them is chance. Groups are those of --labels, or of the words of --collection."
    )
    example = "chain --run bm25.run --answers reports.jsonl --labels labels.csv --output chain.csv"

    def add_arguments(self, parser: ArgumentParser) -> None:
        add_run_option(parser, help="The retrieved lists; with several systems, a run for each.")
        parser.add_argument("-a", "--answers", required=True, **ANSWERS)
        add_scores_options(parser)
        add_groups_options(parser)
        add_count_option(parser, "--depth", 0, "Retrieved documents that count (default: all).")
        add_file_option(
            parser,
            "--qrels",
            "Compare documents of one grade, not of one rank, for the odds of being cited; the "
            "relevant documents of --attribution.",
        )
        add_file_option(
            parser, "--nuggets", "Nuggets that answers state, JSON lines as nuggetizer has them."
        )
        add_file_option(
            parser, "--support", "Support of the sentences of answers, JSON lines of the RAG track."
        )
        parser.add_argument(
            "--attribution",
            type=words,
            default=(),
            metavar="FIRST,SECOND",
            help="The systems whose documents had one label and another, for CAB and CAS.",
        )
        parser.add_argument(
            "--baseline",
            default="",
            metavar="NAME",
            help="The system that others are compared with.",
        )
        parser.add_argument(
            "--first-mark",
            type=whole_number(0, 1),
            default=1,
            help="The number by which marks [n] in texts call the first reference (default: 1).",
        )
        add_order_option(parser)
        add_output_options(parser, _TABLE, _PER_QUERY)
        parser.add_argument(
            "--figure",
            type=output_file(_FIGURE),
            metavar="OUT.svg",
            help="Also draw the groups from step to step, as .svg, .pdf or .png.",
        )

    def handle(self, *_args: Any, **options: Any) -> None:
        from ..answers.answer import notices_of
        from ..answers.chain import chains_of
        from ..answers.public import chain_terms, read_judgments, run_by_system, table_rows
        from ..answers.reading import Columns
        from ..answers.rows import COLUMNS, PER_QUERY_COLUMNS, per_query_rows
        from ..runs import read_run

        scores = None if options["labels"] else chosen_scores(self, options)
        runs = [
            read_run(path, name, options["order"], depth=options["depth"] or None)
            for name, path in named_paths(options["runs"]).items()
        ]
        terms = chain_terms(
            scores,
            options["labels"],
            options["attribute"],
            options["lexicon"],
            options["tokenizer"],
            cutoff=options["depth"],
            qrels=options["qrels"],
        )
        columns = Columns(first_mark=options["first_mark"])
        chains = chains_of(
            answers_of_files(options["answers"], columns), run_by_system(runs), terms
        )
        for notice in (n for chain in chains for n in notices_of(chain.system, chain.counts)):
            self.note(notice)
        table = table_rows(
            chains,
            options["baseline"],
            judged=read_judgments(options["nuggets"], options["support"]),
            attribution=options["attribution"],
        )
        if options["figure"]:
            _draw(table, options["figure"])
        if options["per_query"]:
            rows = [row for chain in chains for row in per_query_rows(chain)]
            write_values(options["per_query"], rows, PER_QUERY_COLUMNS)
        write_table(self, table, COLUMNS, options)


def answers_of_files(files: list[str], columns: "Columns") -> "Iterator[Answer]":
    """The answers of files `NAME=PATH` or `PATH`, one by one."""
    from ..answers.public import each_answer

    for value in files:
        name, _, path = value.rpartition("=")
        yield from each_answer(path, columns, name)


def _draw(rows: list[dict[str, Any]], path: str) -> None:
    from ..answers.picture import chain_figure
    from ..io.files import replacing
    from ..reports.plots.figures import FORMATS, render

    kind = Path(path).suffix.lower().removeprefix(".")
    if kind not in FORMATS:
        raise InputError(
            f"a figure's name has to end in one of {', '.join(FORMATS)}.",
            path=path,
            remedy="Call it OUT.svg.",
        )
    with replacing(path) as drawing:
        drawing.write_bytes(render(chain_figure(rows), kind))
