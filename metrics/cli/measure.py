"""measure: the bias, fairness and effectiveness of runs, as a table."""

from argparse import ArgumentParser
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..io.file_kinds import parquet_kind, table_kind
from ..io.outputs import NamedInputFile, add_file_option, add_force_option, output_file
from ..vocabulary import COLLECTION
from .command import Command
from .run_arguments import (
    add_cutoff_option,
    add_magnitude_option,
    add_measure_option,
    add_run_arguments,
    chosen_cutoffs,
    chosen_queries,
    named_paths,
)
from .score_arguments import (
    add_document_options,
    add_scores_options,
    chosen_numbers,
    chosen_scores,
    liwc_notices,
)
from .table_output import add_format_option

if TYPE_CHECKING:
    from ..results.scored_runs import ScoredRuns

_MEASURES = ("RaB", "ARaB")
_TABLE = table_kind("a table of measured runs", ("run", "measure", "magnitude"))
_PER_QUERY = parquet_kind("a table of values per query", "fairpool.results")


class MeasureRuns(Command):
    help = "Measure runs on their collection: measures x magnitudes x cut-offs."
    example = (
        "measure --collection collection.tsv --run BM25=bm25.run --run BERT=bert.run.gz "
        "--queries queries.tsv --measure RaB,ARaB --magnitude tf,bool --output bias.csv"
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        add_scores_options(parser)
        add_run_arguments(parser)
        add_measure_option(
            parser,
            ",".join(_MEASURES),
            "Measures by the names that `fairpool measures` lists; a name may fix its parameters: "
            "'ARaB(magnitude=bool)@10'. all: every measure that the word list and --qrels allow, "
            "NFaiRR over the whole collection unless --background says otherwise.",
        )
        add_magnitude_option(parser, "each measure's own, tf for RaB and ARaB, tc for AWRF")
        add_cutoff_option(parser)
        add_file_option(parser, "--qrels", "Judgements, for MRR, Recall and nDCG.")
        add_document_options(parser)
        parser.add_argument(
            "--background",
            type=NamedInputFile,
            metavar="NAME|collection",
            help="Whose documents NFaiRR re-orders for its ideal: a run, NAME or NAME=PATH, or the "
            "whole collection.",
        )
        parser.add_argument(
            "-o",
            "--output",
            type=output_file(_TABLE, sidecar=True),
            metavar="OUT",
            help="The file to write (default: standard output); OUT.meta.json beside it says what "
            "the numbers were made from.",
        )
        add_format_option(parser)
        parser.add_argument(
            "--per-query",
            type=output_file(_PER_QUERY),
            metavar="OUT.parquet",
            help="Also write the value of every query.",
        )
        add_force_option(parser)

    def handle(self, *_args: Any, **options: Any) -> None:
        from ..results.evaluation import all_measures, requests_of
        from ..results.scored_runs import score_runs
        from ..runs.qrels import read_qrels

        paths = named_paths(options["runs"])
        background, background_paths = _background(options["background"])
        measures = _MEASURES if options["measures"] is None else options["measures"]
        magnitudes = chosen_scores(self, options) if _reads_scores(measures) else None
        liwc, labels = chosen_numbers(options)
        if measures == ["all"]:
            measures = all_measures(
                len(magnitudes.groups) if magnitudes else 0,
                with_qrels=bool(options["qrels"]),
                categories=liwc.lexicon.categories if liwc else (),
                labels=labels.names if labels else (),
            )
            background = background or COLLECTION
        requests = requests_of(
            measures,
            options["magnitude"],
            chosen_cutoffs(options),
            background,
        )
        with self.progress(options, "reading runs", len(paths), "run") as progress:
            scored = score_runs(
                paths,
                magnitudes,
                requests,
                queries=chosen_queries(options),
                order=options["order"],
                missing=options["missing"],
                qrels=options["qrels"] and read_qrels(options["qrels"]),
                background_paths=background_paths,
                categories=liwc,
                labels=labels,
                on_run=progress,
            )
        for notice in (*liwc_notices(liwc), *scored.notices):
            self.note(str(notice))
        self._write(scored, options)

    def _write(self, scored: "ScoredRuns", options: dict[str, Any]) -> None:
        from ..io.files import replacing, write_text
        from ..reports.formats.tables import table_text, to_json
        from ..results.scored_runs import COLUMNS

        whole = {**scored.provenance, "rows": scored.rows()}
        text = table_text(whole, COLUMNS, options["format"])
        # All files appear together, or none of them does.
        with ExitStack() as stack:
            if options["per_query"]:
                from ..results.stored import write_per_query

                write_per_query(scored, stack.enter_context(replacing(options["per_query"])))
            if options["output"]:
                write_text(stack.enter_context(replacing(options["output"])), text)
                if options["format"] != "json":
                    sidecar = stack.enter_context(replacing(f"{options['output']}.meta.json"))
                    write_text(sidecar, to_json(scored.provenance))
        if options["as_json"]:
            self.print_json(whole)
        elif not options["output"]:
            self.write(text, ending="")


def _reads_scores(measures: Sequence[str]) -> bool:
    """Whether a measure needs the scored collection; LIWC and labels do without."""
    from ..measures import get

    return any(n == "all" or "magnitudes" in get(n).definition.needs for n in measures)


def _background(option: str | None) -> tuple[str | None, dict[str, Path]]:
    """The background's name, and its path where the option gives one."""
    if option is None or "=" not in option:
        return option, {}
    paths = named_paths([option])
    return next(iter(paths)), paths
