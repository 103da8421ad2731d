"""score_runs: the bias, fairness and effectiveness of runs, as a table."""

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from metrics.evaluation import CUTOFFS, all_measures, requests_of
from metrics.files import replacing, write_text
from metrics.magnitude import MAGNITUDES
from metrics.magnitude_store import open_magnitudes
from metrics.management.command import FairpoolCommand
from metrics.management.run_arguments import (
    add_run_arguments,
    chosen_queries,
    named_paths,
    whole_numbers,
    words,
)
from metrics.measures import available
from metrics.measures.nfairr import COLLECTION
from metrics.qrels import read_qrels
from metrics.scored_runs import COLUMNS, ScoredRuns, score_runs, write_per_query
from metrics.tables import Row, to_csv, to_json, to_latex, to_markdown

_Writer = Callable[[Sequence[Row], Sequence[str]], str]
_FORMATS: dict[str, _Writer] = {"csv": to_csv, "md": to_markdown, "latex": to_latex}


class Command(FairpoolCommand):
    help = "Measure runs on a scored collection: measures x magnitudes x cut-offs."
    example = (
        "score_runs --magnitudes magnitudes.parquet --run BM25=bm25.run --run BERT=bert.run.gz "
        "--queries queries.tsv --measures RaB,ARaB --magnitude tf,bool --output bias.csv"
    )

    def add_arguments(self, parser: CommandParser) -> None:
        add_run_arguments(parser)
        parser.add_argument(
            "--measures",
            default="RaB,ARaB",
            metavar="LIST",
            help="Some of " + ", ".join(measure.name for measure in available()) + "; a name may "
            "fix its parameters: 'ARaB(magnitude=bool)@10'. all: every measure that the word list "
            "and --qrels allow, NFaiRR over the whole collection unless --background says "
            "otherwise (default: %(default)s).",
        )
        parser.add_argument(
            "--magnitude",
            default="tf",
            metavar="LIST",
            help=f"Some of {', '.join(MAGNITUDES)} (default: %(default)s).",
        )
        parser.add_argument(
            "--cutoffs",
            default=",".join(map(str, CUTOFFS)),
            metavar="LIST",
            help="Ranks at which to measure (default: %(default)s).",
        )
        parser.add_argument("--qrels", metavar="FILE", help="Judgements, for MRR, Recall and nDCG.")
        parser.add_argument(
            "--background",
            metavar="NAME|collection",
            help="Whose documents NFaiRR re-orders for its ideal: a run, NAME or NAME=PATH, or the "
            "whole collection.",
        )
        parser.add_argument(
            "--output",
            metavar="OUT",
            help="The file to write (default: standard output); OUT.meta.json beside it says what "
            "the numbers were made from.",
        )
        parser.add_argument(
            "--format",
            choices=("csv", "json", "md", "latex"),
            default="csv",
            help="How to write the table (default: %(default)s).",
        )
        parser.add_argument(
            "--per-query", metavar="OUT.parquet", help="Also write the value of every query."
        )

    def handle(self, *_args: Any, **options: Any) -> None:
        paths = named_paths(options["runs"])
        background, background_paths = _background(options["background"])
        magnitudes = open_magnitudes(options["magnitudes"])
        measures = words(options["measures"])
        if measures == ["all"]:
            measures = all_measures(len(magnitudes.groups), with_qrels=bool(options["qrels"]))
            background = background or COLLECTION
        requests = requests_of(
            measures,
            words(options["magnitude"]),
            whole_numbers(options["cutoffs"], "--cutoffs"),
            background,
        )
        with self.progress(
            "reading runs", total=len(paths), unit="run", quiet=options["quiet"]
        ) as progress:
            scored = score_runs(
                paths,
                magnitudes,
                requests,
                queries=chosen_queries(options),
                order=options["order"],
                missing=options["missing"],
                qrels=options["qrels"] and read_qrels(options["qrels"]),
                background_paths=background_paths,
                on_run=progress,
            )
        for notice in scored.notices:
            self.note(str(notice))
        self._write(scored, options)

    def _write(self, scored: ScoredRuns, options: dict[str, Any]) -> None:
        whole = {**scored.provenance, "rows": scored.rows()}
        if options["format"] == "json":
            text = to_json(whole)
        else:
            text = _FORMATS[options["format"]](scored.rows(), COLUMNS)
        # All files appear together, or none of them does.
        with ExitStack() as stack:
            if options["per_query"]:
                write_per_query(scored, stack.enter_context(replacing(options["per_query"])))
            if options["output"]:
                write_text(stack.enter_context(replacing(options["output"])), text)
                if options["format"] != "json":
                    sidecar = stack.enter_context(replacing(f"{options['output']}.meta.json"))
                    write_text(sidecar, to_json(scored.provenance))
        if options["as_json"]:
            self.print_json(whole)
        elif not options["output"]:
            self.stdout.write(text, ending="")


def _background(option: str | None) -> tuple[str | None, dict[str, Path]]:
    """The background's name, and its path where the option gives one."""
    if option is None or "=" not in option:
        return option, {}
    paths = named_paths([option])
    return next(iter(paths)), paths
