"""`python -m tests.rankers.neural.adversary_dl19`: AdvBERT on all-MiniLM-L6-v2 and TREC DL 2019.

The encoder with a new head is trained on the queries outside one fold, without (*base*) and with
the adversary, on the same triples; half of them have a gendered passage. It re-ranks BM25's first
passages for the fold, and is attacked on judged passages of all queries, of which each query has
as many gendered as others. Every number is printed, whatever it says.
"""

import argparse
import copy
import tempfile
from pathlib import Path

import numpy as np
import torch

from metrics.texts.lexicon import read_lexicon
from metrics.texts.magnitude_store import open_magnitudes
from metrics.texts.scoring import score_collection
from rankers.neural.attack import attack, represent
from rankers.neural.debiasing import Adversarial, DocumentGenders, document_genders
from rankers.neural.sampling import Sampling
from rankers.neural.training import Trainer
from rankers.neural.transformer_models import CrossEncoder
from rankers.neural.triples import Triple, TripleList
from rankers.training_settings import TrainingSettings
from tests.conftest import SHARED_DATA
from tests.rankers.neural.folds import Material, Size, bm25, mean, minilm, size_options

SPLITS = 20


def read_genders(collection: Path) -> DocumentGenders:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "m.parquet"
        score_collection(collection, path, lexicon=read_lexicon())
        return document_genders(open_magnitudes(path))


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


def judge(material: Material, model: CrossEncoder, fold: int, genders: DocumentGenders) -> str:
    """nDCG@10 of the fold, and what attacks on several splits of the queries read."""
    ndcg = mean(material.score(model, material.fold(fold)))
    pairs = balanced_pairs(material, genders)
    texts = [(material.queries[qid], material.collection[docno]) for qid, docno in pairs]
    vectors = represent(model, texts)
    labels = [genders.gendered[docno] for _, docno in pairs]
    found = [
        attack(vectors, labels, [qid for qid, _ in pairs], seed=seed).balanced_accuracy
        for seed in range(SPLITS)
    ]
    return (
        f"nDCG@10 {ndcg:.4f}, attack on {len(pairs)} pairs: balanced accuracy "
        f"{np.mean(found):.3f} ({min(found):.3f} to {max(found):.3f})"
    )


def main() -> None:
    torch.set_num_threads(1)
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--fold", type=int, default=0)
    parser.add_argument("--factors", type=float, nargs="+", default=[1.0])
    size_options(parser)
    options = parser.parse_args()
    folder = SHARED_DATA / "msmarco_dl19"
    material = Material(folder, Size(0, options.depth, options.tokens))
    genders = read_genders(folder / "collection.tsv")
    start = material.start("bert", minilm(), options.fold)
    assert isinstance(start, CrossEncoder)
    print(f"untrained: {judge(material, start, options.fold, genders)}", flush=True)  # noqa: T201
    triples = material.triples(options.fold, Sampling(per_positive=10, depth=100))
    triples = half_gendered(triples, genders, options.triples or len(triples))
    settings = TrainingSettings(1e-4, batch_size=16, loss="cross-entropy", seed=options.fold)
    for factor in (None, *options.factors):
        model = copy.deepcopy(start).requires_grad_()
        torch.manual_seed(options.fold)
        hidden = model.model.config.hidden_size
        debiasing = None if factor is None else Adversarial(hidden, genders, factor)
        Trainer(model, TripleList(triples), settings, debiasing=debiasing).train()
        title = "base" if factor is None else f"adversary, factor {factor:g}"
        verdict = judge(material, model, options.fold, genders)
        print(f"{title}, {len(triples)} triples: {verdict}", flush=True)  # noqa: T201
    held_out = material.fold(options.fold)
    print(f"BM25 on the fold: {mean(bm25(material, held_out)):.4f}")  # noqa: T201


if __name__ == "__main__":
    main()
