"""explain_query: why a ranking has the bias it has."""

from typing import Any

from django.core.management.base import CommandParser
from django.template.loader import render_to_string

from metrics.collection import FORMATS, read_collection
from metrics.explain import Explanation, explain, explanation_text, texts_of
from metrics.files import write_text
from metrics.lexicon import read_lexicon
from metrics.magnitude import MAGNITUDES
from metrics.management.command import FairpoolCommand
from metrics.management.run_arguments import (
    add_missing_option,
    add_order_option,
    add_run_option,
    named_paths,
)
from metrics.queries import read_queries
from metrics.runs import read_run
from metrics.tokens import TOKENIZERS


class Command(FairpoolCommand):
    help = (
        "Show the ranking of one query: each document's group words and magnitudes, and what "
        "every measure would be if the ranking ended there."
    )
    example = "explain_query 19335 --run BM25=bm25.run --collection collection.tsv --depth 5"

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("qid", metavar="QID", help="The query.")
        add_run_option(parser, help="A TREC run and its name; once for each run.")
        parser.add_argument(
            "--collection", required=True, metavar="FILE", help="The collection of the runs."
        )
        parser.add_argument(
            "--format",
            choices=FORMATS,
            default="auto",
            help="The lines of the collection (default: %(default)s).",
        )
        parser.add_argument("--queries", metavar="FILE", help="Where to find the query's text.")
        parser.add_argument(
            "--lexicon", metavar="FILE", help="Word list of lines word,group (default: built in)."
        )
        parser.add_argument(
            "--tokenizer",
            choices=TOKENIZERS,
            default="word",
            help="How texts are cut into words (default: %(default)s).",
        )
        parser.add_argument(
            "--magnitude",
            choices=MAGNITUDES,
            default="tf",
            help="What RaB and ARaB are computed from (default: %(default)s).",
        )
        parser.add_argument(
            "--depth", type=int, default=10, help="Ranks to show (default: %(default)s)."
        )
        add_order_option(parser)
        add_missing_option(parser)
        parser.add_argument("--html", metavar="FILE", help="Also write one page that stands alone.")

    def handle(self, **options: Any) -> None:
        qid = options["qid"]
        runs = [
            read_run(path, name, options["order"], {qid}, options["depth"])
            for name, path in named_paths(options["runs"]).items()
        ]
        docnos = {docno for run in runs for docno in run.documents(qid)}
        texts = texts_of(docnos, read_collection(options["collection"], options["format"]))
        lexicon = read_lexicon(options["lexicon"])
        found = [
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
        self._show(found, query, options)

    def _show(self, found: list[Explanation], query: str, options: dict[str, Any]) -> None:
        if options["html"]:
            context = {"qid": options["qid"], "query": query, "explanations": found}
            write_text(options["html"], render_to_string("report/explanation.html", context))
        if options["as_json"]:
            runs = [explanation.as_dict() for explanation in found]
            self.print_json({"qid": options["qid"], "query": query, "runs": runs})
        else:
            self.stdout.write("\n".join(explanation_text(one, query) for one in found), ending="")
