"""table: effectiveness, bias and fairness of a folder of runs, as one table."""

from argparse import ArgumentParser
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import InputError
from ..io.file_kinds import PROVENANCE, part_of
from ..io.outputs import add_file_option, add_output_option, output_folder
from ..io.run_files import COUNTERFACTUAL
from ..vocabulary import CRBO_DEPTH, NEURAL_BIAS, PRESETS
from .chosen_systems import ChosenSystems
from .command import Command
from .inference_arguments import add_inference_options, chosen_inference
from .run_arguments import (
    add_measure_option,
    add_missing_option,
    add_order_option,
    add_population_option,
    add_repeats_option,
    add_run_option,
    add_scale_option,
    chosen_repeats,
    named_lines,
    named_paths,
)
from .score_arguments import (
    add_document_options,
    add_scores_options,
    chosen_numbers,
    liwc_notices,
    needed_scores,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from ..reports.formats.layout import Table as ReportTable
    from ..results.evaluation import Request
    from ..results.repeats import Systems
    from ..results.scored_runs import ScoredRuns
    from ..runs.queries import Queries
    from ..texts.categories import CategorySource
    from ..texts.document_numbers import DocumentNumbers

#: The output, and the file that identifies its folder.
_FILES = (
    *("table.csv", "table.md", "table.json"),
    *("fairness.tex", "table3_bias.tex", "distributions.tex"),
    *("significance.tex", "correlations.tex", "power.tex", "scale.tex"),
    *("neural_bias.tex", "repetitions.tex", "repetitions.csv", "repetitions.md"),
    *("repetitions_figure.svg", "repetitions_figure.png", "repetitions_figure.pdf"),
    *("pareto.svg", "pareto.png", "pareto.pdf", "pareto.csv"),
)
_PART = part_of("a field table", "table.json", PROVENANCE)


class Table(Command):
    help = (
        "Measure a folder of runs as the papers of the field do: MRR, nDCG, RaB and ARaB signed "
        "and absolute, FaiRR, NFaiRR, TExFAIR, CRBO where X.counterfactual.run lies beside X.run, "
        "and the Pareto front of effectiveness against bias."
    )
    example = "table --run 'runs/*.run' --queries preset:fair-215 --scores m.parquet --output table"

    def add_arguments(self, parser: ArgumentParser) -> None:
        add_run_option(parser)
        parser.add_argument(
            "--preset",
            choices=PRESETS,
            default=PRESETS[0],
            help="The table: field, or neural-bias, which papers on neural rankers print: MRR@10, "
            "nDCG@10, ARaB tc, tf, bool and NFaiRR at 5, 10, 20 and 50, in their names, with the "
            "mean and the deviation over seeds of --repeats (default: %(default)s).",
        )
        add_repeats_option(parser)
        add_file_option(parser, "--rename", "Lines file name<TAB>name of the run (or a comma).")
        add_scores_options(parser)
        add_file_option(
            parser,
            "--queries",
            "A query file, preset:nongendered-1765 or preset:fair-215 (default: each run's own "
            "queries).",
            metavar="FILE|preset:NAME",
        )
        add_file_option(parser, "--qrels", "Judgements, for MRR and nDCG.")
        folder = output_folder(dict.fromkeys(_FILES, _PART))
        add_output_option(parser, folder, "DIR", "The folder to write: table and plot.")
        parser.add_argument(
            "--baseline",
            default="",
            metavar="NAME",
            help="The run that marks of significance compare the others with, in LaTeX.",
        )
        add_inference_options(parser)
        add_document_options(parser)
        add_measure_option(
            parser, "none", "Further measures, such as AWRF-TREC,NDKL,ExposureRatio,EE-L."
        )
        add_scale_option(parser)
        add_population_option(parser)
        add_missing_option(parser)
        add_order_option(parser)

    def handle(self, *_args: Any, **options: Any) -> None:
        from ..results.scored_runs import score_runs
        from ..runs.qrels import lowest_relevant_grade, read_qrels
        from ..runs.queries import read_queries

        renamed = named_lines(options["rename"]) if options["rename"] else ()
        paths = named_paths(options["runs"], names=dict(renamed))
        queries = read_queries(options["queries"]) if options["queries"] else None
        qrels = options["qrels"] and read_qrels(options["qrels"])
        relevant = lowest_relevant_grade(qrels or {})
        liwc, labels = chosen_numbers(options)
        systems = ChosenSystems(chosen_repeats(options))
        with (
            self.progress(options, "reading runs", len(paths), "run") as progress,
            self.progress(options, "measuring runs", len(paths), "run") as measuring,
        ):
            scored = score_runs(
                paths,
                needed_scores(self, options),
                _requests(options, relevant if qrels else None, liwc, labels),
                queries=queries,
                order=options["order"],
                missing=options["missing"],
                qrels=qrels,
                categories=liwc,
                labels=labels,
                scale_seed=options["seed"] if options["scale"] else None,
                population=options["population"],
                on_run=progress,
                on_measured=measuring,
                on_opened=systems.find,
            )
        if not qrels:
            self.note("Without --qrels the table has no MRR, no nDCG and no Pareto plot.")
        if options["preset"] == NEURAL_BIAS:
            files = _neural_bias(scored, systems.known, relevant, options)
        else:
            files = _field(scored, _crbo(paths, queries, options["order"]), relevant, options)
        if systems.is_asked:
            files += _of_systems(scored, systems.known, options)
        contents = {
            **scored.provenance,
            "relevant": relevant if qrels else None,
            "rows": files.rows,
        }
        names = _write(Path(options["output"]), contents, files)
        for notice in (*liwc_notices(liwc), *scored.notices, *systems.odd, *scored.remarks):
            self.note(str(notice))
        line = f"{len(files.rows)} runs; {', '.join(names)} written to {options['output']}."
        self.print_result(options, contents, line)


@dataclass(frozen=True)
class _Files:
    """The rows of the table, and what is written beside it: tables, figures and numbers of them."""

    columns: "Sequence[str]"
    rows: "Sequence[Mapping[str, Any]]"
    tables: "Sequence[ReportTable]"
    figures: "Mapping[str, Figure]" = field(default_factory=dict)
    texts: Mapping[str, str] = field(default_factory=dict)

    def __add__(self, more: "_Files") -> "_Files":
        """These, and the tables, figures and texts of others."""
        return _Files(
            self.columns,
            self.rows,
            [*self.tables, *more.tables],
            {**self.figures, **more.figures},
            {**self.texts, **more.texts},
        )


def _requests(
    options: dict[str, Any],
    relevant: int | None,
    liwc: "CategorySource | None",
    labels: "DocumentNumbers | None",
) -> "list[Request]":
    """The measures of the preset; `relevant` is None without judgements."""
    from ..reports.field_table import field_requests
    from ..reports.neural_bias import neural_bias_requests

    if options["preset"] == NEURAL_BIAS:
        if options["measures"]:
            raise InputError(
                f"--preset {NEURAL_BIAS} has its own measures.", remedy="Leave out --measure."
            )
        return neural_bias_requests(with_qrels=relevant is not None, relevant=relevant or 1)
    return field_requests(
        with_qrels=relevant is not None,
        relevant=relevant or 1,
        categories=liwc.lexicon.categories if liwc else (),
        labels=labels.names if labels else (),
        further=options["measures"] or (),
    )


def _field(
    scored: "ScoredRuns",
    crbo: dict[str, float | None],
    relevant: int,
    options: dict[str, Any],
) -> _Files:
    from ..reports.field_table import field_rows, field_tables, pareto_plot

    columns, rows = field_rows(scored, crbo)
    tables = field_tables(
        scored,
        # Of repetitions it is a system, which no table of single runs has.
        baseline="" if options["repeats"] else options["baseline"],
        relevant=relevant,
        seed=options["seed"],
        inference=chosen_inference(options),
    )
    plot = pareto_plot(scored)
    if plot is None:
        return _Files(columns, rows, tables)
    return _Files(columns, rows, tables, {"pareto": plot.figure()}, {"pareto.csv": plot.csv()})


def _neural_bias(
    scored: "ScoredRuns", systems: "Systems", relevant: int, options: dict[str, Any]
) -> _Files:
    from ..reports.neural_bias import file_columns, neural_bias_table

    table = neural_bias_table(
        scored,
        systems,
        baseline=options["baseline"],
        relevant=relevant,
        inference=chosen_inference(options),
    )
    return _Files(file_columns(table), table.rows, [table])


def _of_systems(scored: "ScoredRuns", systems: "Systems", options: dict[str, Any]) -> _Files:
    """The table and the picture of systems over queries and repetitions."""
    from ..reports.formats.layout import csv_of, markdown_of
    from ..reports.tables.repetitions import repetitions_parts

    table, plot = repetitions_parts(
        scored.results,
        systems,
        baseline=options["baseline"],
        inference=chosen_inference(options),
    )
    texts = {"repetitions.csv": csv_of(table), "repetitions.md": markdown_of(table)}
    return _Files((), (), [table], {plot.name: plot.figure()}, texts)


def _crbo(paths: dict[str, Path], queries: "Queries | None", order: Any) -> dict[str, float | None]:
    from ..results.overlap import run_overlap
    from ..runs import read_run

    values = {}
    for name, path in paths.items():
        counterfactual = path.with_name(path.name.removesuffix(".run") + COUNTERFACTUAL)
        if counterfactual.is_file():
            keep = set(queries.ids) if queries else None
            files = (path, counterfactual)
            pair = [read_run(file, name, order, keep, CRBO_DEPTH) for file in files]
            values[name] = run_overlap(*pair).value
    return values


def _write(folder: Path, contents: dict[str, Any], written: _Files) -> list[str]:
    from ..io.files import replacing
    from ..reports.formats.latex import latex_of
    from ..reports.formats.tables import to_csv, to_json, to_markdown
    from ..reports.plots.figures import render_all

    rows, columns = contents["rows"], written.columns
    files = {
        "table.csv": to_csv(rows, columns).encode(),
        "table.md": to_markdown(rows, columns).encode(),
        "table.json": to_json(contents).encode(),
    }
    for table in written.tables:
        files[f"{table.name}.tex"] = latex_of(table, prefix="field-").encode()
    for name, figure in written.figures.items():
        files |= {f"{name}.{kind}": drawn for kind, drawn in render_all(figure).items()}
    files |= {name: text.encode() for name, text in written.texts.items()}
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        with replacing(folder / name) as temporary:
            temporary.write_bytes(content)
    return list(files)
