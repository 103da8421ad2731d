"""Rank a whole collection by the dot products of a bi-encoder's vectors: exact, encoded once."""

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from metrics.errors import InputError
from metrics.io.files import replacing, write_text
from rankers.neural.device import choose_device, plain_memory_errors
from rankers.neural.model_folder import load_model
from rankers.neural.reranking import Ranking
from rankers.neural.transformer_models import BiEncoder
from rankers.ranker import DECIMALS

Vectors = NDArray[np.float32]


def encode(
    embed: Callable[[Sequence[str]], Tensor],
    texts: Sequence[str],
    out: Vectors,
    *,
    batch_size: int,
    progress: Callable[[int], object] = lambda _n: None,
) -> None:
    """Write the vector of each text into its row of `out` (N, H)."""
    order = sorted(range(len(texts)), key=lambda i: -len(texts[i]))
    with torch.inference_mode(), plain_memory_errors():
        for start in range(0, len(order), batch_size):
            places = order[start : start + batch_size]
            out[places] = embed([texts[i] for i in places]).float().cpu().numpy()
            progress(len(places))


def text_vectors(model: str, texts: Sequence[str], *, batch_size: int = 32) -> Vectors:
    """The vector (N, H) of each text as that of a query, by the bi-encoder in this folder."""
    encoder = load_model(model, choose_device("auto"))
    if not isinstance(encoder, BiEncoder):
        raise InputError(
            "is not a bi-encoder.", path=model, remedy="Give a bi-encoder of sentence-transformers."
        )
    out = np.empty((len(texts), encoder.dimensions), np.float32)
    encode(encoder.embed_queries, texts, out, batch_size=batch_size)
    return out


def collection_vectors(
    model: BiEncoder,
    model_hash: str,
    collection: Mapping[str, str],
    folder: Path,
    *,
    batch_size: int = 32,
    progress: Callable[[int], object] = lambda _n: None,
) -> Vectors:
    """The vectors of the collection as a memory-mapped file in `folder`, made where it lacks.

    The file is named after the hashes of model and texts; `NAME.json` beside it says what it holds.
    """
    digest = hashlib.sha256(model_hash.encode())
    for docno, text in collection.items():
        digest.update(f"{docno}\t{text}\n".encode())
    path = folder / f"{digest.hexdigest()[:32]}.npy"
    if path.exists():
        progress(len(collection))
        return np.load(path, mmap_mode="r")
    folder.mkdir(parents=True, exist_ok=True)
    shape = (len(collection), model.dimensions)
    with replacing(path) as temporary:
        out = np.lib.format.open_memmap(temporary, mode="w+", dtype=np.float32, shape=shape)
        texts = list(collection.values())
        encode(model.embed_passages, texts, out, batch_size=batch_size, progress=progress)
        out.flush()
    card = {"model_sha256": model_hash, "n_documents": shape[0], "dimensions": shape[1]}
    with replacing(path.with_suffix(".json")) as temporary:
        write_text(temporary, json.dumps(card, indent=2) + "\n")
    return np.load(path, mmap_mode="r")


def rank(
    queries: Mapping[str, str],
    query_vectors: Vectors,
    docnos: Sequence[str],
    vectors: Vectors,
    depth: int,
) -> Iterator[tuple[str, Ranking]]:
    """The `depth` passages of the largest dot product with each query, best first, exactly."""
    if depth < 1:
        raise InputError(f"the depth is {depth}.", remedy="Use 1 or more.")
    descending = np.array(sorted(range(len(docnos)), key=docnos.__getitem__, reverse=True))
    for qid, query in zip(queries, query_vectors, strict=True):
        scores = np.round((vectors @ query).astype(np.float64), DECIMALS)[descending]
        # A stable sort of the passages by docno descending settles the ties.
        best = np.argsort(-scores, kind="stable")[:depth]
        yield qid, [(docnos[descending[i]], float(scores[i])) for i in best]
