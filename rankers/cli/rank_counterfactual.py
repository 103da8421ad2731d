"""rank --counterfactual: each ranker's changes when the genders of a collection are swapped."""

import io
from argparse import ArgumentParser
from collections.abc import Callable, Iterator, Mapping
from contextlib import redirect_stdout
from pathlib import Path
from statistics import fmean
from typing import Any

from metrics.cli.command import Command, add_common_arguments
from metrics.cli.counterfactual import Counterfactual
from metrics.cli.explain import Explain
from metrics.cli.report import Report
from metrics.cli.score_arguments import add_scores_option
from metrics.errors import InputError
from metrics.io.file_kinds import RUN_OF_ITS_NAME, table_kind
from metrics.io.outputs import (
    InputFile,
    add_file_option,
    check_options,
    check_outputs,
    input_files,
)
from rankers.cli.neural_options import chosen_model

_SIDES = ("original", "counterfactual")
_COLUMNS = ("run", "qid", "CRBO")
_CHANGES = table_kind("a table of changed rankings", _COLUMNS)


def add_counterfactual_options(parser: ArgumentParser) -> None:
    """The options of `--counterfactual` alone."""
    add_file_option(
        parser,
        "--run",
        "The candidates that --model re-ranks, the same for both collections.",
        metavar="X.run",
    )
    parser.add_argument(
        "--names",
        type=InputFile,
        default="representative",
        metavar="FILE|representative|common",
        help="The first names that are swapped, see counterfactual (default: %(default)s).",
    )
    help_text = "The scored collection; with it, OUTPUT/report is a report with CRBO."
    add_scores_option(parser, help=help_text)
    add_file_option(parser, "--qrels", "Judgements, for the report.")


def rank_counterfactual(command: Command, options: dict[str, Any]) -> None:
    """Rank both collections into the folder of `--output`, and list the changes there."""
    from metrics.io.files import write_text
    from metrics.reports.formats.tables import to_csv
    from metrics.results.changes import CHANGE_COLUMNS, ranking_changes
    from metrics.runs import read_run
    from metrics.runs.queries import read_query_texts

    options = {**options, "category": options["category"] or "n"}
    output, names = Path(options["output"]), _names(options)
    paths = {name: tuple(output / side / f"{name}.run" for side in _SIDES) for name in names}
    changes = output / "changes.csv"
    runs = [(path, RUN_OF_ITS_NAME) for pair in paths.values() for path in pair]
    inputs = input_files(options.values())
    check_outputs([*runs, (changes, _CHANGES)], inputs, force=options["force"])
    queries = read_query_texts(options["queries"], options["category"])
    for side in _SIDES:
        (output / side).mkdir(parents=True, exist_ok=True)
    swapped = output / "counterfactual.tsv"
    _run(
        Counterfactual, options, options["collection"],
        "--output", swapped, "--names", options["names"],
    )  # fmt: skip
    rank = _rerank if options["model"] else _rank
    for side, collection in zip(_SIDES, (options["collection"], swapped), strict=True):
        rank(command, queries, Path(collection), output / side, options)
    rows, summary = [], {}
    for name, pair in paths.items():
        changed = ranking_changes(*(read_run(path, name) for path in pair))
        rows += changed
        summary[name] = _summary(changed, pair)
    write_text(changes, to_csv(rows, CHANGE_COLUMNS))
    written = {"changes": str(changes), "counterfactual": str(swapped)}
    written |= _explain_most_changed(rows, paths, swapped, options)
    written |= _report(paths, options)
    command.print_result(
        options, {"runs": summary, **written}, [*_lines(summary), *written.values()]
    )


def _rank(
    command: Command,
    queries: Mapping[str, str],
    collection: Path,
    folder: Path,
    options: dict[str, Any],
) -> None:
    from metrics.texts.collection import read_collection
    from rankers.registry import rankers_named
    from rankers.runs import write_runs

    rankers, texts = rankers_named(options["rankers"].split(",")), list(queries.items())
    total = len(rankers) * len(texts)
    with command.progress(options, f"ranking, {folder.name}", total, "rankings") as progress:
        write_runs(
            rankers,
            list(read_collection(collection)),
            texts,
            folder,
            depth=options["depth"],
            seed=options["seed"],
            progress=progress,
        )


def _rerank(
    command: Command,
    queries: Mapping[str, str],
    collection: Path,
    folder: Path,
    options: dict[str, Any],
) -> None:
    from metrics.runs import read_run
    from rankers.neural.jobs import run_with_texts
    from rankers.neural.model_folder import sizes_of
    from rankers.neural.reranking import rerank, write_run

    model = chosen_model(options)
    run = read_run(options["run"], depth=options["depth"])
    run, texts = run_with_texts(run, queries, collection, command.note)
    [name] = _names(options)
    total = len(run.docnos)
    with command.progress(options, f"ranking, {folder.name}", total, "pairs") as progress:
        rankings = rerank(model, run, queries, texts, progress=progress)
        sizes = sizes_of(model, options["model"])
        write_run(rankings, folder / f"{name}.run", name=name, sizes=sizes)


def _explain_most_changed(
    rows: list[dict[str, object]],
    paths: Mapping[str, tuple[Path, ...]],
    swapped: Path,
    options: dict[str, Any],
) -> dict[str, str]:
    """Both lists of the query that changed most, on a page."""
    changed = [row for row in rows if float(str(row["CRBO"])) < 1]
    if not changed:
        return {}
    row = min(changed, key=lambda row: float(str(row["CRBO"])))
    original, counterfactual = paths[str(row["run"])]
    page = Path(options["output"]) / "most-changed.html"
    _run(
        Explain, options, row["qid"], "--run", f"{row['run']}={original}",
        "--counterfactual", f"{row['run']}={counterfactual}",
        "--collection", options["collection"], "--counterfactual-collection", swapped,
        "--queries", options["queries"], "--html", page,
    )  # fmt: skip
    return {"most_changed": str(page)}


def _report(paths: Mapping[str, tuple[Path, ...]], options: dict[str, Any]) -> dict[str, str]:
    if not options["magnitudes"]:
        return {}
    folder = Path(options["output"]) / "report"
    named: list[object] = []
    for name, (original, counterfactual) in paths.items():
        named += ["--run", f"{name}={original}", "--counterfactual", f"{name}={counterfactual}"]
    judged = ["--qrels", options["qrels"]] if options["qrels"] else []
    _run(
        Report, options, *named, *judged, "--queries", options["queries"],
        "--category", options["category"], "--scores", options["magnitudes"],
        "--output", folder,
    )  # fmt: skip
    return {"report": str(folder)}


def _run(kind: Callable[[], Command], options: Mapping[str, Any], *arguments: object) -> None:
    """Run another command, whose messages go to standard error."""
    command, parser = kind(), ArgumentParser()
    add_common_arguments(parser)
    command.add_arguments(parser)
    passed = [f"--{name}" for name in ("quiet", "force") if options[name]]
    values = vars(parser.parse_args([*map(str, arguments), *passed]))
    check_options(values.values(), force=values["force"])
    with redirect_stdout(io.StringIO()):
        command.handle(**values)


def _lines(summary: Mapping[str, Mapping[str, Any]]) -> Iterator[str]:
    width = max(map(len, summary))
    for name, values in summary.items():
        changed = f"{values['n_changed']:,} of {values['n_queries']:,} rankings changed"
        yield f"{name:<{width}}  CRBO {values['crbo']:.4f}  {changed}"


def _names(options: Mapping[str, Any]) -> list[str]:
    """Names of the runs: after the rankers, or after the model."""
    if options["collection"] == "-":
        raise InputError("a collection that is read twice must be a file.", path="-")
    if bool(options["model"]) != bool(options["run"]):
        raise InputError(
            "--model and --run belong together.", remedy="Give the candidates to re-rank as --run."
        )
    if options["model"]:
        return [Path(options["model"]).name]
    from rankers.registry import rankers_named

    return [ranker.name for ranker in rankers_named(options["rankers"].split(","))]


def _summary(rows: list[dict[str, object]], pair: tuple[Path, ...]) -> dict[str, Any]:
    values = [float(str(row["CRBO"])) for row in rows]
    if not values:
        raise InputError("no query is ranked over both collections.")
    counts = {"crbo": fmean(values), "n_queries": len(values)}
    changed = sum(row["n_kept"] != row["n_documents"] for row in rows)
    return {**counts, "n_changed": changed, **dict(zip(_SIDES, map(str, pair), strict=True))}
