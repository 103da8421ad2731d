"""grepbias report: Tables 1 to 6 on Grep-BiasIR from anyone's logits."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from metrics.cli.command import Command
from metrics.cli.numbers import add_count_option
from metrics.cli.run_arguments import add_run_option, named_paths
from metrics.errors import InputError
from metrics.io.outputs import (
    InputFile,
    InputFolder,
    add_output_option,
    check_outputs,
    input_files,
    output_folder,
)
from metrics.results.preference import PREFERENCE_DEPTH
from metrics.runs import read_run
from rankers.cli.neural_options import add_selection_option
from rankers.grepbias import read_logits, read_pairs
from rankers.grepbias.logits import logit_remarks
from rankers.grepbias.report import FILES, PART, make_tables, write_report


class Report(Command):
    help = (
        "Make the tables of Sundararaman & Subramanian 2022 from the logits of models that were "
        "trained on one category of Grep-BiasIR each: accuracy, preferred wordings, words of each "
        "category, and bias before and after debiasing. Needs no torch."
    )
    example = "grepbias report logits.csv --data grepbias --output tables"

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "logits",
            nargs="*",
            type=InputFile,
            metavar="LOGITS",
            help="CSV with the columns train_on, category, query, document, gender, relevant, "
            "logit, and where they vary mode, alpha_mf, alpha_mn, alpha_fn, seed.",
        )
        parser.add_argument(
            "--data",
            required=True,
            type=InputFolder,
            metavar="FOLDER",
            help="The released queries-documents_*.csv.",
        )
        add_run_option(
            parser, required=False, help="A run over the documents, for the preferred wordings."
        )
        help_text = "Ranks within which a run has retrieved a wording (default: %(default)s)."
        add_count_option(parser, "--depth", PREFERENCE_DEPTH, help_text)
        add_selection_option(parser)
        add_output_option(parser, output_folder(dict.fromkeys(FILES, PART)), "FOLDER", None)

    def handle(self, *_args: Any, **options: Any) -> None:
        runs = [run for path in options["logits"] for run in read_logits(path)]
        paths = named_paths(options["runs"])
        if not runs and not paths:
            raise InputError("there is nothing to report.", remedy="Give logits, or --run.")
        rankings = [read_run(path, name) for name, path in paths.items()]
        pairs = read_pairs(options["data"])
        remarks = logit_remarks(runs, pairs)
        for remark in remarks:
            self.note(remark)
        tables = make_tables(runs, pairs, rankings, options["depth"], options["select"])
        folder = Path(options["output"])
        # Models of other modes have tables of their own names.
        check_outputs(
            [(folder / f"{table.name}.csv", PART) for table in tables],
            input_files(options.values()),
            force=options["force"],
        )
        written = write_report(tables, folder, remarks)
        self.print_result(options, {table.name: table.rows for table in tables}, map(str, written))
