"""balance: re-rank a finished run for gender balance."""

import re
from argparse import ArgumentParser
from dataclasses import replace
from pathlib import Path
from typing import Any

from ..errors import InputError
from ..io.file_kinds import line_kind, table_kind
from ..io.outputs import InputFile, add_file_option, add_force_option, output_file
from ..vocabulary import BALANCE_METHODS
from .command import Command
from .numbers import add_count_option, share, whole_number
from .score_arguments import add_scores_options, needed_scores

_FRONT = table_kind("a front of balance", ("method", "strength"))
_NAMED = re.compile(rf"-({'|'.join(BALANCE_METHODS)})-[0-9.e-]+")
#: The name of a run says how it was re-ranked.
_RERANKED = line_kind(
    "a run of balance", lambda line: bool(_NAMED.search((line.split()[5:] or [""])[0]))
)


class Balance(Command):
    help = (
        "Re-rank a run so that relevance is traded for gender balance: with one strength into a "
        "run, or with many (--sweep) into the effectiveness-bias front. Nothing is trained."
    )
    example = (
        "balance --run bm25.run --scores magnitudes.parquet --method exposure "
        "--strength 0.3 --output bm25-fair.run"
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "-r",
            "--run",
            required=True,
            type=InputFile,
            metavar="X.run",
            help="The run to re-rank.",
        )
        add_scores_options(parser)
        parser.add_argument(
            "--method",
            required=True,
            choices=BALANCE_METHODS,
            action="append",
            dest="methods",
            help="interpolate: (1-s) relevance + s neutrality of the document; mmr: penalises "
            "the list's mean direction; exposure: penalises unequal exposure of the groups' "
            "words; count: penalises one group's documents ahead of the other's; detgreedy: "
            "keeps the counts of both groups among the first k equal, within bounds. With "
            "--sweep it may be repeated.",
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
            "-o",
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
        parser.add_argument(
            "-k",
            "--cutoff",
            type=whole_number(1),
            default=10,
            help="Rank at which --sweep measures (default: %(default)s).",
        )

    def handle(self, *_args: Any, **options: Any) -> None:
        from ..io.files import replacing, write_text
        from ..mitigation import reranked, write_reranked
        from ..mitigation.rerank import join_for_reranking
        from ..results.meeting import meet
        from ..runs import read_run
        from ..runs.qrels import read_qrels

        _check(options)
        magnitudes = needed_scores(self, options)
        run = read_run(options["run"])
        qrels = read_qrels(options["qrels"]) if options["sweep"] and options["qrels"] else None
        together = meet(
            [run], {"the judgments": qrels}, magnitudes=magnitudes, missing=options["missing"]
        )
        for remark in together.remarks:
            self.note(remark)
        met, depth = together.runs[0], options["depth"]
        ranked = join_for_reranking(met, magnitudes, depth, options["missing"])
        if options["output"]:
            method = options["methods"][0]
            name = f"{run.name}-{method}-{options['strength']:g}"
            written = replace(ranked, run=run)  # with the ids that it came with
            write_reranked(reranked(written, method, options["strength"], name), options["output"])
            _describe(name, options)
        if options["sweep"]:
            from ..mitigation.sweep import sweep
            from ..reports.formats.tables import to_csv
            from ..reports.plots.figures import render

            front = sweep(
                ranked,
                magnitudes,
                options["methods"],
                cutoff=options["cutoff"],
                qrels=together.judgments["the judgments"],
            )
            figure = Path(options["sweep"]).with_suffix(".svg")
            with replacing(options["sweep"]) as table, replacing(figure) as drawing:
                write_text(table, to_csv(front.rows, front.columns))
                drawing.write_bytes(render(front.figure(), "svg"))
        if options["as_json"]:
            self.print_json({"rows": front.rows if options["sweep"] else []})


def _describe(name: str, options: dict[str, Any]) -> None:
    """The model behind a re-ranked run has as many parameters as before; Table 1 shows them."""
    from ..io.files import write_text
    from ..runs.sidecar import model_sizes, sidecar_of, sidecar_text

    sizes, sidecar = model_sizes(options["run"]), sidecar_of(options["output"])
    if sizes:
        write_text(sidecar, sidecar_text(model=name, sizes=sizes))
    else:
        sidecar.unlink(missing_ok=True)  # of a run that was here before


def _check(options: dict[str, Any]) -> None:
    if not (options["output"] or options["sweep"]):
        raise InputError("there is nothing to write.", remedy="Give --output or --sweep.")
    if options["output"] and (options["strength"] is None or len(options["methods"]) != 1):
        raise InputError(
            "--output needs one --method and one --strength.",
            remedy="Name one method and a strength from 0 to 1.",
        )
