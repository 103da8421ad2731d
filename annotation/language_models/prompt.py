"""Prompts for a language model: the codebook that annotators read, and one query."""

from collections.abc import Iterator
from typing import Any

from annotation.task_page import Codebook
from annotation.task_page.codebook import CategoryText

#: An answer is a short object; a model that reasons first needs more.
MOST_ANSWER_TOKENS = 64


def prompt_of(codebook: Codebook) -> str:
    """The question with its categories, definitions and examples, as annotators read them."""
    lines = [codebook.question, codebook.instructions, "", "Categories:"]
    for code, text in codebook.categories.items():
        lines += _category(code, text)
    codes = ", ".join(codebook.categories)
    lines += ["", f'Answer with JSON alone: {{"label": CODE}}, where CODE is one of {codes}.']
    return "\n".join(lines)


def _category(code: str, text: CategoryText) -> Iterator[str]:
    yield f"- {code}: {text.name}. {text.definition}"
    if text.examples:
        yield f"  Examples: {'; '.join(text.examples)}"
    if text.borderline:
        yield f"  Borderline: {text.borderline}. {text.reason}"


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
