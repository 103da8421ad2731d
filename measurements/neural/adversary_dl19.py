"""`python -m measurements.neural.adversary_dl19`: AdvBERT on all-MiniLM-L6-v2 and TREC DL 2019.

For each seed, one fold of the queries is held out. The encoder with a new head learns relevance
from triples of the other queries, half of them with a gendered passage (*base*); from there it is
trained on, by the same triples, with the adversary (*debias*) and without it (*base-longer*). Each
re-ranks BM25's first passages for the fold, and is attacked on judged passages of all queries, of
which each query has as many gendered as others. A seed's rows are appended to `--output` when it is
done, and a seed that is there is not run again. Every number is printed, whatever it says.
"""

import argparse
import copy
import json
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import torch

from measurements.neural.folds import Material, Size, bm25, mean, minilm, ndcg_per_query
from metrics.api import evaluate
from metrics.runs import Run, read_run
from metrics.texts.lexicon import read_lexicon
from metrics.texts.magnitude_store import open_magnitudes
from metrics.texts.scoring import score_collection
from rankers.neural.attack import attack, represent
from rankers.neural.debiasing import Adversarial, Debiasing, DocumentGenders, document_genders
from rankers.neural.reranking import rerank
from rankers.neural.sampling import Sampling
from rankers.neural.training import Trainer
from rankers.neural.transformer_models import CrossEncoder
from rankers.neural.triples import Triple, TripleList
from rankers.presets import PUBLISHED_ADVERSARY
from rankers.training_settings import AdversarySettings, TrainingSettings
from tests.conftest import SHARED_DATA

SPLITS = 20
BASE_EPOCHS = 2
#: The attack's accuracies, over all splits.
_READS = ("balanced_accuracy", "accuracy", "majority")


def half_gendered(triples: list[Triple], genders: DocumentGenders, n: int) -> list[Triple]:
    """Of the triples in random order, n / 2 with a gendered passage and as many without."""
    sides: tuple[list[Triple], list[Triple]] = ([], [])
    for place in np.random.default_rng(0).permutation(len(triples)).tolist():
        triple = triples[place]
        docnos = (triple.positive_docno, triple.negative_docno)
        sides[any(genders.gendered[docno] for docno in docnos)].append(triple)
    return [triple for pair in zip(*sides, strict=False) for triple in pair][:n]


def balanced_pairs(material: Material, genders: DocumentGenders) -> list[tuple[str, str]]:
    """(qid, docno) of judged passages: of each query as many gendered as others."""
    rng = np.random.default_rng(0)
    pairs = []
    for qid in sorted(material.queries):
        sides: tuple[list[str], list[str]] = ([], [])
        for docno in sorted(material.qrels[qid].keys() & material.collection.keys()):
            sides[genders.gendered[docno]].append(docno)
        n = min(map(len, sides))
        for docnos in sides:
            pairs += [(qid, docnos[i]) for i in rng.choice(len(docnos), n, replace=False)]
    return pairs


class Trial:
    """The material of all seeds, with the magnitudes of its passages."""

    def __init__(self, size: Size, n_triples: int, folder: Path) -> None:
        data = SHARED_DATA / "msmarco_dl19"
        self.material = Material(data, size)
        self._n_triples = n_triples
        self._magnitudes = folder / "magnitudes.parquet"
        score_collection(data / "collection.tsv", self._magnitudes, lexicon=read_lexicon())
        self.genders = document_genders(open_magnitudes(self._magnitudes))

    def rows(self, seed: int) -> Iterator[dict[str, Any]]:
        """The measures of each system on the fold of this seed."""
        fold = self.material.fold(seed)
        first = read_run(self.material.run_path, queries=fold)
        ndcg = mean(bm25(self.material, fold))
        yield {"seed": seed, "system": "BM25", "nDCG": ndcg, "NFaiRR": self._nfairr(first)}
        model = self.material.start("bert", minilm(), seed)
        assert isinstance(model, CrossEncoder)
        yield self._judge(model, "untrained", seed)
        triples = half_gendered(
            self.material.triples(seed, Sampling(per_positive=10, depth=100, min_grade=2)),
            self.genders,
            self._n_triples,
        )
        base = self._trained(model, triples, seed, BASE_EPOCHS)
        yield self._judge(base, "base", seed)
        yield self._judge(self._trained(base, triples, seed + 100, 1), "base-longer", seed)
        adversary = Adversarial(
            model.model.config.hidden_size,
            self.genders,
            AdversarySettings(**PUBLISHED_ADVERSARY),
        )
        debiased = self._trained(base, triples, seed + 100, 1, adversary)
        yield self._judge(debiased, "debias", seed)

    def _trained(
        self,
        start: CrossEncoder,
        triples: list[Triple],
        seed: int,
        epochs: int,
        debiasing: Debiasing | None = None,
    ) -> CrossEncoder:
        model = copy.deepcopy(start).requires_grad_()
        torch.manual_seed(seed)
        settings = TrainingSettings(
            1e-4,
            batch_size=16,
            epochs=epochs,
            loss="cross-entropy",
            epsilon=1e-5,
            clip=1.0,
            keep="last",
            seed=seed,
        )
        Trainer(model, TripleList(triples), settings, debiasing=debiasing).train()
        return model

    def _judge(self, model: CrossEncoder, system: str, seed: int) -> dict[str, Any]:
        material, fold = self.material, self.material.fold(seed)
        run = read_run(material.run_path, queries=fold, depth=material.size.depth)
        scores = {
            qid: dict(ranking)
            for qid, ranking in rerank(model, run, material.queries, material.collection)
        }
        ndcg = mean(ndcg_per_query(scores, {qid: material.qrels[qid] for qid in fold}))
        pairs = balanced_pairs(material, self.genders)
        texts = [(material.queries[qid], material.collection[docno]) for qid, docno in pairs]
        labels = [self.genders.gendered[docno] for _, docno in pairs]
        vectors = represent(model, texts)
        reads = [
            attack(vectors, labels, [qid for qid, _ in pairs], seed=split)
            for split in range(SPLITS)
        ]
        means = {
            name: float(
                np.mean([getattr(attack_result, name) or np.nan for attack_result in reads])
            )
            for name in _READS
        }
        nfairr = self._nfairr(Run.from_dict(scores, system))
        return {"seed": seed, "system": system, "nDCG": ndcg, "NFaiRR": nfairr, **means}

    def _nfairr(self, run: Run) -> float:
        frame = evaluate([run], "NFaiRR", self._magnitudes, cutoffs=10, background="collection")
        return float(frame["value"].mean())


def summary(rows: list[dict[str, Any]]) -> Iterator[str]:
    """For each system and measure the mean over the seeds, and the value of each."""
    names = ("nDCG", "NFaiRR", *_READS)
    for system in dict.fromkeys(row["system"] for row in rows):
        of_system = [row for row in rows if row["system"] == system]
        for name in (name for name in names if name in of_system[0]):
            values = [row[name] for row in of_system]
            each = ", ".join(f"{value:.4f}" for value in values)
            yield f"{system:>14} {name:>17} {np.mean(values):.4f} ({each})"


def main() -> None:
    torch.set_num_threads(1)
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--output", type=Path, default=Path("adversary_dl19.jsonl"))
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--triples", type=int, default=640)
    parser.add_argument("--depth", type=int, default=30)
    parser.add_argument("--tokens", type=int, default=96)
    options = parser.parse_args()
    rows: list[dict[str, Any]] = []
    if options.output.exists():
        lines = options.output.read_text(encoding="utf-8").splitlines()
        rows = [json.loads(line) for line in lines]
    with tempfile.TemporaryDirectory() as folder:
        trial = Trial(Size(0, options.depth, options.tokens), options.triples, Path(folder))
        for seed in sorted(set(range(options.seeds)) - {row["seed"] for row in rows}):
            of_seed = []
            for row in trial.rows(seed):
                print(json.dumps(row), flush=True)  # noqa: T201
                of_seed.append(row)
            rows += of_seed
            with options.output.open("a", encoding="utf-8") as file:
                file.writelines(json.dumps(row) + "\n" for row in of_seed)
    for line in summary(rows):
        print(line)  # noqa: T201


if __name__ == "__main__":
    main()
