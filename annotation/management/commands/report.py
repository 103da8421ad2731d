"""report: the tables and figures of a study in one folder."""

from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser
from django.template.loader import render_to_string

from annotation.selectors.batches import batch_get
from annotation.selectors.study import labelled_queries, labels_note, labels_warnings
from metrics.errors import InputError
from metrics.evaluation import CUTOFFS
from metrics.magnitude_store import open_magnitudes
from metrics.management.command import FairpoolCommand
from metrics.management.run_arguments import (
    add_run_arguments,
    chosen_queries,
    named_paths,
    whole_numbers,
)
from metrics.measures.nfairr import COLLECTION
from metrics.overlap import CRBO_DEPTH, RunOverlap, run_overlap
from metrics.qrels import read_qrels
from metrics.queries import Queries
from metrics.report import Options, build_report, requests_for_report, write_report
from metrics.report.published import STUDIES, check_collection
from metrics.runs import read_run
from metrics.scored_runs import score_runs


class Command(FairpoolCommand):
    help = (
        "Write the tables and figures of a study as CSV, Markdown, LaTeX, SVG, PNG, PDF and one "
        "page that stands alone. The queries are those of a labelled batch or of a file."
    )
    example = (
        "report study --magnitudes magnitudes.parquet --run BM25=bm25.run --run BERT=bert.run "
        "--output report"
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "batch", metavar="B", nargs="?", help="Name of a labelled batch (or --queries FILE)."
        )
        add_run_arguments(parser)
        parser.add_argument("--output", required=True, metavar="DIR", help="The folder to write.")
        parser.add_argument(
            "--cutoffs",
            default=",".join(map(str, CUTOFFS)),
            metavar="LIST",
            help="Ranks at which to measure the bias (default: %(default)s).",
        )
        parser.add_argument(
            "--baseline", default="", metavar="NAME", help="The run to compare the others with."
        )
        parser.add_argument(
            "--paired",
            action="append",
            default=[],
            metavar="NAME=RND_NAME",
            help="The run of the same model with random initialisation; once for each model.",
        )
        parser.add_argument("--qrels", metavar="FILE", help="Judgements, for MRR, Recall and nDCG.")
        parser.add_argument(
            "--background",
            default=COLLECTION,
            metavar="NAME|collection",
            help="Whose documents NFaiRR re-orders for its ideal: one of the runs, or the whole "
            "collection (default: %(default)s).",
        )
        parser.add_argument(
            "--counterfactual",
            action="append",
            default=[],
            metavar="NAME=PATH",
            help="The run of the same model over the counterfactual collection, for CRBO; once for "
            "each model.",
        )
        parser.add_argument(
            "--published",
            choices=STUDIES,
            default="",
            help="Put the published values of a study beside the computed ones; needs the scored "
            "MS MARCO passages, and runs that are named as in the paper.",
        )
        parser.add_argument(
            "--seed", type=int, default=0, help="Of bootstrap and permutations (default: 0)."
        )
        parser.add_argument(
            "--labels-note",
            default="",
            metavar="TEXT",
            help="How the queries of --queries were labelled, for the record.",
        )

    def handle(self, **options: Any) -> None:
        queries, note, remarks = _study(options)
        paths = named_paths(options["runs"])
        magnitudes = open_magnitudes(options["magnitudes"])
        requests = requests_for_report(
            magnitudes.groups,
            cutoffs=whole_numbers(options["cutoffs"], "--cutoffs"),
            with_qrels=bool(options["qrels"]),
            background=options["background"],
        )
        if options["published"]:
            check_collection(magnitudes.n_documents)
        with self.progress(
            "reading runs", total=len(paths), unit="run", quiet=options["quiet"]
        ) as progress:
            scored = score_runs(
                paths,
                magnitudes,
                requests,
                queries=queries,
                order=options["order"],
                missing=options["missing"],
                qrels=options["qrels"] and read_qrels(options["qrels"]),
                on_run=progress,
            )
        told = Options(
            paired=_pairs(options["paired"]),
            baseline=options["baseline"],
            labels_note=note,
            remarks=remarks,
            background=options["background"],
            overlaps=_overlaps(paths, queries, options),
            seed=options["seed"],
            published=options["published"],
        )
        written = write_report(
            build_report(scored, told),
            options["output"],
            lambda context: render_to_string("report/index.html", dict(context)),
        )
        for notice in scored.notices:
            self.note(str(notice))
        self._tell(written, options)

    def _tell(self, written: list[Path], options: dict[str, Any]) -> None:
        names = [path.name for path in written]
        if options["as_json"]:
            self.print_json({"output": options["output"], "files": names})
        else:
            self.stdout.write(f"{len(names)} files written; open {written[-1]}.")


def _study(options: dict[str, Any]) -> tuple[Queries | None, str, list[str]]:
    """The queries, how they were labelled, and what a reader must know first."""
    name = options["batch"]
    if (name is None) == (options["queries"] is None):
        raise InputError(
            "the queries of the study are not clear.",
            remedy="Give either the name of a labelled batch or --queries FILE.",
        )
    if name is None:
        return chosen_queries(options), options["labels_note"], []
    batch = batch_get(name=name)
    queries = labelled_queries(batch=batch, category=options["category"])
    return queries, labels_note(batch=batch), labels_warnings(batches=[batch])


def _overlaps(
    paths: dict[str, Path], queries: Queries | None, options: dict[str, Any]
) -> list[RunOverlap]:
    """CRBO of every run that has one over the counterfactual collection."""
    keep = None if queries is None else set(queries.ids)
    overlaps = []
    for name, counterfactual in named_paths(options["counterfactual"]).items():
        if name not in paths:
            raise InputError(
                f"--counterfactual {name}: no run is named so.", remedy="Name one of the --run."
            )
        original, swapped = (
            read_run(path, name, options["order"], keep, CRBO_DEPTH)
            for path in (paths[name], counterfactual)
        )
        overlaps.append(run_overlap(original, swapped, depth=CRBO_DEPTH))
    return overlaps


def _pairs(options: list[str]) -> dict[str, str]:
    pairs: dict[str, str] = {}
    for option in options:
        name, equals, twin = option.partition("=")
        if not equals or not twin or name in pairs:
            raise InputError(
                f"--paired {option}: no NAME=RND_NAME of its own.",
                remedy="Name each model once, for instance --paired KNRM=KNRM_RND.",
            )
        pairs[name] = twin
    return pairs
