"""Belief of several models about queries, from the labels that each of them gave."""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from ..vocabulary import Category

#: The belief about a query without any model's label.
UNKNOWN = 0.5
_NO_WORD = re.compile(r"\W+")


class ModelAnswer(NamedTuple):
    """Answer of a model to a query: an option or none, and its probability if there is one."""

    qid: str
    category: str | None
    belief: float | None


@dataclass(frozen=True)
class LabellingModel:
    """A model with its answers; `category` is the only one that its beliefs are about, or "".

    Its answers are one of `n_options`.
    """

    name: str
    category: str
    prompt: str
    answers: Iterable[ModelAnswer]
    n_options: int = len(Category)


@dataclass(frozen=True)
class Beliefs:
    """The mean belief of models, from 0 to 1, that each query is of a category.

    `by_query` has every query that was asked for; the `unknown` ones have no answer of any of the
    models, and the belief .5. `models` are those that have a belief about the category. The prompts
    of models show `n_shown` of the queries: what such a model says of them is left out.
    """

    by_query: dict[str, float]
    unknown: frozenset[str]
    models: tuple[str, ...]
    n_shown: int = 0

    @property
    def n_unknown(self) -> int:
        return len(self.unknown)


def mean_beliefs(
    models: Sequence[LabellingModel],
    codes: Sequence[str],
    qids: Collection[str],
    texts: Mapping[str, str] | None = None,
) -> Beliefs:
    """Beliefs of `models` together that `qids` are of one of `codes`: the mean over their answers.

    With the `texts` of queries by id, the answer of a model about a query that stands in its prompt
    is left out: an example with its label tells the model what people say.
    """
    each = [_in_one(models, code, qids, texts or {}) for code in codes]
    unknown = frozenset.intersection(*(belief.unknown for belief in each))
    sums = {
        qid: sum(belief.by_query[qid] for belief in each if qid not in belief.unknown)
        for qid in qids
    }
    return Beliefs(
        by_query={qid: UNKNOWN if qid in unknown else min(sums[qid], 1.0) for qid in qids},
        unknown=unknown,
        models=tuple(dict.fromkeys(name for belief in each for name in belief.models)),
        n_shown=max(belief.n_shown for belief in each),
    )


def _in_one(
    models: Iterable[LabellingModel],
    category: str,
    qids: Collection[str],
    texts: Mapping[str, str],
) -> Beliefs:
    about = [model for model in models if model.category in ("", category)]
    sums, counts = dict.fromkeys(qids, 0.0), dict.fromkeys(qids, 0)
    prompted: set[str] = set()
    for model in about:
        in_prompt = queries_in(model.prompt, texts)
        prompted |= in_prompt
        for qid, label, belief in model.answers:
            is_answer = label is not None or belief is not None
            if is_answer and qid in sums and qid not in in_prompt:
                sums[qid] += belief_in(category, label, belief, model.n_options)
                counts[qid] += 1
    return Beliefs(
        by_query={qid: sums[qid] / n if n else UNKNOWN for qid, n in counts.items()},
        unknown=frozenset(qid for qid, n in counts.items() if not n),
        models=tuple(model.name for model in about),
        n_shown=len(prompted.intersection(qids)),
    )


def queries_in(prompt: str, texts: Mapping[str, str]) -> frozenset[str]:
    """The ids of the queries whose words stand in the prompt, one after another."""
    words = _words(prompt)
    if not words.strip():
        return frozenset()
    return frozenset(qid for qid, text in texts.items() if _words(text) in words and text.strip())


def belief_in(
    category: str, label: str | None, belief: float | None, n_options: int = len(Category)
) -> float:
    """The belief in `category` of a model that says `label`, with that probability.

    Without a probability it is sure; what it leaves to the others of the options they share evenly.
    Without a label the belief is about the model's own category.
    """
    sure = 1.0 if belief is None else belief
    if label in (None, category):
        return sure
    return (1 - sure) / (n_options - 1)


def _words(text: str) -> str:
    """The words with a blank around each, so that no part of a word is taken for one."""
    return f" {_NO_WORD.sub(' ', text.casefold()).strip()} "
