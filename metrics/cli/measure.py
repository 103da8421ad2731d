"""measure: the bias, fairness and effectiveness of runs, as a table."""

from argparse import ArgumentParser
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import InputError
from ..io.file_kinds import either_kind, parquet_kind, table_kind
from ..io.outputs import NamedInputFile, add_file_option, add_force_option, output_file
from ..vocabulary import COLLECTION
from .command import Command
from .judged_arguments import add_judged_options, chosen_judges, chosen_judgments, chosen_terms
from .run_arguments import (
    add_cutoff_option,
    add_magnitude_option,
    add_measure_option,
    add_population_option,
    add_repeats_option,
    add_run_arguments,
    add_scale_option,
    chosen_cutoffs,
    chosen_queries,
    chosen_repeats,
    named_paths,
)
from .score_arguments import (
    add_document_options,
    add_scores_options,
    chosen_numbers,
    chosen_scores,
    liwc_notices,
)
from .table_output import add_format_option, chosen_format, format_of

if TYPE_CHECKING:
    from ..measures.base import Qrels
    from ..results.evaluation import Request
    from ..results.few_judgments import JudgedRuns
    from ..results.judgments import Kind, Terms
    from ..results.scored_runs import OpenRuns, ScoredRuns

_MEASURES = ("RaB", "ARaB")
_TABLE = table_kind("a table of measured runs", ("run", "measure", "magnitude"))
_VALUES = "a table of values per query"
_PER_QUERY = either_kind(
    parquet_kind(_VALUES, "fairpool.results"),
    table_kind(_VALUES, ("run", "qid", "measure", "magnitude")),
)


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
        add_file_option(parser, "--qrels", "Judgements, for MRR, Recall, P, DCG and nDCG.")
        add_document_options(parser)
        add_scale_option(parser)
        add_population_option(parser)
        add_repeats_option(parser)
        add_judged_options(parser)
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
            type=output_file(_TABLE, sidecar=True, or_printed=True),
            metavar="OUT",
            help="The file to write (default: standard output); OUT.meta.json beside it records "
            "what the numbers were made from.",
        )
        add_format_option(parser)
        parser.add_argument(
            "--per-query",
            type=output_file(_PER_QUERY),
            metavar="OUT.parquet",
            help="Also write the value of every query, as .parquet, .csv, .json, .md or .tex.",
        )
        add_force_option(parser)

    def handle(self, *_args: Any, **options: Any) -> None:
        from ..results.evaluation import all_measures, of_each_group, requests_of
        from ..results.few_judgments import JudgedRuns, check_alone, judgments_of
        from ..results.judgments import by_judge
        from ..results.scored_runs import ScoredRuns, open_runs
        from ..results.unread import READ_BY, unread, unread_text

        paths = named_paths(options["runs"])
        background, background_paths = _background(options["background"])
        measures = _MEASURES if options["measures"] is None else options["measures"]
        looks = _reads_scores(measures) or options["judge_passages"]
        magnitudes = chosen_scores(self, options) if looks else None
        liwc, labels = chosen_numbers(options)
        if measures == ["all"]:
            measures = all_measures(
                len(magnitudes.groups) if magnitudes else 0,
                with_qrels=bool(options["qrels"]),
                with_passages=bool(options["passages"]),
                categories=liwc.lexicon.categories if liwc else (),
                labels=labels.names if labels else (),
            )
            background = background or COLLECTION
        requests = requests_of(
            of_each_group(measures, labels.names if labels else ()),
            options["magnitude"],
            chosen_cutoffs(options) if options["cutoffs"] else None,
            background,
        )
        people, models = chosen_judgments(options)
        judges = chosen_judges(options)
        judgments = judgments_of(people, models)
        if judgments or judges:
            check_alone(**{name: options[name] for name in ("scale", "per_query")})
        elif options["baseline"] and not options["repeats"]:
            raise InputError("--baseline needs --repeats, --judge-qrels or --judge-passages.")
        queries = chosen_queries(options)
        with self.progress(options, "reading runs", len(paths), "run") as progress:
            opened = open_runs(
                paths,
                magnitudes,
                requests,
                queries=queries,
                order=options["order"],
                missing=options["missing"],
                background_paths=background_paths,
                categories=liwc,
                labels=labels,
                is_whole=options["scale"],
                population=options["population"],
                judgments=people
                | {f"judge_{kind}": qrels for kind, qrels in models.items()}
                | by_judge(judges),
                on_run=progress,
            )
            made_from = opened.provenance(queries)
            people = {kind: opened.judgments[kind] for kind in people}
            scored: ScoredRuns | JudgedRuns
            if judgments or judges:
                scored = _judged(
                    opened,
                    requests,
                    people,
                    models,
                    terms=chosen_terms(options),
                    made_from=made_from,
                    repeats=chosen_repeats(options),
                )
            else:
                seed = 0 if options["scale"] else None
                results = opened.measure(requests, None, **people, scale_seed=seed)
                scored = ScoredRuns(results, opened.notices, made_from, of_meeting=opened.remarks)
                scored = _of_systems(scored, opened, options)
        names = {name for name in READ_BY if options.get(name)}
        ignored = [unread_text(name) for name in unread(requests, names)]
        for notice in (*liwc_notices(liwc), *scored.notices, *scored.remarks, *ignored):
            self.note(str(notice))
        self._write(scored, options)

    def _write(self, scored: "ScoredRuns | JudgedRuns", options: dict[str, Any]) -> None:
        from ..io.files import replacing, write_text
        from ..reports.formats.tables import table_text, to_json
        from ..results.scale import SCALE_COLUMNS
        from ..results.scored_runs import ScoredRuns

        columns = (*scored.columns, *(SCALE_COLUMNS if options["scale"] else ()))
        whole = {**scored.provenance, "rows": scored.rows()}
        format_ = chosen_format(options)
        text = table_text(whole, columns, format_)
        # All files appear together, or none of them does.
        with ExitStack() as stack:
            if options["per_query"] and isinstance(scored, ScoredRuns):
                _write_values(scored, options["per_query"], stack)
            if options["output"]:
                write_text(stack.enter_context(replacing(options["output"])), text)
                if format_ != "json":
                    sidecar = stack.enter_context(replacing(f"{options['output']}.meta.json"))
                    write_text(sidecar, to_json(scored.provenance))
        if options["as_json"]:
            self.print_json(whole)
        elif not options["output"]:
            self.write(text, ending="")


def _judged(
    opened: "OpenRuns",
    requests: "Sequence[Request]",
    people: "Mapping[str, Qrels | None]",
    models: "Mapping[Kind, Qrels | None]",
    *,
    terms: "Terms",
    made_from: dict[str, Any],
    repeats: Any,
) -> "JudgedRuns":
    """The figures by people and models."""
    from ..results.few_judgments import (
        JUDGED_COLUMNS,
        JudgedRuns,
        check_alone,
        judged_rows,
        judgments_of,
    )
    from ..results.judgments import judges_in
    from ..results.repeats import check_repetitions, systems_of

    columns, odd = JUDGED_COLUMNS, []
    if judges := judges_in(opened.judgments):
        from ..results.judges import JUDGES_COLUMNS, judges_rows

        check_alone(repeats=repeats)
        columns = JUDGES_COLUMNS
        rows, notices = judges_rows(opened, requests, judges, terms, people["qrels"])
    else:
        own = {kind: opened.judgments[f"judge_{kind}"] for kind in models}
        both = judgments_of(people, own)
        if repeats is None:
            rows, notices = judged_rows(opened, requests, both, terms, people)
        else:
            from ..results.judged_systems import SYSTEM_COLUMNS, judged_system_rows

            columns = SYSTEM_COLUMNS
            systems = systems_of(repeats, [run.name for run in opened.runs])
            odd = check_repetitions(opened.runs, systems)
            rows, notices = judged_system_rows(
                opened, requests, both, terms, people, systems=systems
            )
    of_runs = (*map(str, opened.notices), *odd, *opened.remarks)
    return JudgedRuns(rows, (*of_runs, *notices), made_from, columns)


def _of_systems(scored: "ScoredRuns", opened: "OpenRuns", options: dict[str, Any]) -> "ScoredRuns":
    """The figures of systems over queries and repetitions, where runs are named as such."""
    from ..results.repeated import check_without, repeated_runs
    from ..results.repeats import check_repetitions, systems_of
    from ..statistics.inference import Inference

    repeats = chosen_repeats(options)
    if repeats is None:
        return scored
    check_without(scale=options["scale"])
    systems = systems_of(repeats, [run.name for run in opened.runs])
    inference = Inference(family=options["family"], correction=options["correction"])
    odd = check_repetitions(opened.runs, systems)
    return repeated_runs(scored, systems, odd, baseline=options["baseline"], inference=inference)


def _write_values(scored: "ScoredRuns", path: str, stack: ExitStack) -> None:
    from ..io.files import replacing, write_text
    from ..reports.formats.tables import table_text
    from ..results.stored import value_columns, value_rows, write_per_query

    temporary = stack.enter_context(replacing(path))
    if format_ := format_of(path):
        write_text(
            temporary, table_text({"rows": value_rows(scored)}, value_columns(scored), format_)
        )
    else:
        write_per_query(scored, temporary)


def _reads_scores(measures: Sequence[str]) -> bool:
    """Return whether a measure needs the scored collection; LIWC and labels do without."""
    from ..measures import get

    return any(n == "all" or "magnitudes" in get(n).needs for n in measures)


def _background(option: str | None) -> tuple[str | None, dict[str, Path]]:
    """The background's name, and its path where the option gives one."""
    if option is None or "=" not in option:
        return option, {}
    paths = named_paths([option])
    return next(iter(paths)), paths
