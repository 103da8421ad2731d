"""table: effectiveness, bias and fairness of a folder of runs, as one table."""

from argparse import ArgumentParser
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..io.file_kinds import PROVENANCE, part_of
from ..io.outputs import add_file_option, add_output_option, output_folder
from ..io.run_files import COUNTERFACTUAL
from ..vocabulary import CRBO_DEPTH
from .command import Command
from .inference_arguments import add_inference_options, chosen_inference
from .run_arguments import (
    add_measure_option,
    add_missing_option,
    add_order_option,
    add_population_option,
    add_run_option,
    add_scale_option,
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
    from ..runs.queries import Queries

#: The output, and the file that identifies its folder.
_FILES = (
    *("table.csv", "table.md", "table.json"),
    *("fairness.tex", "table3_bias.tex", "distributions.tex"),
    *("significance.tex", "correlations.tex", "power.tex", "scale.tex"),
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
        from ..reports.field_table import field_requests, field_rows, field_tables, pareto_plot
        from ..results.scored_runs import score_runs
        from ..runs.qrels import lowest_relevant_grade, read_qrels
        from ..runs.queries import read_queries

        renamed = named_lines(options["rename"]) if options["rename"] else ()
        paths = named_paths(options["runs"], names=dict(renamed))
        queries = read_queries(options["queries"]) if options["queries"] else None
        qrels = options["qrels"] and read_qrels(options["qrels"])
        relevant = lowest_relevant_grade(qrels or {})
        liwc, labels = chosen_numbers(options)
        requests = field_requests(
            with_qrels=bool(qrels),
            relevant=relevant,
            categories=liwc.lexicon.categories if liwc else (),
            labels=labels.names if labels else (),
            further=options["measures"] or (),
        )
        with (
            self.progress(options, "reading runs", len(paths), "run") as progress,
            self.progress(options, "measuring runs", len(paths), "run") as measuring,
        ):
            scored = score_runs(
                paths,
                needed_scores(self, options),
                requests,
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
            )
        columns, rows = field_rows(scored, _crbo(paths, queries, options["order"]))
        if not qrels:
            self.note("Without --qrels the table has no MRR, no nDCG and no Pareto plot.")
        made = {**scored.provenance, "relevant": relevant if qrels else None, "rows": rows}
        tables = field_tables(
            scored,
            baseline=options["baseline"],
            relevant=relevant,
            seed=options["seed"],
            inference=chosen_inference(options),
        )
        names = _write(Path(options["output"]), made, columns, pareto_plot(scored), tables)
        for notice in (*liwc_notices(liwc), *scored.notices, *scored.remarks):
            self.note(str(notice))
        line = f"{len(rows)} runs; {', '.join(names)} written to {options['output']}."
        self.print_result(options, made, line)


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


def _write(
    folder: Path, made: dict[str, Any], columns: list[str], plot: Any, tables: Any
) -> list[str]:
    from ..io.files import replacing
    from ..reports.formats.latex import latex_of
    from ..reports.formats.tables import to_csv, to_json, to_markdown
    from ..reports.plots.figures import render_all

    rows = made["rows"]
    files = {
        "table.csv": to_csv(rows, columns).encode(),
        "table.md": to_markdown(rows, columns).encode(),
        "table.json": to_json(made).encode(),
    }
    files |= {f"{table.name}.tex": latex_of(table, prefix="field-").encode() for table in tables}
    if plot is not None:
        files |= {f"pareto.{kind}": drawn for kind, drawn in render_all(plot.figure()).items()}
        files["pareto.csv"] = plot.csv().encode()
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        with replacing(folder / name) as temporary:
            temporary.write_bytes(content)
    return list(files)
