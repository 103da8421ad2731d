"""score_runs: the bias, fairness and effectiveness of runs, as a table."""

from argparse import ArgumentParser
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..io.file_kinds import parquet_kind, table_kind
from ..io.outputs import NamedInputFile, add_file_option, add_force_option, output_file
from ..vocabulary import COLLECTION, CUTOFFS, MAGNITUDE_NAMES
from .command import Command
from .run_arguments import (
    add_document_options,
    add_run_arguments,
    chosen_numbers,
    chosen_queries,
    liwc_notices,
    named_paths,
    whole_numbers,
    words,
)
from .table_output import add_format_option, table_text

if TYPE_CHECKING:
    from ..results.scored_runs import ScoredRuns

_TABLE = table_kind("a table of score_runs", ("run", "measure", "magnitude"))
_PER_QUERY = parquet_kind("a table of values per query", "fairpool.results")


class ScoreRuns(Command):
    help = "Measure runs on a scored collection: measures x magnitudes x cut-offs."
    example = (
        "score_runs --magnitudes magnitudes.parquet --run BM25=bm25.run --run BERT=bert.run.gz "
        "--queries queries.tsv --measures RaB,ARaB --magnitude tf,bool --output bias.csv"
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        add_run_arguments(parser, magnitudes_required=False)
        parser.add_argument(
            "--measures",
            default="RaB,ARaB",
            metavar="LIST",
            help="Measures by the names that the command measures lists; a name may "
            "fix its parameters: 'ARaB(magnitude=bool)@10'. all: every measure that the word list "
            "and --qrels allow, NFaiRR over the whole collection unless --background says "
            "otherwise (default: %(default)s).",
        )
        parser.add_argument(
            "--magnitude",
            metavar="LIST",
            help=f"Some of {', '.join(MAGNITUDE_NAMES)}, for every measure that takes one "
            "(default: each measure's own, tf for RaB and ARaB, tc for AWRF).",
        )
        parser.add_argument(
            "--cutoffs",
            default=",".join(map(str, CUTOFFS)),
            metavar="LIST",
            help="Ranks at which to measure (default: %(default)s).",
        )
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
        from ..texts.magnitude_store import open_magnitudes

        paths = named_paths(options["runs"])
        background, background_paths = _background(options["background"])
        magnitudes = options["magnitudes"] and open_magnitudes(options["magnitudes"])
        liwc, labels = chosen_numbers(options)
        measures = words(options["measures"])
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
            None if options["magnitude"] is None else words(options["magnitude"]),
            whole_numbers(options["cutoffs"], "--cutoffs"),
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
        from ..reports.formats.tables import to_json
        from ..results.scored_runs import COLUMNS, write_per_query

        whole = {**scored.provenance, "rows": scored.rows()}
        text = table_text(whole, COLUMNS, options["format"])
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
            self.write(text, ending="")


def _background(option: str | None) -> tuple[str | None, dict[str, Path]]:
    """The background's name, and its path where the option gives one."""
    if option is None or "=" not in option:
        return option, {}
    paths = named_paths([option])
    return next(iter(paths)), paths
