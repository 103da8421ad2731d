"""attack_reranker: how well gender can be read from a model's representation."""

from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from metrics.cli.numbers import add_count_option
from metrics.errors import InputError
from metrics.management.command import FairpoolCommand
from metrics.runs import read_run
from metrics.runs.queries import read_query_texts
from metrics.texts.magnitude_store import open_magnitudes
from pooling.management.neural_arguments import add_device_option, add_seed_option, chosen_model
from rankers import neural


class Command(FairpoolCommand):
    databases_with = frozenset[str]()
    help = (
        "Train a fresh adversary on a frozen cross-encoder to tell gendered passages from the "
        "others (AdvBERT's mode attack), and report how well it does on held-out queries. Needs "
        "torch."
    )
    example = (
        "attack_reranker --model models/advbert --run bm25.run --magnitudes magnitudes.parquet "
        "--collection collection.tsv --queries queries.tsv"
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--model", required=True, metavar="MODEL")
        parser.add_argument("--run", required=True, metavar="X.run", help="The pairs to read.")
        parser.add_argument("--magnitudes", required=True, metavar="M.parquet")
        parser.add_argument("--collection", required=True, type=Path, metavar="FILE")
        parser.add_argument("--queries", required=True, type=Path, metavar="FILE")
        add_count_option(parser, "--depth", 100)
        add_seed_option(parser)
        add_device_option(parser)

    def handle(self, *_args: Any, **options: Any) -> None:
        jobs, attacking = neural.load("jobs"), neural.load("attack")
        model, _device = chosen_model(options)
        if model.architecture != "bert":
            raise InputError("is no cross-encoder.", path=options["model"])
        genders = neural.load("debiasing").document_genders(open_magnitudes(options["magnitudes"]))
        run = read_run(options["run"], depth=options["depth"])
        queries = read_query_texts(options["queries"])
        texts = jobs.needed_texts(options["collection"], run)
        pairs = [
            (qid, docno)
            for qid in run.qids
            for docno in run.documents(qid)
            if qid in queries and docno in texts and docno in genders.gendered
        ]
        with self.progress(options, "reading", len(pairs), "pair") as progress:
            vectors = attacking.represent(
                model,
                [(queries[qid], texts[docno]) for qid, docno in pairs],
                progress=progress,
            )
        labels = [genders.gendered[docno] for _, docno in pairs]
        qids = [qid for qid, _ in pairs]
        found = attacking.attack(vectors, labels, qids, seed=options["seed"])
        self.print_result(
            options,
            found,
            f"accuracy {found.accuracy:.4f} (majority {found.majority:.4f}), balanced "
            f"{found.balanced_accuracy:.4f} on {found.n_test:,} passages of held-out queries, "
            f"{found.n_test_gendered:,} of them gendered",
        )
