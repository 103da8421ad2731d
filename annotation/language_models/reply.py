"""Answers of a language model: one of the categories, or none."""

import json
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import permutations
from typing import Any

from annotation.schemes.codes import code_of
from metrics.io.lines import one_line
from metrics.io.option_words import codes_by_word

#: An object without objects in it, wherever it stands: in prose, in code fences, after reasons.
_OBJECT = re.compile(r"\{[^{}]*\}")
#: Where the value of a label begins.
_LABEL = re.compile(r'"label"\s*:\s*"\s*')


@dataclass(frozen=True)
class Reply:
    """A model's answer and its cost: `category` is None where it gave none of those offered.

    `tokens` are those of the prompt and those of the answer, None where the server does not say.
    `belief` is the model's probability of the category; None where the server does not tell it.
    """

    category: str | None
    model: str
    tokens: tuple[int, int] | None
    belief: float | None = None


class NoCompletionError(ValueError):
    """The reply is not a completion of a chat."""


def reply_of(body: bytes, codes: Sequence[str]) -> Reply:
    """Read the body of a reply; `NoCompletionError` where it is none, as when it was cut short."""
    try:
        completion = json.loads(body)
        choice = completion["choices"][0]
        message = choice["message"]
        content = message.get("content") or ""
        refused = message.get("refusal") or choice.get("finish_reason") == "content_filter"
        category = None if refused else label_in(str(content), codes)
        name = str(completion.get("model") or "")[:200]
        belief = category and belief_in_label(choice.get("logprobs"), category, codes)
        return Reply(category, name, _tokens(completion.get("usage")), belief or None)
    except (ValueError, LookupError, TypeError, AttributeError) as error:
        raise NoCompletionError(str(error)) from None


def label_in(content: str, codes: Sequence[str]) -> str | None:
    """The category that an answer names; None for two of them, and for any other.

    Case counts only where codes differ in nothing else. A label whose words make a code, as "Yes,
    definitely" makes "Yes definitely", names it.
    """
    by_word = codes_by_word(dict.fromkeys(codes, ""))
    named = set()
    for written in _OBJECT.findall(content):
        try:
            label = json.loads(written).get("label")
        except ValueError:
            continue
        line = one_line(label) if isinstance(label, str) else ""
        words = (text for word in (line, code_of(line)) for text in (word, word.casefold()))
        named.add(next((by_word[word] for word in words if word in by_word), None))
    return named.pop() if len(named) == 1 else None


def belief_in_label(logprobs: Any, category: str, codes: Sequence[str]) -> float | None:
    """Probability of `category` among `codes`, by the tokens where the answer's label begins.

    None where the server tells none, or where the tokens do not show what each code would be, as
    where one code begins another: a belief is read, never guessed.
    """
    folded = [code.casefold() for code in codes]
    if any(other.startswith(code) for code, other in permutations(folded, 2)):
        return None
    try:
        tokens = logprobs["content"]
        text = ""
        at: dict[int, int] = {}
        for number, alternative in enumerate(tokens):
            at |= dict.fromkeys(range(len(text), len(text) + len(alternative["token"])), number)
            text += alternative["token"]
        labels = list(_LABEL.finditer(text))
        place = labels[-1].end()
        token = tokens[at[place]]
        # Characters before the label in its token, as in `"n`, are not part of it.
        weights = dict.fromkeys(codes, 0.0)
        for alternative in _alternatives(token):
            code = _code_of(alternative["token"], codes)
            if code is not None:
                weights[code] += _probability(alternative["logprob"])
    except (LookupError, TypeError, ValueError, AttributeError):
        return None
    total = sum(weights.values())
    is_told = sum(weight > 0 for weight in weights.values()) > 1 and weights[category] > 0
    return min(weights[category] / total, 1.0) if is_told else None


def _alternatives(token: Any) -> Sequence[Any]:
    """Return the alternative tokens; the chosen one may not be among the likeliest."""
    others = [
        alternative
        for alternative in token["top_logprobs"]
        if alternative["token"] != token["token"]
    ]
    return [token, *others]


def _code_of(token: str, codes: Sequence[str]) -> str | None:
    written = token.strip(' \t\r\n":{},').casefold()
    return next((code for code in codes if code.casefold() == written), None)


def _probability(logarithm: Any) -> float:
    value = float(logarithm)
    if not math.isfinite(value) or value > 0:
        raise ValueError(value)
    return math.exp(value)


def _tokens(usage: Any) -> tuple[int, int] | None:
    if not isinstance(usage, dict):
        return None
    counts = usage.get("prompt_tokens"), usage.get("completion_tokens")
    if all(isinstance(count, int) and count >= 0 for count in counts):
        return counts  # type: ignore[return-value] # two whole numbers
    return None
