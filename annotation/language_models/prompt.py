"""Prompts for a language model: the question that annotators read, and one item."""

from collections.abc import Iterator
from typing import Any

from annotation.schemes import Option, Question, Scheme

#: An answer is a short object; a model that reasons first needs more.
MOST_ANSWER_TOKENS = 64


def prompt_of(scheme: Scheme, question: Question) -> str:
    """Return the question with its options, definitions and examples for people."""
    lines = [question.text, scheme.instructions, "", "Categories:"]
    for option in question.options:
        lines += _option(option)
    codes = ", ".join(question.codes)
    lines += ["", f'Answer with JSON alone: {{"label": CODE}}, where CODE is one of {codes}.']
    return "\n".join(lines)


def item_text(query: str, passage: str) -> str:
    """Text of what is judged: the query, or the pair of query and passage."""
    return f"Query: {query}\nPassage: {passage}" if passage else query


def _option(option: Option) -> Iterator[str]:
    yield f"- {option.code}: {option.label}. {option.definition}"
    if option.examples:
        yield f"  Examples: {'; '.join(option.examples)}"
    if option.counter_example:
        yield f"  Borderline: {option.counter_example}. {option.counter_reason}"


def request_body(
    *,
    model: str,
    prompt: str,
    query: str,
    codes: list[str],
    seed: int,
    most_tokens: int,
    temperature: float = 0,
) -> dict[str, Any]:
    """The body that asks about one query for one of `codes`, with the tokens' probabilities."""
    label = {"type": "string", "enum": codes}
    schema = {
        "type": "object",
        "properties": {"label": label},
        "required": ["label"],
        "additionalProperties": False,
    }
    return {
        "model": model,
        "messages": [
            {"role": "system", "content": prompt},
            {"role": "user", "content": query},
        ],
        "temperature": temperature,
        "seed": seed,
        "max_tokens": most_tokens,
        "logprobs": True,
        "top_logprobs": 5,
        "response_format": {
            "type": "json_schema",
            "json_schema": {"name": "label", "strict": True, "schema": schema},
        },
    }
