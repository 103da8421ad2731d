"""Runs re-ranked by a bi-encoder from whose vectors of passages gender is erased."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial

import numpy as np
import torch
from torch import Tensor

from metrics.errors import InputError
from metrics.runs import Run
from metrics.texts.counterfactual import read_pairs, substitution
from rankers.eraser import Eraser, Matrix, pair_subspace
from rankers.neural.device import evaluating, plain_memory_errors
from rankers.neural.reranking import Ranking, check_texts
from rankers.neural.transformer_models import BiEncoder
from rankers.ranker import DECIMALS

#: Gendered passages that an eraser is fitted on.
MAX_PAIRS = 1_000


def fit_gender(
    embed: Callable[[Sequence[str]], Matrix], texts: Sequence[str], n_directions: int
) -> Eraser:
    """The eraser of the directions in which texts and their swapped wordings differ most.

    The swapped wording of a text has the counterpart of each gendered word, as in a counterfactual
    collection; no judgment is needed, and texts without such a word are left out. Of many texts the
    `MAX_PAIRS` that stand evenly between the first and the last are taken.
    """
    swap = substitution(read_pairs())
    pairs = [(text, swapped) for text in texts if (swapped := swap(text)) != text]
    if len(pairs) < n_directions:
        raise InputError(
            f"{len(pairs):,} passages have gendered words: too few for {n_directions} directions.",
            remedy="Use fewer --directions, or a larger --depth.",
        )
    places = np.linspace(0, len(pairs) - 1, min(MAX_PAIRS, len(pairs))).round().astype(int)
    first, second = zip(*(pairs[place] for place in places), strict=True)
    return pair_subspace(embed(first), embed(second), n_directions)


class ErasedRanker:
    """A bi-encoder over the passages of a run; each is embedded once.

    Raises `InputError` for a query or a passage without text.
    """

    def __init__(
        self,
        model: BiEncoder,
        run: Run,
        queries: Mapping[str, str],
        texts: Mapping[str, str],
        *,
        n_directions: int,
        batch_size: int = 32,
        progress: Callable[[int], object] = lambda _n: None,
    ) -> None:
        docnos = {}
        for qid in run.qids:
            docnos[qid] = run.documents(qid)
            check_texts(run, qid, docnos[qid], queries, texts)
        names = list(dict.fromkeys(docno for ranked in docnos.values() for docno in ranked))
        self._name, self._docnos = run.name, docnos
        self._place = {docno: place for place, docno in enumerate(names)}
        self._is_cosine = model.encoder.similarity_fn_name == "cosine"
        embed = partial(_embed, batch_size=batch_size, progress=progress)
        with evaluating(model):
            self._queries = embed(model.embed_queries, [queries[qid] for qid in docnos])
            passages = [texts[docno] for docno in names]
            self._passages = embed(model.embed_passages, passages)
            self._eraser = fit_gender(partial(embed, model.embed_passages), passages, n_directions)

    def rankings(self, strength: float) -> list[tuple[str, Ranking]]:
        """For each query its passages, best first; of what tells gender, this share is taken.

        The score is the model's, cosine or dot product, of the query and what is left of the
        passage; 0 leaves the model as it is.
        """
        erased = self._eraser(self._passages)
        passages = (1 - strength) * self._passages + strength * erased
        if self._is_cosine:
            lengths = np.linalg.norm(passages, axis=1, keepdims=True)
            passages = passages / np.where(lengths > 0, lengths, 1)
        ranked = []
        for vector, (qid, docnos) in zip(self._queries, self._docnos.items(), strict=True):
            scores = passages[[self._place[docno] for docno in docnos]] @ vector
            rounded = [round(score, DECIMALS) for score in scores.tolist()]
            ranking = sorted(zip(docnos, rounded, strict=True), reverse=True)
            ranked.append((qid, sorted(ranking, key=lambda pair: -pair[1])))
        return ranked

    def run(self, strength: float) -> Run:
        """The ranking of this strength as a run."""
        scores = {qid: dict(ranking) for qid, ranking in self.rankings(strength)}
        return Run.from_dict(scores, self._name)


def _embed(
    embed: Callable[[Sequence[str]], Tensor],
    texts: Sequence[str],
    *,
    batch_size: int,
    progress: Callable[[int], object],
) -> Matrix:
    """The vectors (N, H) of texts, in batches of texts of one length, to pad little."""
    order = sorted(range(len(texts)), key=lambda i: -len(texts[i]))
    rows: list[Tensor] = [torch.empty(0)] * len(texts)
    with torch.inference_mode(), plain_memory_errors():
        for start in range(0, len(order), batch_size):
            places = order[start : start + batch_size]
            vectors = embed([texts[place] for place in places]).float().cpu()
            for place, vector in zip(places, vectors, strict=True):
                rows[place] = vector
            progress(len(places))
    matrix: Matrix = torch.stack(rows).double().numpy()
    return matrix
