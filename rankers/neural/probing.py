"""Attacks on a model before and after it is trained against an adversary."""

from dataclasses import asdict
from itertools import islice
from typing import Any

import torch

from metrics.errors import InputError
from rankers.neural.attack import AttackResult, attack, represent
from rankers.neural.debiasing import DocumentGenders
from rankers.neural.model_folder import PairModel
from rankers.neural.transformer_models import CrossEncoder
from rankers.neural.triples import Triples

_LOOKED_AT = 500  # triples whose passages are read


class Probe:
    """Attacks on a model with the same pairs, at the start of a training and at its end.

    The pairs are those of some triples of the training; the attack is tested on queries of which it
    has seen none. A result is None where they leave no class or no query to test.
    """

    def __init__(
        self, model: PairModel, triples: Triples, genders: DocumentGenders, seed: int
    ) -> None:
        self._model, self._seed = model, seed
        drawn = islice(triples.shuffled(torch.Generator().manual_seed(seed)), _LOOKED_AT)
        pairs: dict[tuple[str, str], bool] = {}
        for triple in drawn:
            for docno, text in (
                (triple.positive_docno, triple.positive),
                (triple.negative_docno, triple.negative),
            ):
                pairs[triple.query, text] = genders.is_gendered(triple.query, docno)
        self._pairs = pairs
        self._before = self._read()
        self._after: AttackResult | None = None

    def _read(self) -> AttackResult | None:
        if not isinstance(self._model, CrossEncoder):
            return None
        pairs = list(self._pairs)
        vectors = represent(self._model, pairs)
        try:
            queries = [query for query, _ in pairs]
            return attack(vectors, list(self._pairs.values()), queries, seed=self._seed)
        except InputError:
            return None

    def finish(self) -> str:
        """Attack the trained model; a warning where more is read than before, else empty."""
        self._after = self._read()
        before, after = self._before, self._after
        if before is None or after is None or not after.is_above_chance:
            return ""
        if (after.balanced_accuracy or 0) <= (before.balanced_accuracy or 0):
            return ""
        return (
            "A fresh adversary reads gender better than before the training: balanced accuracy "
            f"{before}, then {after}. Try more --adversary-steps, another --lambda or another "
            "--seed, and attack the model before you use it."
        )

    def results(self) -> dict[str, Any]:
        """Both results as `model.json` has them."""
        named = {"before": self._before, "after": self._after}
        return {name: None if each is None else asdict(each) for name, each in named.items()}
