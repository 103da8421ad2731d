"""report: the tables and figures of a study in one folder."""

from argparse import ArgumentParser
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ..errors import InputError
from ..io.file_kinds import REPORT_PAGE
from ..io.outputs import (
    InputFile,
    NamedInputFile,
    add_file_option,
    add_force_option,
    check_kind,
    input_files,
    output_path,
)
from ..vocabulary import COLLECTION, PUBLISHED_STUDIES
from .chain import ANSWERS, add_groups_options, answers_of_files
from .chosen_systems import ChosenSystems
from .command import Command
from .inference_arguments import add_inference_options, chosen_inference
from .judged_arguments import add_judgment_options, chosen_judges, chosen_judgments, chosen_terms
from .numbers import whole_number
from .report_inputs import chosen_overlaps, chosen_pairs
from .run_arguments import (
    add_cutoff_option,
    add_magnitude_option,
    add_population_option,
    add_repeats_option,
    add_run_arguments,
    add_scale_option,
    chosen_cutoffs,
    chosen_queries,
    chosen_repeats,
    named_paths,
    words,
)
from .score_arguments import add_scores_options, needed_scores

if TYPE_CHECKING:
    from ..measures.base import Qrels
    from ..reports.tables.published import Published
    from ..results.scored_runs import ScoredRuns
    from ..runs.queries import Queries
    from ..statistics.inference import Inference
    from ..texts.magnitude_store import Magnitudes, Metadata


class MeasuredQueries(NamedTuple):
    """Queries, how they were labelled, what a reader must know first, and what they are in words.

    `subset` completes "the mean over ..."; empty where nothing says it.
    """

    queries: "Queries | None"
    labels_note: str
    remarks: Sequence[str] = ()
    subset: str = ""


class Report(Command):
    help = (
        "Write the tables and figures of a study as CSV, Markdown, LaTeX, SVG, PNG, PDF and one "
        "page that needs no other file."
    )
    example = (
        "report --queries non_gendered.csv --scores magnitudes.parquet --run BM25=bm25.run "
        "--run BERT=bert.run --output report"
    )

    def add_runs(self, parser: ArgumentParser) -> None:
        add_run_arguments(parser)
        add_population_option(parser, None)

    def add_arguments(self, parser: ArgumentParser) -> None:
        add_scores_options(parser)
        self.add_runs(parser)
        parser.add_argument(
            "-o",
            "--output",
            required=True,
            type=output_path,
            metavar="DIR",
            help="The folder to write.",
        )
        add_force_option(parser)
        add_cutoff_option(parser)
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
        add_magnitude_option(parser, "tf,bool, or those of the study of --published")
        add_file_option(parser, "--qrels", "Judgements, for MRR, Recall and nDCG.")
        add_judgment_options(parser)
        add_repeats_option(parser)
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
            "--sensitivity",
            type=InputFile,
            action="append",
            default=[],
            metavar="FILE",
            help="The collection scored with another word list or tokenizer, or with "
            "--repair-encoding, for a table of how much the bias depends on these and on the "
            "magnitude; once for each.",
        )
        parser.add_argument(
            "--published",
            choices=PUBLISHED_STUDIES,
            default="",
            help="Show the published values of a study beside the computed ones; this needs its "
            "collection, word list, tokenizer and queries, and runs named as in the paper.",
        )
        parser.add_argument(
            "--published-differs",
            default="",
            metavar="LIST",
            help="Settings in which this study differs from the published one, which the table "
            "will say: some of collection, lexicon, tokenizer, encoding, queries, background.",
        )
        parser.add_argument("--answers", default=[], **ANSWERS)
        add_groups_options(parser)
        add_scale_option(parser)
        add_inference_options(parser, ", or that of the study of --published")
        parser.add_argument(
            "--labels-note",
            default="",
            metavar="TEXT",
            help="How the queries of --queries were labelled, for the record.",
        )

    def study(self, options: dict[str, Any]) -> "MeasuredQueries":
        """The queries of the study, and what there is to say about them."""
        if options["queries"] is None and options["population"] is None:
            raise InputError(
                "a report needs its queries.",
                remedy="Give --queries FILE, or say with --population which queries of the runs.",
            )
        return MeasuredQueries(chosen_queries(options), options["labels_note"])

    def handle(self, *_args: Any, **options: Any) -> None:
        from ..reports.build import Options, build_report, main_cutoff, requests_for_report
        from ..reports.folder import PAGE, write_report
        from ..reports.tables.judged import judged_figures
        from ..results.scored_runs import score_runs
        from ..runs.qrels import lowest_relevant_grade

        if not options["force"]:
            check_kind(Path(options["output"]) / PAGE, REPORT_PAGE)
        queries, note, remarks, subset = self.study(options)
        population = options["population"] or "default"
        paths = named_paths(options["runs"])
        magnitudes = needed_scores(self, options)
        published = _published(options, magnitudes.metadata, queries)
        people, models = chosen_judgments(options)
        systems = ChosenSystems(chosen_repeats(options))
        relevant = options["relevant"] or lowest_relevant_grade(people["qrels"] or {})
        requests = requests_for_report(
            magnitudes.groups,
            cutoffs=chosen_cutoffs(options),
            magnitudes=_magnitudes(options),
            with_qrels=bool(people["qrels"]),
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
                qrels=people["qrels"],
                population=population,
                scale_seed=options["seed"] if options["scale"] else None,
                on_run=progress,
                on_opened=systems.find,
            )
        inference = chosen_inference(options, published.inference if published else None)
        judged, judged_notes = judged_figures(
            paths,
            magnitudes,
            people,
            models,
            replace(chosen_terms(options), inference=inference),
            cutoff=main_cutoff(chosen_cutoffs(options)),
            relevant=relevant,
            queries=queries,
            order=options["order"],
            missing=options["missing"],
        )
        report_options = Options(
            paired=chosen_pairs(options["paired"]),
            baseline=options["baseline"],
            labels_note=note,
            remarks=remarks,
            background=options["background"],
            overlaps=chosen_overlaps(paths, queries, options),
            seed=options["seed"],
            sensitivity=_sensitivity(paths, magnitudes, queries, options),
            inference=inference,
            published=published,
            relevant=relevant,
            labelled=_labelled(options),
            subset=subset,
            judged=judged,
            judged_notes=judged_notes,
            **_together(
                self._chain(paths, magnitudes, options),
                _of_systems(scored, systems, options, inference),
                _of_judges(
                    paths, magnitudes, people["qrels"], options, relevant=relevant, queries=queries
                ),
            ),
        )
        written = write_report(
            build_report(scored, report_options),
            options["output"],
            inputs=input_files(options.values()),
            force=options["force"],
        )
        for notice in (*scored.notices, *systems.odd, *scored.remarks):
            self.note(str(notice))
        self._summarise(written, options)

    def _chain(
        self, paths: dict[str, Path], magnitudes: "Magnitudes", options: dict[str, Any]
    ) -> dict[str, Any]:
        """The table and the picture of `--answers`."""
        from ..answers.answer import notices_of
        from ..answers.chain import chains_of
        from ..answers.in_report import chain_plot, chain_table
        from ..answers.public import chain_terms, run_by_system, table_rows
        from ..answers.reading import USUAL
        from ..runs import read_run

        if not options["answers"]:
            return {}
        runs = [read_run(path, name, options["order"]) for name, path in paths.items()]
        terms = chain_terms(magnitudes, options["labels"], options["attribute"])
        answers = answers_of_files(options["answers"], USUAL)
        chains = chains_of(answers, run_by_system(runs), terms)
        for notice in (n for chain in chains for n in notices_of(chain.system, chain.counts)):
            self.note(notice)
        rows = table_rows(chains, "")
        return {"more_tables": [chain_table(rows)], "more_plots": [chain_plot(rows)]}

    def _summarise(self, written: list[Path], options: dict[str, Any]) -> None:
        names = [path.name for path in written]
        result = {"output": options["output"], "files": names}
        self.print_result(options, result, f"{len(names)} files written; open {written[-1]}.")


def _together(*parts: Mapping[str, Any]) -> dict[str, Any]:
    """The tables and pictures of all of them."""
    names = ("more_tables", "more_plots")
    return {name: [each for part in parts for each in part.get(name, ())] for name in names}


def _of_systems(
    scored: "ScoredRuns",
    systems: ChosenSystems,
    options: dict[str, Any],
    inference: "Inference",
) -> dict[str, Any]:
    """The table and the picture of `--repeats`; the baseline is the system of that run."""
    from ..reports.build import main_cutoff
    from ..reports.tables.repetitions import repetitions_parts

    if not systems.is_asked:
        return {}
    cutoff = main_cutoff(chosen_cutoffs(options))
    table, plot = repetitions_parts(
        [result for result in scored.results if result.cutoff == cutoff],
        systems.known,
        baseline=systems.of_run(options["baseline"]),
        inference=inference,
    )
    return {"more_tables": [table], "more_plots": [plot]}


def _of_judges(
    paths: dict[str, Path],
    magnitudes: "Magnitudes",
    people: "Qrels | None",
    options: dict[str, Any],
    *,
    relevant: int,
    queries: "Queries | None",
) -> dict[str, Any]:
    """The table and the picture of the judges that `--judge-qrels` names."""
    from ..reports.build import main_cutoff
    from ..reports.tables.judges import judges_parts

    judges = chosen_judges(options)
    if not judges:
        return {}
    table, plot = judges_parts(
        paths,
        magnitudes,
        people,
        judges,
        replace(chosen_terms(options), inference=chosen_inference(options)),
        cutoff=main_cutoff(chosen_cutoffs(options)),
        relevant=relevant,
        queries=queries,
        order=options["order"],
        missing=options["missing"],
    )
    return {"more_tables": [table], "more_plots": [plot]}


def _magnitudes(options: dict[str, Any]) -> tuple[str, ...]:
    from ..reports.build import BIAS_MAGNITUDES
    from ..reports.tables.published import bias_magnitudes

    if options["magnitude"] is not None:
        return tuple(options["magnitude"])
    of_study = bias_magnitudes(options["published"]) if options["published"] else ()
    return of_study or BIAS_MAGNITUDES


def _sensitivity(
    paths: dict[str, Path],
    magnitudes: "Magnitudes",
    queries: "Queries | None",
    options: dict[str, Any],
) -> "list[ScoredRuns]":
    """The runs scored as the report has them and by the files of `--sensitivity`."""
    from ..reports.build import main_cutoff
    from ..reports.tables.sensitivity import score_in_ways
    from ..texts.magnitude_store import open_magnitudes

    return score_in_ways(
        paths,
        magnitudes,
        [open_magnitudes(path) for path in options["sensitivity"]],
        main_cutoff(chosen_cutoffs(options)),
        queries=queries,
        order=options["order"],
        missing=options["missing"],
        population=options["population"] or "default",
    )


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
    qids = () if queries is None else queries.ids
    differing = check_settings(study, metadata, qids, stated, options["background"])
    return Published(study, differing)
