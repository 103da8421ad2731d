"""explain_query: why a ranking has the bias it has."""

from argparse import ArgumentParser
from typing import TYPE_CHECKING, Any

from ..io.file_kinds import page_kind
from ..io.outputs import InputFile, add_force_option, output_file
from ..vocabulary import FORMATS, MAGNITUDE_NAMES, TOKENIZERS
from .command import Command
from .numbers import whole_number
from .run_arguments import add_missing_option, add_order_option, add_run_option, named_paths

if TYPE_CHECKING:
    from ..reports.explain import Explanation

_PAGE = page_kind("a page of explain_query")


class ExplainQuery(Command):
    help = (
        "Show the ranking of one query: each document's group words and magnitudes, and what "
        "every measure would be if the ranking ended there."
    )
    example = "explain_query 19335 --run BM25=bm25.run --collection collection.tsv --depth 5"

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("qid", metavar="QID", help="The query.")
        add_run_option(parser, help="A TREC run and its name; once for each run.")
        parser.add_argument(
            "--collection",
            required=True,
            type=InputFile,
            metavar="FILE",
            help="The collection of the runs.",
        )
        parser.add_argument(
            "--format",
            choices=FORMATS,
            default="auto",
            help="The lines of the collection (default: %(default)s).",
        )
        parser.add_argument(
            "--queries", type=InputFile, metavar="FILE", help="Where to find the query's text."
        )
        parser.add_argument(
            "--lexicon",
            type=InputFile,
            metavar="FILE|NAME",
            help="Word list of lines word,group, or the name of a built-in one "
            "(default: rekabsaz_schedl_2020).",
        )
        parser.add_argument(
            "--tokenizer",
            choices=TOKENIZERS,
            default="word",
            help="How texts are cut into words (default: %(default)s).",
        )
        parser.add_argument(
            "--magnitude",
            choices=MAGNITUDE_NAMES,
            default="tf",
            help="What RaB and ARaB are computed from (default: %(default)s).",
        )
        parser.add_argument(
            "--depth",
            type=whole_number(1),
            default=10,
            help="Ranks to show (default: %(default)s).",
        )
        add_order_option(parser)
        add_missing_option(parser)
        parser.add_argument(
            "--html",
            type=output_file(_PAGE),
            metavar="FILE",
            help="Also write one page that stands alone.",
        )
        add_force_option(parser)

    def handle(self, *_args: Any, **options: Any) -> None:
        from ..reports.explain import explain, texts_of
        from ..runs import read_run
        from ..runs.queries import read_queries
        from ..texts.collection import read_collection
        from ..texts.lexicon import read_lexicon

        qid = options["qid"]
        runs = [
            read_run(path, name, options["order"], {qid}, options["depth"])
            for name, path in named_paths(options["runs"]).items()
        ]
        docnos = {docno for run in runs for docno in run.documents(qid)}
        texts = texts_of(docnos, read_collection(options["collection"], options["format"]))
        lexicon = read_lexicon(options["lexicon"])
        explanations = [
            explain(
                run,
                qid,
                texts,
                lexicon,
                tokenizer=options["tokenizer"],
                magnitude_name=options["magnitude"],
                depth=options["depth"],
                missing=options["missing"],
            )
            for run in runs
        ]
        query = (
            read_queries(options["queries"], "all").texts.get(qid, "") if options["queries"] else ""
        )
        self._show(explanations, query, options)

    def _show(self, explanations: "list[Explanation]", query: str, options: dict[str, Any]) -> None:
        from ..io.files import write_text
        from ..reports.explain import explanation_text
        from ..reports.pages import render_page

        if options["html"]:
            page = render_page(
                "explanation.html", qid=options["qid"], query=query, explanations=explanations
            )
            write_text(options["html"], page)
        if options["as_json"]:
            runs = [explanation.as_dict() for explanation in explanations]
            self.print_json({"qid": options["qid"], "query": query, "runs": runs})
        else:
            self.write("\n".join(explanation_text(one, query) for one in explanations), ending="")
