"""attack: how well gender can be read from a model's representation."""

from argparse import ArgumentParser
from collections.abc import Container, Mapping
from typing import TYPE_CHECKING, Any

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

if TYPE_CHECKING:
    from metrics.runs import Run


class Attack(Command):
    help = (
        "Train a fresh adversary on a frozen cross-encoder to tell gendered pairs from the others "
        "(AdvBERT's mode attack), and report how well it does on held-out queries. Needs torch."
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
        parser.add_argument(
            "--labels",
            choices=("pairs", "passages"),
            default="pairs",
            help="pairs: a pair is gendered if its query or its passage is, as the adversary "
            "learns; passages: only if its passage is, as before 1.1 (default: %(default)s).",
        )
        add_seed_option(parser)
        add_device_option(parser)

    def handle(self, *_args: Any, **options: Any) -> None:
        from metrics.runs import read_run
        from metrics.runs.queries import read_query_texts
        from metrics.texts.magnitude_store import open_magnitudes
        from rankers.neural.attack import attack, represent
        from rankers.neural.debiasing import document_genders, pair_genders
        from rankers.neural.jobs import run_with_texts
        from rankers.neural.transformer_models import CrossEncoder

        model = chosen_model(options)
        if not isinstance(model, CrossEncoder):
            raise InputError("is not a cross-encoder.", path=options["model"])
        run = read_run(options["run"], depth=options["depth"])
        queries = read_query_texts(options["queries"])
        magnitudes = open_magnitudes(options["magnitudes"])
        run, texts = run_with_texts(run, queries, options["collection"], self.note, magnitudes)
        genders = (
            pair_genders(magnitudes, [queries[q] for q in run.qids if q in queries], self.note)
            if options["labels"] == "pairs"
            else document_genders(magnitudes)
        )
        known = {"--queries": queries, "--collection": texts, "--scores": genders.gendered}
        pairs = self._usable_pairs(run, known)
        with self.progress(options, "reading", len(pairs), "pair") as progress:
            read = [(queries[qid], texts[docno]) for qid, docno in pairs]
            vectors = represent(model, read, progress=progress)
        labels = [genders.is_gendered(queries[qid], docno) for qid, docno in pairs]
        result = attack(vectors, labels, [qid for qid, _ in pairs], seed=options["seed"])
        self.print_result(
            options,
            result,
            f"accuracy {result.accuracy:.4f} (majority {result.majority:.4f}), balanced {result} "
            f"on {result.n_test:,} pairs of held-out queries, {result.n_test_gendered:,} of them "
            "gendered",
        )

    def _usable_pairs(
        self, run: "Run", known: Mapping[str, Container[str]]
    ) -> list[tuple[str, str]]:
        """The pairs of a run whose query and passage are in all of the files of these options."""
        queries, *of_passages = known.values()
        pairs = [(qid, docno) for qid in run.qids for docno in run.documents(qid)]
        usable = [
            (qid, docno)
            for qid, docno in pairs
            if qid in queries and all(docno in texts for texts in of_passages)
        ]
        if not usable:
            keys = zip(*pairs, strict=True) if pairs else ((), ())
            qids, docnos = (set(values) for values in keys)
            without = [
                option
                for option, names in known.items()
                if not any(n in names for n in (qids if option == "--queries" else docnos))
            ]
            raise InputError(
                f"none of the run's pairs is in {', '.join(without) or 'all of the files'}.",
                path=run.path,
                remedy="Give the queries, the collection and the scores that belong to the run.",
            )
        if len(usable) < len(pairs):
            self.note(
                f"{len(pairs) - len(usable):,} of {len(pairs):,} pairs are left out: "
                f"{', '.join(known)} do not have all of them."
            )
        return usable
