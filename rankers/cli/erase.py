"""erase: re-rank a run by a bi-encoder without the gender in its vectors."""

from argparse import ArgumentParser
from collections.abc import Callable
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

from metrics.cli.command import Command
from metrics.cli.numbers import add_count_option, share, whole_number
from metrics.cli.score_arguments import add_scores_option
from metrics.errors import InputError
from metrics.io.file_kinds import RUN_OF_ITS_NAME, table_kind
from metrics.io.outputs import add_file_option, add_force_option, output_file
from metrics.vocabulary import BALANCE_METHODS, MAIN_CUTOFF
from rankers.cli.neural_options import add_device_option, add_model_option, chosen_model

if TYPE_CHECKING:
    from metrics.mitigation.sweep import Front
    from rankers.neural.erasing import ErasedRanker

#: The name of the eraser beside the methods of `balance`.
ERASE = "erase"
_FRONT = table_kind("a front of balance", ("method", "strength"))


class Erase(Command):
    help = (
        "Re-rank a run by a bi-encoder. From its vectors of passages, the directions are erased "
        "in which a passage and its wording with swapped genders differ most. Nothing is "
        "trained. With --sweep, one table compares this with the other methods of balance. "
        "Needs torch."
    )
    example = (
        "erase --model all-MiniLM-L6-v2 --run bm25.run --collection collection.tsv "
        "--queries queries.tsv --output erased.run"
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        add_model_option(parser)
        add_file_option(parser, "--run", "The run to re-rank.", metavar="X.run", required=True)
        add_file_option(parser, "--collection", required=True)
        add_file_option(parser, "--queries", required=True)
        add_count_option(parser, "--directions", 16, "Directions to erase (default: %(default)s).")
        parser.add_argument(
            "--strength",
            type=share,
            default=1.0,
            help="Share of these directions to remove; 0: the model as it is (default: "
            "%(default)s).",
        )
        add_count_option(parser, "--depth", 100, "Ranks to re-rank (default: %(default)s).")
        add_count_option(parser, "--batch-size", 32)
        kind = output_file(RUN_OF_ITS_NAME, sidecar=True)
        help_text = "The run to write."
        parser.add_argument("-o", "--output", type=kind, metavar="Y.run", help=help_text)
        parser.add_argument(
            "--sweep",
            type=output_file(_FRONT, figure=True),
            metavar="FRONT.csv",
            help="Also FRONT.svg: strengths 0 to 1 of the eraser, and of each --method on the run "
            "of the model as it is. Needs --scores.",
        )
        add_scores_option(parser)
        parser.add_argument(
            "--method",
            choices=BALANCE_METHODS,
            action="append",
            dest="methods",
            help="Another method in the table of --sweep, see balance; may be repeated "
            "(default: all).",
        )
        add_file_option(parser, "--qrels", "Adds nDCG and its test to --sweep.")
        parser.add_argument(
            "-k",
            "--cutoff",
            type=whole_number(1),
            default=MAIN_CUTOFF,
            help="Rank at which --sweep measures (default: %(default)s).",
        )
        add_force_option(parser)
        add_device_option(parser)

    def handle(self, *_args: Any, **options: Any) -> None:
        _check(options)

        from metrics.runs import read_run
        from metrics.runs.queries import read_query_texts
        from rankers.neural.erasing import ErasedRanker
        from rankers.neural.jobs import run_with_texts
        from rankers.neural.model_folder import sizes_of
        from rankers.neural.reranking import write_run
        from rankers.neural.transformer_models import BiEncoder

        run = read_run(options["run"], depth=options["depth"])
        queries = read_query_texts(options["queries"])
        run, texts = run_with_texts(run, queries, options["collection"], self.note)
        model = chosen_model(options)
        if not isinstance(model, BiEncoder):
            raise InputError(
                "is not a bi-encoder.",
                path=options["model"],
                remedy="Its vectors hold both texts: give a bi-encoder.",
            )
        with self.progress(options, "encoding", None, "text") as progress:
            ranker = ErasedRanker(
                model,
                run,
                queries,
                texts,
                n_directions=options["directions"],
                batch_size=options["batch_size"],
                progress=progress,
            )
        result: dict[str, Any] = {}
        if options["output"]:
            rankings = iter(ranker.rankings(options["strength"]))
            sizes = sizes_of(model, options["model"])
            name = f"{Path(options['model']).name}-{ERASE}-{options['strength']:g}"
            write_run(rankings, Path(options["output"]), name=name, sizes=sizes)
            result["run"] = options["output"]
        if options["sweep"]:
            front = _front(ranker, options, self.note)
            _write_front(front, Path(options["sweep"]))
            result["rows"] = front.rows
        written = [str(options[name]) for name in ("output", "sweep") if options[name]]
        self.print_result(options, result, written)


def _check(options: dict[str, Any]) -> None:
    if not (options["output"] or options["sweep"]):
        raise InputError("there is nothing to write.", remedy="Give --output or --sweep.")
    if options["sweep"] and not options["magnitudes"]:
        raise InputError("--sweep measures bias.", remedy="Give --scores, made by fairpool score.")


def _front(ranker: "ErasedRanker", options: dict[str, Any], note: Callable[[str], None]) -> "Front":
    """The eraser and the methods of balance, each against the model's run as it is."""
    from metrics.mitigation import reranked
    from metrics.mitigation.rerank import join_for_reranking
    from metrics.mitigation.sweep import STRENGTHS, measure_front
    from metrics.results.meeting import as_in, meet
    from metrics.runs.qrels import read_qrels
    from metrics.texts.magnitude_store import open_magnitudes

    magnitudes = open_magnitudes(options["magnitudes"])
    qrels = read_qrels(options["qrels"]) if options["qrels"] else None
    together = meet(
        [ranker.run(0)],
        {"the judgments": qrels},
        magnitudes=magnitudes,
        depth=options["depth"],
    )
    for remark in together.remarks:
        note(remark)
    before = together.runs[0]
    ranked = join_for_reranking(before, magnitudes, options["depth"])
    erased = ((ERASE, strength, as_in(ranker.run(strength), before)) for strength in STRENGTHS)
    others = (
        (method, strength, reranked(ranked, method, strength, before.name))
        for method in options["methods"] or BALANCE_METHODS
        for strength in STRENGTHS
    )
    return measure_front(
        before,
        chain(erased, others),
        magnitudes,
        cutoff=options["cutoff"],
        qrels=together.judgments["the judgments"],
    )


def _write_front(front: "Front", path: Path) -> None:
    from metrics.io.files import replacing, write_text
    from metrics.reports.formats.tables import to_csv
    from metrics.reports.plots.figures import render

    with replacing(path) as table, replacing(path.with_suffix(".svg")) as drawing:
        write_text(table, to_csv(front.rows, front.columns))
        drawing.write_bytes(render(front.figure(), "svg"))
