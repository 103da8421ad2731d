"""A small made-up search task that a network can learn, and a tiny BERT."""

import random
from dataclasses import dataclass
from pathlib import Path

import torch

from metrics.texts.lexicon import read_lexicon
from metrics.texts.scoring import score_collection
from rankers.neural.starting import Start, start_model
from rankers.neural.transformer_models import CrossEncoder

TOPICS = "river engine violin glacier market orchid satellite bakery chess harbour".split()  # noqa: SIM905
WORDS = "the of and report shows new small many years city people work light day".split()  # noqa: SIM905
GENDERED = ("he and his brother", "she and her sister", "")


@dataclass(frozen=True)
class Material:
    """Files of a task in which a passage is relevant where it has the word of the query."""

    folder: Path

    def __getattr__(self, name: str) -> Path:
        return self.folder / {"magnitudes": "m.parquet", "run": "x.run"}.get(name, f"{name}.tsv")


def make_material(folder: Path, n_documents: int = 60) -> Material:
    """Ten queries, and passages on their topics in a run of random order."""
    rng = random.Random(5)
    texts, topics = {}, {}
    for number in range(n_documents):
        topic = TOPICS[number % len(TOPICS)]
        words = [topic, *rng.choices(WORDS, k=9)]
        rng.shuffle(words)
        texts[f"d{number}"] = f"{' '.join(words)} {GENDERED[number % 3]}".strip()
        topics[f"d{number}"] = topic
    material = Material(folder)
    lines = "".join(f"{docno}\t{text}\n" for docno, text in texts.items())
    material.collection.write_text(lines, encoding="utf-8")
    queries = "".join(f"{i}\t{topic} report\n" for i, topic in enumerate(TOPICS))
    material.queries.write_text(queries, encoding="utf-8")
    held_out = "".join(f"{i}\n" for i in range(7, 10))
    material.held_out.write_text(held_out, encoding="utf-8")
    run, qrels = [], []
    for i, topic in enumerate(TOPICS):
        order = rng.sample(list(texts), len(texts))
        run += [f"{i} Q0 {d} {r} {len(texts) - r} x\n" for r, d in enumerate(order, 1)]
        qrels += [f"{i} 0 {d} 1\n" for d in texts if topics[d] == topic]
    material.run.write_text("".join(run), encoding="utf-8")
    material.qrels.write_text("".join(qrels), encoding="utf-8")
    score_collection(material.collection, material.magnitudes, lexicon=read_lexicon())
    return material


def tiny_bert(texts: list[str], seed: int = 0, dimensions: int = 32) -> CrossEncoder:
    """A random BERT of two layers over the words of `texts`."""
    start = Start("bert", dimensions=dimensions, layers=2, seed=seed)
    model, _ = start_model(start, texts, torch.device("cpu"))
    assert isinstance(model, CrossEncoder)
    return model
