"""explain: the documents behind the bias of a ranking."""

from argparse import ArgumentParser
from collections.abc import Collection
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import InputError
from ..io.file_kinds import page_kind
from ..io.outputs import InputFile, NamedInputFile, add_file_option, add_force_option, output_file
from ..vocabulary import FORMATS, MAGNITUDE_NAMES
from .command import Command
from .numbers import add_count_option
from .run_arguments import add_missing_option, add_order_option, add_run_option, named_paths
from .score_arguments import add_lexicon_options

if TYPE_CHECKING:
    from ..reports.explanation.counterfactual import SideBySide
    from ..reports.explanation.explain import Explanation
    from ..runs import Run

_PAGE = page_kind("a page of an explained query")


class Explain(Command):
    help = (
        "Show the ranking of one query: each document's group words and magnitudes, and what "
        "every measure would be if the ranking ended there. With --counterfactual, it shows the "
        "ranking beside the one with swapped genders."
    )
    example = "explain 19335 --run BM25=bm25.run --collection collection.tsv --depth 5"

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("qid", metavar="QID", help="The query.")
        add_run_option(parser, help="A TREC run and its name; once for each run.")
        parser.add_argument(
            "-c",
            "--collection",
            required=True,
            type=InputFile,
            metavar="FILE",
            help="The collection of the runs.",
        )
        parser.add_argument(
            "--counterfactual",
            type=NamedInputFile,
            action="append",
            default=[],
            metavar="NAME=PATH",
            help="The run of the same ranker over the counterfactual collection, by the name of "
            "its --run: both lists are shown side by side.",
        )
        add_file_option(
            parser,
            "--counterfactual-collection",
            "The collection of --counterfactual, made by counterfactual.",
        )
        parser.add_argument(
            "--format",
            choices=FORMATS,
            default="auto",
            help="The lines of the collection (default: %(default)s).",
        )
        add_file_option(parser, "--queries", "A file with the query's text.")
        add_lexicon_options(parser)
        parser.add_argument(
            "--magnitude",
            choices=MAGNITUDE_NAMES,
            default="tf",
            help="What RaB and ARaB are computed from (default: %(default)s).",
        )
        add_count_option(parser, "--depth", 10, "Ranks to show (default: %(default)s).")
        add_order_option(parser)
        add_missing_option(parser)
        parser.add_argument(
            "--html",
            type=output_file(_PAGE),
            metavar="FILE",
            help="Also write one page that needs no other file.",
        )
        add_force_option(parser)

    def handle(self, *_args: Any, **options: Any) -> None:
        from ..reports.explanation.counterfactual import side_by_side
        from ..reports.explanation.explain import explain
        from ..runs import read_run
        from ..texts.collection import read_collection, texts_of
        from ..texts.lexicon import read_lexicon
        from ..texts.repair import repair_text

        qid, twins = options["qid"], _twins(options)
        # The other rank of a document may be below the ranks shown.
        depth = None if twins else options["depth"]

        def runs_at(paths: dict[str, Path]) -> "dict[str, Run]":
            return {
                name: read_run(path, name, options["order"], {qid}, depth)
                for name, path in paths.items()
            }

        def texts_for(runs: "Collection[Run]", collection: str) -> dict[str, str]:
            docnos = {docno for run in runs for docno in run.documents(qid)[: options["depth"]]}
            passages = read_collection(collection, options["format"])
            texts, remark = texts_of(docnos, passages)
            changed = [n for run in runs for n in run.notices if n.kind == "ids"]
            for text in filter(None, [*map(str, changed), remark]):
                self.note(text)
            if not options["repair_encoding"]:
                return texts
            return {docno: repair_text(text) for docno, text in texts.items()}

        runs, swapped = runs_at(named_paths(options["runs"])), runs_at(twins)
        texts = texts_for(runs.values(), options["collection"])
        how: dict[str, Any] = {
            "tokenizer": options["tokenizer"] or "word",
            "magnitude_name": options["magnitude"],
            "depth": options["depth"],
            "missing": options["missing"],
        }
        lexicon = read_lexicon(options["lexicon"])
        explained = [
            explain(run, qid, texts, lexicon, **how)
            for name, run in runs.items()
            if name not in swapped
        ]
        compared = []
        if swapped:
            new_texts = texts_for(swapped.values(), options["counterfactual_collection"])
            compared = [
                side_by_side((runs[name], run), qid, (texts, new_texts), lexicon, **how)
                for name, run in swapped.items()
            ]
        self._show(explained, compared, options)

    def _show(
        self,
        explained: "list[Explanation]",
        compared: "list[SideBySide]",
        options: dict[str, Any],
    ) -> None:
        from ..io.files import write_text
        from ..reports.explanation.counterfactual import side_by_side_text
        from ..reports.explanation.explain import explanation_text
        from ..reports.formats.pages import render_page
        from ..runs.queries import read_queries

        qid, queries = options["qid"], options["queries"]
        query = read_queries(queries, "all").texts.get(qid, "") if queries else ""
        if options["html"]:
            context = {"explanations": explained, "comparisons": compared}
            write_text(
                options["html"], render_page("explanation.html", qid=qid, query=query, **context)
            )
        if options["as_json"]:
            record: dict[str, Any] = {"qid": qid, "query": query}
            record["runs"] = [explanation.as_dict() for explanation in explained]
            if compared:
                record["counterfactual"] = [comparison.as_dict() for comparison in compared]
            self.print_json(record)
            return
        texts = [explanation_text(explanation, query) for explanation in explained]
        texts += [side_by_side_text(comparison, query) for comparison in compared]
        self.write("\n".join(texts), ending="")


def _twins(options: dict[str, Any]) -> dict[str, Path]:
    """The counterfactual runs by name; `InputError` where they belong to no run or collection."""
    twins = named_paths(options["counterfactual"], "--counterfactual")
    if bool(twins) != (options["counterfactual_collection"] is not None):
        raise InputError(
            "--counterfactual and --counterfactual-collection belong together.",
            remedy="Give the run with swapped genders and the collection that it ranks.",
        )
    names = named_paths(options["runs"])
    if unknown := [name for name in twins if name not in names]:
        raise InputError(
            f"--counterfactual {unknown[0]}: no run has this name.", remedy="Name one of the --run."
        )
    return twins
