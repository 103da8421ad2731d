"""rerank_fair: re-rank a finished run for gender balance."""

import re
from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from metrics.cli.numbers import add_count_option, share
from metrics.errors import InputError
from metrics.io.file_kinds import line_kind, table_kind
from metrics.io.files import replacing, write_text
from metrics.io.outputs import add_file_option, add_force_option, output_file
from metrics.management.command import FairpoolCommand
from metrics.mitigation import METHODS, reranked, sweep, write_reranked
from metrics.mitigation.rerank import join_for_reranking
from metrics.reports.formats.tables import to_csv
from metrics.reports.plots.figures import render
from metrics.runs import read_run
from metrics.runs.qrels import read_qrels
from metrics.runs.sidecar import parameter_count, sidecar_of, sidecar_text
from metrics.texts.magnitude_store import open_magnitudes

_FRONT = table_kind("a front of rerank_fair", ("method", "strength"))
_NAMED = re.compile(rf"-({'|'.join(METHODS)})-[0-9.e-]+")
#: The name of a run says how it was re-ranked.
_RERANKED = line_kind(
    "a run of rerank_fair", lambda line: bool(_NAMED.search((line.split()[5:] or [""])[0]))
)


class Command(FairpoolCommand):
    databases_with = frozenset[str]()
    help = (
        "Re-rank a run so that relevance is traded for gender balance: with one strength into a "
        "run, or with many (--sweep) into the effectiveness-bias front. Nothing is trained."
    )
    example = (
        "rerank_fair --run bm25.run --magnitudes magnitudes.parquet --method exposure "
        "--strength 0.3 --output bm25-fair.run"
    )

    def add_arguments(self, parser: CommandParser) -> None:
        add_file_option(parser, "--run", "The run to re-rank.", metavar="X.run", required=True)
        add_file_option(parser, "--magnitudes", metavar="M.parquet", required=True)
        parser.add_argument(
            "--method",
            required=True,
            choices=METHODS,
            action="append",
            dest="methods",
            help="interpolate: (1-s) relevance + s neutrality of the document; mmr: the list's "
            "mean direction is penalised; exposure: the imbalance of exposure of the groups' "
            "words. With --sweep it may be repeated.",
        )
        parser.add_argument("--strength", type=share, help="0: as it was; 1: balance only.")
        add_count_option(parser, "--depth", 100, "Ranks to re-order (default: %(default)s).")
        parser.add_argument(
            "--missing",
            choices=("error", "zero"),
            default="error",
            help="A document that is not in the scored collection: stop, or count it as one "
            "without group words (default: %(default)s).",
        )
        parser.add_argument(
            "--output",
            type=output_file(_RERANKED, sidecar=True),
            metavar="Y.run",
            help="The run to write; Y.run.meta.json beside it where X.run has one.",
        )
        parser.add_argument(
            "--sweep",
            type=output_file(_FRONT, figure=True),
            metavar="FRONT.csv",
            help="Also FRONT.svg: strengths 0 to 1.",
        )
        add_file_option(parser, "--qrels", "Adds nDCG and its test to --sweep.")
        add_force_option(parser)
        add_count_option(parser, "--cutoff", 10, "Of --sweep (default: 10).")

    def handle(self, *_args: Any, **options: Any) -> None:
        _check(options)
        magnitudes = open_magnitudes(options["magnitudes"])
        run = read_run(options["run"])
        ranked = join_for_reranking(run, magnitudes, options["depth"], options["missing"])
        if options["output"]:
            method = options["methods"][0]
            name = f"{run.name}-{method}-{options['strength']:g}"
            write_reranked(reranked(ranked, method, options["strength"], name), options["output"])
            _describe(name, options)
        if options["sweep"]:
            front = sweep(
                ranked,
                magnitudes,
                options["methods"],
                cutoff=options["cutoff"],
                qrels=options["qrels"] and read_qrels(options["qrels"]),
            )
            figure = Path(options["sweep"]).with_suffix(".svg")
            with replacing(options["sweep"]) as table, replacing(figure) as drawing:
                write_text(table, to_csv(front.rows, front.columns))
                drawing.write_bytes(render(front.figure(), "svg"))
        if options["as_json"]:
            self.print_json({"rows": front.rows if options["sweep"] else []})


def _describe(name: str, options: dict[str, Any]) -> None:
    """The model behind a re-ranked run has as many parameters as before; Table 1 shows them."""
    count, sidecar = parameter_count(options["run"]), sidecar_of(options["output"])
    if count is None:
        sidecar.unlink(missing_ok=True)  # of a run that was here before
    else:
        write_text(sidecar, sidecar_text(model=name, n_parameters=count))


def _check(options: dict[str, Any]) -> None:
    if not (options["output"] or options["sweep"]):
        raise InputError("there is nothing to write.", remedy="Give --output or --sweep.")
    if options["output"] and (options["strength"] is None or len(options["methods"]) != 1):
        raise InputError(
            "--output needs one --method and one --strength.",
            remedy="Name one method and a strength from 0 to 1.",
        )
