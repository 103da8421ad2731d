"""grepbias grid: adapters for every category and every weighting of the penalty."""

from argparse import ArgumentParser
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from metrics.cli.command import Command
from metrics.io.file_kinds import table_kind
from metrics.io.files import replacing, write_text
from metrics.io.outputs import add_output_option, output_folder
from metrics.reports.formats.tables import Row, to_csv
from rankers.cli.neural_options import add_grepbias_options, add_selection_option, training_changes
from rankers.grepbias import CATEGORIES, LOGITS, LogitRun, read_pairs, write_logits
from rankers.grepbias.grid import COLUMNS, grid_rows
from rankers.grepbias.selection import choose_debiased, runner_up

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
