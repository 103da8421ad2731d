"""The contract of the crowd service's second API, which both houses are tested against.

`second_api.json` has one call of each operation: its parameters, and a reply. A parameter that
begins with `$` stands for a value that only the service knows.
"""

import json
from pathlib import Path
from typing import Any, NamedTuple

_CONTRACT = json.loads(Path(__file__).with_suffix(".json").read_text(encoding="utf-8"))
PATH: str = _CONTRACT["path"]
TARGET: str = _CONTRACT["target"]


class Call(NamedTuple):
    operation: str
    parameters: dict[str, Any]
    reply: dict[str, Any]

    def __str__(self) -> str:
        return self.operation


CALLS = [Call(**call) for call in _CONTRACT["calls"]]


def shape(value: Any) -> Any:
    """A JSON value with types in place of values; a list has that of its first item.

    `NextToken` is a text, or null on the last page.
    """
    if isinstance(value, dict):
        return {
            name: "token" if name == "NextToken" else shape(member)
            for name, member in value.items()
        }
    if isinstance(value, list):
        return [shape(member) for member in value[:1]]
    return "number" if type(value) in {int, float} else type(value).__name__
