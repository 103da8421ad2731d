"""rank_counterfactual: what each ranker changes where the genders of a collection are swapped."""

import io
from collections.abc import Iterator, Mapping
from pathlib import Path
from statistics import fmean
from typing import Any

from django.core.management import call_command
from django.core.management.base import CommandParser

from metrics.errors import InputError
from metrics.io.file_kinds import RUN_OF_ITS_NAME, table_kind
from metrics.io.files import write_text
from metrics.io.outputs import (
    InputFile,
    add_file_option,
    add_force_option,
    check_outputs,
    input_files,
)
from metrics.management.command import FairpoolCommand
from metrics.reports.formats.tables import to_csv
from metrics.results.changes import CHANGE_COLUMNS, ranking_changes
from metrics.runs import read_run
from metrics.runs.queries import read_query_texts
from metrics.texts.collection import read_collection
from metrics.vocabulary import CATEGORIES
from pooling.management.neural_arguments import add_device_option, chosen_model
from pooling.management.ranker_arguments import add_ranker_options, chosen_rankers
from rankers import neural
from rankers.runs import write_runs

_SIDES = ("original", "counterfactual")
_CHANGES = table_kind("a table of changed rankings", CHANGE_COLUMNS[:3])


class Command(FairpoolCommand):
    databases_with = frozenset[str]()
    help = (
        "Swap the genders of a collection, rank both collections with the same rankers, or re-rank "
        "a run with the same model, and say what has changed: CRBO, the changes of each query, and "
        "both lists of the query that changed most. With --magnitudes a report is made too."
    )
    example = (
        "rank_counterfactual --collection sample/collection.tsv --queries sample/queries.tsv "
        "--rankers BM25,LSA --output-dir var/counterfactual"
    )

    def add_arguments(self, parser: CommandParser) -> None:
        add_file_option(
            parser,
            "--collection",
            "docno<TAB>text, or JSON lines; plain, .gz or .zst.",
            required=True,
        )
        add_file_option(parser, "--queries", required=True)
        parser.add_argument(
            "--category",
            choices=(*CATEGORIES, "all"),
            default="n",
            help="Which queries of a file qid,text,label to rank; n: the non-gendered "
            "(default: %(default)s).",
        )
        parser.add_argument(
            "--output-dir", required=True, type=Path, metavar="DIR", help="Made if missing."
        )
        add_force_option(parser)
        add_ranker_options(parser)
        parser.add_argument(
            "--model",
            metavar="MODEL",
            help="Re-rank --run with this folder, or name on the hub, instead. Needs torch.",
        )
        add_file_option(
            parser,
            "--run",
            "The candidates of --model, the same for both collections.",
            metavar="X.run",
        )
        parser.add_argument(
            "--names",
            type=InputFile,
            default="representative",
            metavar="FILE|representative|common",
            help="The first names that are swapped, see counterfactual (default: %(default)s).",
        )
        add_file_option(
            parser,
            "--magnitudes",
            "The scored collection: DIR/report is then a report with CRBO.",
            metavar="M.parquet",
        )
        add_file_option(parser, "--qrels", "Judgements, for the report.")
        add_device_option(parser)

    def handle(self, *_args: Any, **options: Any) -> None:
        output: Path = options["output_dir"]
        names = _names(options)
        paths = {name: tuple(output / side / f"{name}.run" for side in _SIDES) for name in names}
        changes = output / "changes.csv"
        outputs = [(path, RUN_OF_ITS_NAME) for pair in paths.values() for path in pair]
        check_outputs(
            [*outputs, (changes, _CHANGES)], input_files(options.values()), force=options["force"]
        )
        queries = read_query_texts(options["queries"], options["category"])
        for side in _SIDES:
            (output / side).mkdir(parents=True, exist_ok=True)
        swapped = output / "counterfactual.tsv"
        self._call(
            options, "counterfactual", options["collection"],
            "--output", swapped, "--names", options["names"],
        )  # fmt: skip
        rank = self._rerank if options["model"] else self._rank
        for side, collection in zip(_SIDES, (options["collection"], swapped), strict=True):
            rank(queries, Path(collection), output / side, options)
        rows, summary = [], {}
        for name, pair in paths.items():
            found = ranking_changes(*(read_run(path, name) for path in pair))
            rows += found
            summary[name] = _summary(found, pair)
        write_text(changes, to_csv(rows, CHANGE_COLUMNS))
        made = {"changes": str(changes), "counterfactual": str(swapped)}
        made |= self._explained(rows, paths, swapped, options)
        made |= self._report(paths, options)
        lines = [*_lines(summary), *made.values()]
        self.print_result(options, {"runs": summary, **made}, lines)

    def _rank(
        self,
        queries: Mapping[str, str],
        collection: Path,
        folder: Path,
        options: dict[str, Any],
    ) -> None:
        rankers, texts = chosen_rankers(options), list(queries.items())
        total = len(rankers) * len(texts)
        with self.progress(options, f"ranking, {folder.name}", total, "rankings") as step:
            write_runs(
                rankers,
                list(read_collection(collection)),
                texts,
                folder,
                depth=options["depth"],
                seed=options["seed"],
                progress=step,
            )

    def _rerank(
        self,
        queries: Mapping[str, str],
        collection: Path,
        folder: Path,
        options: dict[str, Any],
    ) -> None:
        jobs, reranking = neural.load("jobs"), neural.load("reranking")
        model, device = chosen_model(options)
        run = read_run(options["run"], depth=options["depth"])
        texts = jobs.needed_texts(collection, run)
        [name] = _names(options)
        total = len(run.docnos)
        with self.progress(options, f"ranking, {folder.name}", total, "pairs") as step:
            rankings = reranking.rerank(model, run, queries, texts, device=device, progress=step)
            reranking.write_run(rankings, folder / f"{name}.run", model, name)

    def _explained(
        self,
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
        page = options["output_dir"] / "most-changed.html"
        self._call(
            options, "explain_query", row["qid"], "--run", f"{row['run']}={original}",
            "--counterfactual", f"{row['run']}={counterfactual}",
            "--collection", options["collection"], "--counterfactual-collection", swapped,
            "--queries", options["queries"], "--html", page,
        )  # fmt: skip
        return {"most_changed": str(page)}

    def _report(
        self, paths: Mapping[str, tuple[Path, ...]], options: dict[str, Any]
    ) -> dict[str, str]:
        if not options["magnitudes"]:
            return {}
        folder = options["output_dir"] / "report"
        named: list[object] = []
        for name, (original, counterfactual) in paths.items():
            named += ["--run", f"{name}={original}", "--counterfactual", f"{name}={counterfactual}"]
        judged = ["--qrels", options["qrels"]] if options["qrels"] else []
        self._call(
            options, "report", *named, *judged, "--queries", options["queries"],
            "--category", options["category"], "--magnitudes", options["magnitudes"],
            "--output", folder,
        )  # fmt: skip
        return {"report": str(folder)}

    def _call(self, options: dict[str, Any], *arguments: object) -> None:
        """Another command, which says what it does on standard error alone."""
        passed = [f"--{name}" for name in ("quiet", "force") if options[name]]
        call_command(*map(str, arguments), *passed, stdout=io.StringIO(), stderr=self.stderr)


def _lines(summary: Mapping[str, Mapping[str, Any]]) -> Iterator[str]:
    width = max(map(len, summary))
    for name, one in summary.items():
        changed = f"{one['n_changed']:,} of {one['n_queries']:,} rankings changed"
        yield f"{name:<{width}}  CRBO {one['crbo']:.4f}  {changed}"


def _names(options: Mapping[str, Any]) -> list[str]:
    """What the runs are called: after the rankers, or after the model."""
    if options["collection"] == "-":
        raise InputError("a collection that is read twice must be a file.", path="-")
    if bool(options["model"]) != bool(options["run"]):
        raise InputError(
            "--model and --run belong together.", remedy="Give the candidates to re-rank as --run."
        )
    if options["model"]:
        return [Path(options["model"]).name]
    return [ranker.name for ranker in chosen_rankers(options)]


def _summary(rows: list[dict[str, object]], pair: tuple[Path, ...]) -> dict[str, Any]:
    values = [float(str(row["CRBO"])) for row in rows]
    if not values:
        raise InputError("no query is ranked over both collections.")
    found = {"crbo": fmean(values), "n_queries": len(values)}
    changed = sum(row["n_kept"] != row["n_documents"] for row in rows)
    return {**found, "n_changed": changed, **dict(zip(_SIDES, map(str, pair), strict=True))}
