"""`python -m measurements.neural.adversary`: how well gender is read from a BERT and AdvBERT.

A tiny random BERT is trained on the made-up task of `tests.rankers.neural.material`, two thirds of
whose passages are gendered, and attacked on queries that the attack was not trained on. The factor
is that of the reversed gradient. Every number is printed, whatever it says.
"""

import tempfile
from pathlib import Path

import torch

from metrics.runs import read_run
from metrics.runs.qrels import read_qrels
from metrics.runs.queries import read_query_texts
from metrics.texts.magnitude_store import open_magnitudes
from rankers.neural.attack import attack, represent
from rankers.neural.debiasing import Adversarial, document_genders
from rankers.neural.passages import Passages
from rankers.neural.sampling import Sampling, sample_triples
from rankers.neural.training import Trainer
from rankers.neural.triples import TripleList
from rankers.presets import PUBLISHED_ADVERSARY
from rankers.training_settings import AdversarySettings, TrainingSettings
from tests.rankers.neural.material import make_material, tiny_bert

FACTORS = (None, 1.0, 10.0)


def main() -> None:
    torch.set_num_threads(1)
    with tempfile.TemporaryDirectory() as folder:
        material = make_material(Path(folder), 120)
        genders = document_genders(open_magnitudes(material.magnitudes))
        queries, texts = read_query_texts(material.queries), Passages(material.collection)
        run = read_run(material.run)
        qrels = read_qrels(material.qrels)
    pairs = [(qid, docno) for qid in run.qids for docno in run.documents(qid)[:60]]
    labels = [genders.gendered[docno] for _, docno in pairs]
    triples = sample_triples(qrels, run, queries, texts, sampling=Sampling(), seed=0)
    settings = TrainingSettings(1e-3, batch_size=32, epochs=10, loss="cross-entropy")
    for factor in FACTORS:
        model = tiny_bert([*texts.values(), *queries.values()])
        debiasing = None
        if factor is not None:
            adversary_settings = AdversarySettings(**(PUBLISHED_ADVERSARY | {"factor": factor}))
            debiasing = Adversarial(32, genders, adversary_settings)
        Trainer(model, TripleList(triples), settings, debiasing=debiasing).train()
        vectors = represent(model, [(queries[qid], texts[docno]) for qid, docno in pairs])
        outcome = attack(vectors, labels, [qid for qid, _ in pairs])
        print(  # noqa: T201
            f"factor {factor}: accuracy {outcome.accuracy:.3f} (majority {outcome.majority:.3f}), "
            f"balanced {outcome}",
            flush=True,
        )


if __name__ == "__main__":
    main()
