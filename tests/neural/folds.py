"""`python -m tests.neural.folds [--models NAME ...]`: what the networks learn from TREC DL 2019.

The 43 queries are cut into five folds. For each fold a model is trained on the others with the
fold's number as its seed, and re-ranks BM25's first 100 passages for the fold. nDCG@10 is compared
with the same model before training and with BM25, over all 43 queries (paired t-test). Every
number is printed, whatever it says.
"""

import argparse
import tempfile
from pathlib import Path

import torch
from scipy import stats

from metrics.runs import Run, read_run
from metrics.runs.qrels import Qrels, read_qrels
from metrics.runs.queries import read_query_texts
from rankers.neural.jobs import read_texts
from rankers.neural.reranking import rerank
from rankers.neural.starting import ARCHITECTURES, Start, start_model
from rankers.neural.training import Trainer, TrainingSettings
from rankers.neural.training_data import NegativeSampling, sample_triples
from rankers.word_vectors import word_vectors, write_glove
from tests.conftest import SHARED_DATA

FOLDS = 5
DIMENSIONS = 48
CPU = torch.device("cpu")


def ndcg_per_query(scores: dict[str, dict[str, float]], qrels: Qrels) -> dict[str, float]:
    import ir_measures  # noqa: PLC0415 - a script

    found = ir_measures.iter_calc([ir_measures.nDCG @ 10], qrels, scores)
    return {one.query_id: one.value for one in found}


class Material:
    """The collection with its queries, judgements and first stage."""

    def __init__(self, folder: Path) -> None:
        self.collection = read_texts(folder / "collection.tsv")
        self.queries = read_query_texts(folder / "queries.tsv")
        self.qrels = read_qrels(folder / "qrels.txt")
        self.run_path = folder / "runs" / "BM25.run"
        self.run = read_run(self.run_path)

    def fold(self, number: int) -> list[str]:
        return sorted(self.queries)[number::FOLDS]

    def score(self, model: object, qids: list[str]) -> dict[str, float]:
        run: Run = read_run(self.run_path, queries=qids, depth=100)
        ranked = rerank(model, run, self.queries, self.collection, device=CPU)  # type: ignore[arg-type]
        qrels = {qid: self.qrels[qid] for qid in qids}
        return ndcg_per_query({qid: dict(ranking) for qid, ranking in ranked}, qrels)


def compare(material: Material, name: str, init: str) -> None:
    before: dict[str, float] = {}
    after: dict[str, float] = {}
    for fold in range(FOLDS):
        held_out = material.fold(fold)
        training = {qid: text for qid, text in material.queries.items() if qid not in held_out}
        start = Start(name, init, dimensions=DIMENSIONS, min_count=3, seed=fold)
        model, _ = start_model(start, material.collection.values(), CPU)
        model.eval()
        untrained = material.score(model, held_out)
        sampling = NegativeSampling(per_positive=2, depth=100)
        triples = sample_triples(
            material.qrels, material.run, training, material.collection,
            sampling=sampling, seed=fold,
        )  # fmt: skip
        is_bert = name == "bert"
        settings = TrainingSettings(
            learning_rate=1e-4 if is_bert else 1e-3,
            loss="cross-entropy" if is_bert else "margin",
            seed=fold,
        )
        Trainer(model, triples, settings).train()
        trained = material.score(model, held_out)
        before |= untrained
        after |= trained
        print(  # noqa: T201
            f"{name} {init.partition(':')[0]} seed {fold}: {mean(untrained):.4f} -> "
            f"{mean(trained):.4f} (BM25 {mean(bm25(material, held_out)):.4f}), "
            f"{len(triples)} triples",
            flush=True,
        )
    baseline = bm25(material, sorted(material.queries))
    for title, other in (("untrained", before), ("BM25", baseline)):
        qids = sorted(after)
        test = stats.ttest_rel([after[q] for q in qids], [other[q] for q in qids])
        print(  # noqa: T201
            f"{name} {init.partition(':')[0]} all 43: {mean(after):.4f}, {title} "
            f"{mean(other):.4f}, p {test.pvalue:.4f}",
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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--models", nargs="+", default=ARCHITECTURES)
    options = parser.parse_args()
    material = Material(SHARED_DATA / "msmarco_dl19")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "vectors.txt"
        words, vectors = word_vectors(material.collection.values(), DIMENSIONS, min_count=3)
        write_glove(words, vectors, path)
        for name in options.models:
            for init in ("random", f"glove:{path}"):
                compare(material, name, init)


if __name__ == "__main__":
    main()
