"""grepbias: the experiments of Sundararaman & Subramanian 2022 on Grep-BiasIR, as commands."""

from argparse import ArgumentParser, RawDescriptionHelpFormatter
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from metrics.cli.command import Command, add_common_arguments
from metrics.cli.numbers import add_count_option
from metrics.cli.run_arguments import add_run_option, named_paths
from metrics.errors import InputError
from metrics.io.file_kinds import table_kind
from metrics.io.files import replacing, write_text
from metrics.io.outputs import (
    InputFile,
    InputFolder,
    add_output_option,
    check_outputs,
    input_files,
    output_file,
    output_folder,
)
from metrics.reports.formats.tables import Row, to_csv
from metrics.results.preference import PREFERENCE_DEPTH
from metrics.runs import read_run
from rankers.cli.neural_options import (
    add_device_option,
    add_grepbias_options,
    add_model_option,
    add_selection_option,
    chosen_model,
    training_changes,
)
from rankers.grepbias import (
    CATEGORIES,
    LOGITS,
    LogitRun,
    parse_alpha,
    read_logits,
    read_pairs,
    write_logits,
)
from rankers.grepbias.erasure import COLUMNS as ERASED
from rankers.grepbias.erasure import METHODS, erasure_rows
from rankers.grepbias.grid import COLUMNS, grid_rows
from rankers.grepbias.logits import logit_remarks
from rankers.grepbias.report import FILES, PART, make_tables, write_report
from rankers.grepbias.selection import choose_debiased, runner_up


class Train(Command):
    help = (
        "Train an encoder on one category of Grep-BiasIR and write its logits for all 702 "
        "pairs, for grepbias report. Needs torch."
    )
    example = (
        "grepbias train --mode full --train-on Career --alpha 0,0,0 --encoder bert-base-uncased "
        "--data grepbias --output full-career.csv"
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--mode",
            choices=("full", "adapter", "lora", "bottleneck"),
            required=True,
            help="full: all weights; adapter: a linear layer on the frozen encoder (equation 1); "
            "lora, bottleneck: small trained parts inside the frozen encoder.",
        )
        parser.add_argument(
            "--train-on",
            choices=(*CATEGORIES, "all"),
            required=True,
            metavar="CATEGORY",
            help=f"One of {', '.join(CATEGORIES)}; all: one model for each.",
        )
        parser.add_argument(
            "--alpha",
            default="0,0,0",
            metavar="MF,MN,FN",
            help="Weights of the penalty by the genders of a pair (default: %(default)s, none).",
        )
        add_output_option(parser, output_file(LOGITS), "LOGITS.csv", None)
        add_grepbias_options(parser)

    def handle(self, *_args: Any, **options: Any) -> None:
        mode, alpha = options["mode"], parse_alpha(options["alpha"])

        from rankers.neural import grepbias

        pairs = read_pairs(options["data"])
        settings = grepbias.settings_for(mode, **training_changes(options))
        encoder = grepbias.Encoder(options["encoder"], options["features"], options["device"])
        names = CATEGORIES if options["train_on"] == "all" else [options["train_on"]]
        runs: list[LogitRun] = []
        if mode == "adapter":
            with self.progress(options, "encoding", len(pairs), "pair") as progress:
                vectors = grepbias.encode_once(encoder, pairs, progress)
            for name in names:
                runs += grepbias.train_adapters(vectors, pairs, name, [alpha], settings)
        else:
            n_steps = settings.steps(pairs, names)
            with self.progress(options, "training", n_steps, "batch") as progress:
                runs += [
                    grepbias.train_tuned(
                        mode,
                        encoder,
                        pairs,
                        name,
                        alpha=alpha,
                        settings=settings,
                        progress=lambda loss: progress(1, f"loss {loss:.4f}"),
                    )
                    for name in names
                ]
        write_logits(options["output"], runs)
        result = {"models": len(runs), "logits": options["output"]}
        self.print_result(options, result, f"{len(runs)} models: {options['output']}")


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
            "logit, and, if they vary, mode, alpha_mf, alpha_mn, alpha_fn, seed.",
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


_GRID = table_kind("a grid of adapters", COLUMNS)


class Grid(Command):
    help = (
        "Train an adapter for each category of Grep-BiasIR and each alpha from 0 to 2 in steps of "
        ".25 for the three pairs of genders, 5,103 in all. The encoder reads the texts once. "
        "Writes grid.csv, and logits.csv of alpha 0 and of the best other alpha of each category, "
        "between which grepbias report chooses."
    )
    example = "grepbias grid --encoder bert-base-uncased --data grepbias --output grid"

    def add_arguments(self, parser: ArgumentParser) -> None:
        files = output_folder({"grid.csv": _GRID, "logits.csv": LOGITS})
        add_output_option(parser, files, "FOLDER", None)
        add_grepbias_options(parser)
        add_selection_option(parser)

    def handle(self, *_args: Any, **options: Any) -> None:
        from rankers.neural import grepbias

        pairs = read_pairs(options["data"])
        settings = grepbias.settings_for("adapter", **training_changes(options))
        encoder = grepbias.Encoder(options["encoder"], options["features"], options["device"])
        with self.progress(options, "encoding", len(pairs), "pair") as progress:
            vectors = grepbias.encode_once(encoder, pairs, progress)
        rows: list[Row] = []
        kept: list[LogitRun] = []
        chosen: dict[str, str] = {}
        total = len(CATEGORIES)
        with self.progress(options, "training", total, "category") as progress:
            for name in CATEGORIES:
                runs = grepbias.train_adapters(vectors, pairs, name, grepbias.GRID, settings)
                rows += grid_rows(runs)
                plain, *debiased = runs
                best = runner_up(plain, debiased, options["select"])
                # Of these two `grepbias report` chooses as the grid does.
                kept += [plain, best]
                chosen[name] = str(
                    choose_debiased(plain, [best], selection=options["select"]).alpha
                )
                progress()
        _write(Path(options["output"]), rows, kept)
        result = {"models": len(rows), "chosen": chosen}
        self.print_result(options, result, f"{len(rows):,} adapters: {options['output']}")


def _write(folder: Path, rows: list[Row], kept: list[LogitRun]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    with ExitStack() as stack:
        grid, logits = (
            stack.enter_context(replacing(folder / name)) for name in ("grid.csv", "logits.csv")
        )
        write_text(grid, to_csv(rows, COLUMNS))
        write_logits(logits, kept)


_TABLE = table_kind("a table of erasure", ERASED)


class Erase(Command):
    help = (
        "Erase gender from the vectors of a bi-encoder and compare its scores on Grep-BiasIR: "
        "how well they find relevant documents (AUC), and abs(s_M - s_F). The eraser of a "
        "category comes from the other categories. Needs torch."
    )
    example = "grepbias erase --model all-MiniLM-L6-v2 --data grepbias --output erased.csv"

    def add_arguments(self, parser: ArgumentParser) -> None:
        add_model_option(parser)
        parser.add_argument(
            "--data",
            required=True,
            type=InputFolder,
            metavar="FOLDER",
            help="The released queries-documents_*.csv.",
        )
        parser.add_argument(
            "--method",
            choices=METHODS,
            default="subspace",
            help="subspace: the directions in which male and female wordings of one document "
            "differ most; leace: everything that a linear model can read about the genders of "
            "the documents that it is fitted on (default: %(default)s).",
        )
        help_text = "Directions of the subspace (default: %(default)s)."
        add_count_option(parser, "--directions", 16, help_text)
        add_output_option(parser, output_file(_TABLE), "TABLE.csv", None)
        add_device_option(parser)

    def handle(self, *_args: Any, **options: Any) -> None:
        pairs = read_pairs(options["data"])

        from rankers.neural.grepbias_features import bi_encoder_vectors

        queries, documents = bi_encoder_vectors(chosen_model(options), pairs)
        rows = erasure_rows(pairs, queries, documents, options["method"], options["directions"])
        write_text(options["output"], to_csv(rows, ERASED))
        mean = rows[-1]
        self.print_result(
            options,
            {"rows": rows},
            f"AUC {mean['auc_before']:.4f} to {mean['auc_after']:.4f}, abs(s_M - s_F) "
            f"{mean['gap_before']:.4f} to {mean['gap_after']:.4f}: {options['output']}",
        )


_COMMANDS: dict[str, type[Command]] = {
    "report": Report,
    "train": Train,
    "grid": Grid,
    "erase": Erase,
}


class Grepbias(Command):
    help = "Measure and reduce the gender bias of models on Grep-BiasIR."
    example = Report.example

    def add_arguments(self, parser: ArgumentParser) -> None:
        commands = parser.add_subparsers(dest="subcommand", metavar="COMMAND", required=True)
        for name, kind in _COMMANDS.items():
            options = commands.add_parser(
                name,
                help=kind.help.partition(". ")[0].rstrip("."),
                description=kind.help,
                epilog=f"Example:\n  fairpool {kind.example}",
                formatter_class=RawDescriptionHelpFormatter,
            )
            add_common_arguments(options)
            kind().add_arguments(options)

    def handle(self, *_args: Any, subcommand: str, **options: Any) -> None:
        _COMMANDS[subcommand]().handle(**options)
