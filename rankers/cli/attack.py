"""attack: how well gender can be read from a model's representation."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from metrics.cli.command import Command
from metrics.cli.numbers import add_count_option
from metrics.cli.score_arguments import add_scores_option
from metrics.errors import InputError
from metrics.io.outputs import add_file_option
from rankers.cli.neural_options import (
    add_device_option,
    add_model_option,
    add_seed_option,
    chosen_model,
)


class Attack(Command):
    help = (
        "Train a fresh adversary on a frozen cross-encoder to tell gendered passages from the "
        "others (AdvBERT's mode attack), and report how well it does on held-out queries. Needs "
        "torch."
    )
    example = (
        "attack --model models/advbert --run bm25.run --scores magnitudes.parquet "
        "--collection collection.tsv --queries queries.tsv"
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        add_model_option(parser)
        add_file_option(parser, "--run", "The pairs to read.", metavar="X.run", required=True)
        add_scores_option(parser, required=True)
        add_file_option(parser, "--collection", required=True)
        add_file_option(parser, "--queries", required=True)
        add_count_option(parser, "--depth", 100, "Ranks to read (default: %(default)s).")
        add_seed_option(parser)
        add_device_option(parser)

    def handle(self, *_args: Any, **options: Any) -> None:
        from metrics.runs import read_run
        from metrics.runs.queries import read_query_texts
        from metrics.texts.magnitude_store import open_magnitudes
        from rankers.neural.attack import attack, represent
        from rankers.neural.debiasing import document_genders
        from rankers.neural.jobs import needed_texts
        from rankers.neural.transformer_models import CrossEncoder

        model = chosen_model(options)
        if not isinstance(model, CrossEncoder):
            raise InputError("is no cross-encoder.", path=options["model"])
        genders = document_genders(open_magnitudes(options["magnitudes"]))
        run = read_run(options["run"], depth=options["depth"])
        queries = read_query_texts(options["queries"])
        texts = needed_texts(Path(options["collection"]), run)
        pairs = [
            (qid, docno)
            for qid in run.qids
            for docno in run.documents(qid)
            if qid in queries and docno in texts and docno in genders.gendered
        ]
        with self.progress(options, "reading", len(pairs), "pair") as progress:
            read = [(queries[qid], texts[docno]) for qid, docno in pairs]
            vectors = represent(model, read, progress=progress)
        labels = [genders.gendered[docno] for _, docno in pairs]
        result = attack(vectors, labels, [qid for qid, _ in pairs], seed=options["seed"])
        self.print_result(
            options,
            result,
            f"accuracy {result.accuracy:.4f} (majority {result.majority:.4f}), balanced "
            f"{result.balanced_accuracy:.4f} on {result.n_test:,} passages of held-out queries, "
            f"{result.n_test_gendered:,} of them gendered",
        )
