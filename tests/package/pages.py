"""The blocks of the documentation's pages: what a reader copies, and what the page shows of it."""

import re
import textwrap
from dataclasses import dataclass
from pathlib import Path

_FENCE = re.compile(r"^ *(`{3,})(.*)$")
#: Stands above a block that needs what nobody has here: weights, a collection, Amazon, a cluster.
_MARK = re.compile(r"^ *<!-- only parsed: (.+) -->$")
_SHELL = {"", "sh", "bash", "console"}


@dataclass(frozen=True)
class Block:
    """A fenced block: its language, its text without indentation, and the number of its fence.

    `only_parsed` says why a test does not run it; `output` is the block `text` right after it.
    """

    language: str
    code: str
    line: int
    only_parsed: str = ""
    output: str = ""

    @property
    def is_shell(self) -> bool:
        return self.language in _SHELL


def blocks(page: Path) -> list[Block]:
    """The fenced blocks of a page, without those of MyST; a fence that nothing ends is an error."""
    found: list[Block] = []
    lines = page.read_text(encoding="utf-8").split("\n")
    last, number = 0, 0
    while number < len(lines):
        opened = _FENCE.match(lines[number])
        if opened is None:
            number += 1
            continue
        start, above = number, lines[number - 1] if number else ""
        number += 1
        while lines[number].strip() != opened[1]:
            number += 1
        code = textwrap.dedent("\n".join([*lines[start + 1 : number], ""]))
        language = opened[2].strip()
        between = "".join(lines[last:start]).strip()
        if language == "text" and not between and found:
            previous = found.pop()
            found.append(
                Block(previous.language, previous.code, previous.line, previous.only_parsed, code)
            )
        elif not language.startswith("{"):
            mark = _MARK.match(above)
            found.append(Block(language, code, start + 1, mark[1] if mark else ""))
        number += 1
        last = number
    return found
