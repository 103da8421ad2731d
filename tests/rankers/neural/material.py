"""A small made-up search task that a network can learn, and a tiny BERT."""

import json
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
    model, _ = start_model(start, lambda: texts, torch.device("cpu"))
    assert isinstance(model, CrossEncoder)
    return model


def save_sentence_encoder(model: CrossEncoder, folder: Path, prompts: dict[str, str]) -> None:
    """Write the encoder of a BERT as a bi-encoder whose vector is that of its first token."""
    model.model.bert.save_pretrained(folder)
    model.tokenizer.save_pretrained(folder)
    kind = "sentence_transformers.models"
    modules = [
        {"idx": 0, "name": "0", "path": "", "type": f"{kind}.Transformer"},
        {"idx": 1, "name": "1", "path": "1_Pooling", "type": f"{kind}.Pooling"},
    ]
    hidden = int(model.model.config.hidden_size)
    pooling = {"word_embedding_dimension": hidden, "pooling_mode_cls_token": True}
    (folder / "1_Pooling").mkdir()
    for path, content in {
        "modules.json": modules,
        "1_Pooling/config.json": pooling | {"pooling_mode_mean_tokens": False},
        "sentence_bert_config.json": {"max_seq_length": 64},
        "config_sentence_transformers.json": {"prompts": prompts},
    }.items():
        (folder / path).write_text(json.dumps(content), encoding="utf-8")
