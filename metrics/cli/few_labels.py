"""few-labels: shares, means and differences of a pool from few labels of people."""

from argparse import ArgumentParser
from typing import TYPE_CHECKING, Any

from ..errors import InputError
from ..io.file_kinds import table_kind
from ..io.ids import met, renamed_text
from ..io.outputs import add_file_option, add_output_option, output_file
from ..vocabulary import CATEGORIES
from .command import Command
from .judged_arguments import add_design_option, add_target_options, chosen_design
from .table_output import add_format_option, write_table

if TYPE_CHECKING:
    from ..votes.files.label_files import ModelLabels

_TABLE = table_kind("a table of few labels", ("figure", "category", "measure", "run"))


class FewLabels(Command):
    help = (
        "Estimate figures of a whole pool of queries from labels of people for a random sample of "
        "them and of models for all: the share of each category, the mean of a value over the "
        "queries of one, and differences of runs. Or from values per query by people's judgments "
        "and by a model's (--values and --judge-values): their means and differences."
    )
    example = (
        "few-labels --labels people.csv --model-labels models.csv --values bias.parquet "
        "--category n --baseline BM25"
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        add_file_option(
            parser,
            "--labels",
            "People's labels of the queries of the sample: columns qid,label, or qid,text,label.",
        )
        add_file_option(
            parser,
            "--model-labels",
            "Models' labels of all queries of the pool: columns qid,label and, if there are "
            "any, model and score; columns may also be named task and worker. Or an export with "
            "predictions of Label Studio or Argilla.",
        )
        add_file_option(
            parser,
            "--values",
            "Values per query that fairpool measure --per-query wrote: of all queries of the pool "
            "with --labels, or by people's judgments with --judge-values.",
        )
        add_file_option(parser, "--judge-values", "The same by a model's judgments of the pool.")
        parser.add_argument(
            "--category",
            choices=CATEGORIES,
            default="n",
            help="Over which queries --values are averaged (default: %(default)s).",
        )
        parser.add_argument(
            "--baseline", default="", metavar="NAME", help="The run that others are compared with."
        )
        add_design_option(parser, "the pool")
        add_target_options(parser)
        add_output_option(parser, output_file(_TABLE, or_printed=True), "OUT", required=False)
        add_format_option(parser)

    def _met(self, labels: dict[str, str], read: "ModelLabels") -> dict[str, str]:
        """The labels of people by the ids that the models' file has."""
        names = met(labels, {label.qid for label in read.labels})
        if names is None:
            return labels
        self.note(renamed_text("The queries of --labels", labels, names))
        return {names[qid]: label for qid, label in labels.items()}

    def handle(self, *_args: Any, **options: Any) -> None:
        from ..results.few_label_rows import COLUMNS, rows_of_labels, rows_of_values
        from ..results.judgments import terms_of
        from ..results.value_files import read_values
        from ..statistics.few_labels import TARGETS
        from ..votes.files.label_files import read_model_labels, read_query_labels

        values = read_values(options["values"]) if options["values"] else {}
        design = chosen_design(options)
        if design is None or design.pairs is not None:
            raise InputError(
                "without the chances of queries, nothing is known about queries outside the "
                "sample.",
                remedy="Name how they were drawn: --design simple or a file.",
            )
        terms = terms_of(design, options)
        if options["labels"] and options["model_labels"]:
            labels = read_query_labels(options["labels"])
            read = read_model_labels(options["model_labels"])
            for note in read.notes:
                self.note(note)
            rows = rows_of_labels(
                self._met(labels, read), read.models, values, terms, category=options["category"]
            )
        elif options["judge_values"] and values and not options["labels"]:
            rows = rows_of_values(values, read_values(options["judge_values"]), terms)
        else:
            raise InputError(
                "there is nothing to estimate from.",
                remedy="Give --labels and --model-labels, or --values and --judge-values.",
            )
        if design.is_simple:
            self.note(
                "The queries that people labelled are taken as a simple random sample of the pool."
            )
        table = list(rows)
        for remark in dict.fromkeys(row["remark"] for row in table if row["remark"]):
            self.note(remark)
        for target in dict.fromkeys(row["target"] for row in table):
            self.note(f"Intervals are those of {TARGETS[target]} (--target {target}).")
        write_table(self, table, COLUMNS, options)
