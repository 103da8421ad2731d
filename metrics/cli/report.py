"""report: the tables and figures of a study in one folder."""

from argparse import ArgumentParser
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import InputError
from ..io.file_kinds import REPORT_PAGE
from ..io.outputs import NamedInputFile, add_file_option, add_force_option, check_kind, input_files
from ..vocabulary import COLLECTION, CRBO_DEPTH, CUTOFFS, MAGNITUDE_NAMES, PUBLISHED_STUDIES
from .command import Command
from .numbers import seed, whole_number
from .run_arguments import add_run_arguments, chosen_queries, named_paths, whole_numbers, words

if TYPE_CHECKING:
    from ..reports.tables.published import Published
    from ..results.overlap import RunOverlap
    from ..runs.queries import Queries
    from ..texts.magnitude_store import Metadata


class Report(Command):
    help = (
        "Write the tables and figures of a study as CSV, Markdown, LaTeX, SVG, PNG, PDF and one "
        "page that stands alone."
    )
    example = (
        "report --queries non_gendered.csv --magnitudes magnitudes.parquet --run BM25=bm25.run "
        "--run BERT=bert.run --output report"
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        add_run_arguments(parser)
        parser.add_argument("--output", required=True, metavar="DIR", help="The folder to write.")
        add_force_option(parser)
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
        parser.add_argument(
            "--magnitude",
            metavar="LIST",
            help=f"Magnitudes of the bias, some of {', '.join(MAGNITUDE_NAMES)} (default: "
            "tf,bool, or those of the study of --published).",
        )
        add_file_option(parser, "--qrels", "Judgements, for MRR, Recall and nDCG.")
        parser.add_argument(
            "--relevant",
            type=whole_number(1),
            metavar="GRADE",
            help="The lowest grade that counts as relevant to MRR and Recall (default: the "
            "convention of the judgements, 2 where grades go from 0 to 3 as in TREC DL, else 1).",
        )
        parser.add_argument(
            "--background",
            default=COLLECTION,
            metavar="NAME|collection",
            help="Whose documents NFaiRR re-orders for its ideal: one of the runs, or the whole "
            "collection (default: %(default)s).",
        )
        parser.add_argument(
            "--counterfactual",
            type=NamedInputFile,
            action="append",
            default=[],
            metavar="NAME=PATH",
            help="The run of the same model over the counterfactual collection, for CRBO; once for "
            "each model.",
        )
        parser.add_argument(
            "--published",
            choices=PUBLISHED_STUDIES,
            default="",
            help="Put the published values of a study beside the computed ones; needs its "
            "collection, word list, tokenizer and queries, and runs that are named as in the "
            "paper.",
        )
        parser.add_argument(
            "--published-differs",
            default="",
            metavar="LIST",
            help="Settings in which this study differs from the published one, which the table "
            "will say: some of collection, lexicon, tokenizer, queries.",
        )
        parser.add_argument(
            "--seed", type=seed, default=0, help="Of bootstrap and permutations (default: 0)."
        )
        parser.add_argument(
            "--labels-note",
            default="",
            metavar="TEXT",
            help="How the queries of --queries were labelled, for the record.",
        )

    def study(self, options: dict[str, Any]) -> "tuple[Queries | None, str, list[str]]":
        """The queries, how they were labelled, and what a reader must know first."""
        if options["queries"] is None:
            raise InputError("a report needs its queries.", remedy="Give --queries FILE.")
        return chosen_queries(options), options["labels_note"], []

    def handle(self, *_args: Any, **options: Any) -> None:
        from ..reports.build import Options, build_report, requests_for_report
        from ..reports.folder import PAGE, write_report
        from ..results.scored_runs import score_runs
        from ..runs.qrels import lowest_relevant_grade, read_qrels
        from ..texts.magnitude_store import open_magnitudes

        if not options["force"]:
            check_kind(Path(options["output"]) / PAGE, REPORT_PAGE)
        queries, note, remarks = self.study(options)
        paths = named_paths(options["runs"])
        magnitudes = open_magnitudes(options["magnitudes"])
        published = _published(options, magnitudes.metadata, queries)
        qrels = options["qrels"] and read_qrels(options["qrels"])
        relevant = options["relevant"] or lowest_relevant_grade(qrels or {})
        requests = requests_for_report(
            magnitudes.groups,
            cutoffs=whole_numbers(options["cutoffs"], "--cutoffs"),
            magnitudes=_magnitudes(options),
            with_qrels=bool(qrels),
            relevant=relevant,
            background=options["background"],
        )
        with self.progress(options, "reading runs", len(paths), "run") as progress:
            scored = score_runs(
                paths,
                magnitudes,
                requests,
                queries=queries,
                order=options["order"],
                missing=options["missing"],
                qrels=qrels,
                on_run=progress,
            )
        report_options = Options(
            paired=_pairs(options["paired"]),
            baseline=options["baseline"],
            labels_note=note,
            remarks=remarks,
            background=options["background"],
            overlaps=_overlaps(paths, queries, options),
            seed=options["seed"],
            published=published,
            relevant=relevant,
            labelled=_labelled(options),
        )
        written = write_report(
            build_report(scored, report_options),
            options["output"],
            inputs=input_files(options.values()),
            force=options["force"],
        )
        for notice in scored.notices:
            self.note(str(notice))
        self._summarise(written, options)

    def _summarise(self, written: list[Path], options: dict[str, Any]) -> None:
        names = [path.name for path in written]
        shown = {"output": options["output"], "files": names}
        self.print_result(options, shown, f"{len(names)} files written; open {written[-1]}.")


def _magnitudes(options: dict[str, Any]) -> tuple[str, ...]:
    from ..reports.build import BIAS_MAGNITUDES
    from ..reports.tables.published import bias_magnitudes

    if options["magnitude"] is not None:
        return tuple(words(options["magnitude"]))
    of_study = bias_magnitudes(options["published"]) if options["published"] else ()
    return of_study or BIAS_MAGNITUDES


def _labelled(options: dict[str, Any]) -> "Queries | None":
    """All the queries of the file with their categories."""
    from ..runs.queries import read_queries

    return read_queries(options["queries"], "all") if options["queries"] else None


def _published(
    options: dict[str, Any], metadata: "Metadata", queries: "Queries | None"
) -> "Published | None":
    """The study to compare with; `InputError` where its settings are others."""
    from ..reports.tables.published import Published, check_settings

    study, stated = options["published"], words(options["published_differs"])
    if not study:
        return None
    n_queries = 0 if queries is None else len(queries)
    return Published(study, check_settings(study, metadata, n_queries, stated))


def _overlaps(
    paths: dict[str, Path], queries: "Queries | None", options: dict[str, Any]
) -> "list[RunOverlap]":
    """CRBO of every run that has one over the counterfactual collection."""
    from ..results.overlap import run_overlap
    from ..runs import read_run

    keep = None if queries is None else set(queries.ids)
    overlaps = []
    for name, counterfactual in named_paths(options["counterfactual"], "--counterfactual").items():
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
