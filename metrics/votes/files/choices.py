"""One answer as programs write it in a cell or in JSON: a word, or several values of a list."""

import json
from typing import Any

#: What joins several values of one answer: such an answer is not a vote unless it is mapped.
SEVERAL = "|"


def cell_text(cell: str) -> str:
    """The cell, or the choices that it holds as JSON: `{"choices": ["f", "m"]}` is `f|m`."""
    if not cell.lstrip().startswith(("{", "[")):
        return cell
    try:
        text = choice_text(json.loads(cell))
    except (ValueError, RecursionError):
        return cell
    return cell if text is None else text


def choice_text(value: Any) -> str | None:
    """One choice, or several joined; None for what is none."""
    match value:
        case {"choices": held} if len(value) == 1:
            return choice_text(held)
        case list() if all(isinstance(choice, str) for choice in value):
            return SEVERAL.join(choice.strip() for choice in value)
        case str():
            return value
    return None
