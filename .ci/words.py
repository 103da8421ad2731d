"""Finds words that we do not use: names, beginnings of docstrings, phrases of what people read.

`LIMITS` is what is left of them. More fails; where fewer are left, lower the limit.
"""

import ast
import re
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
#: Participles as nouns, and the name that says nothing.
NAMES = {"told", "asked", "said", "given", "wanted", "found", "one"}
#: A docstring begins with what it is (a noun) or does (a verb).
BEGINNING = re.compile(r"^(What|Whether|Who|That|The same|As|How)\b")
#: Each with what to write instead.
PHRASES = {
    "for ever": "permanently",
    "parted by": "separated by",
    "brought back": "restored",
    "kept out": "excluded",
    "keep out": "exclude",
    "check queries": "gold questions",
    "answer of a check": "answer of a gold question",
    "makes no sense": "is not available",
    "counts along": "updates live",
    "read anew": "refresh",
    "is got by": "look up by",
    "(?:whatever|every|each|a) door": "interface, entry point or channel",
}
PHRASE = re.compile(rf"\b(?:{'|'.join(PHRASES)})\b", re.IGNORECASE)
LIMITS = {
    "annotation": {"names": 372},
    "config": {"names": 0},
    "measurements": {"names": 1},
    "metrics": {"names": 1},
    "mturk_local": {"names": 0},
    "pooling": {"names": 0},
    "rankers": {"names": 0},
    "sample": {"names": 0},
}
PAGES = ("*.md", "docs/**/*.md", "templates/**/*.html", "*/templates/**/*.html")


def in_module(path: Path) -> Iterator[tuple[str, int, str]]:
    """Yield the rule, line and word of each finding in a module."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        match node:
            case ast.Name(id=name, ctx=ast.Store()) | ast.arg(arg=name) if name in NAMES:
                yield "names", node.lineno, name
            case ast.Module() | ast.ClassDef() | ast.FunctionDef() | ast.AsyncFunctionDef():
                text = " ".join((ast.get_docstring(node) or "").split())
                line = node.body[0].lineno if text else 0
                yield from (("docstrings", line, word) for word in BEGINNING.findall(text))
                yield from (("phrases", line, word) for word in PHRASE.findall(text))


def main() -> int:
    places = defaultdict[tuple[str, str], list[str]](list)
    for package in LIMITS:
        for path in sorted((ROOT / package).rglob("*.py")):
            for rule, line, word in in_module(path):
                places[package, rule].append(f"{path.relative_to(ROOT)}:{line}: {word}")
    for path in sorted({path for pattern in PAGES for path in ROOT.glob(pattern)}):
        for word in PHRASE.findall(" ".join(path.read_text(encoding="utf-8").split())):
            places["pages", "phrases"].append(f"{path.relative_to(ROOT)}: {word}")
    limits = {(package, rule): n for package, of in LIMITS.items() for rule, n in of.items()}
    bad = [kind for kind in places if len(places[kind]) > limits.get(kind, 0)]
    for kind in bad:
        print(*places[kind], f"{' '.join(kind)}: {len(places[kind])}", sep="\n")
    return len(bad) > 0


if __name__ == "__main__":
    sys.exit(main())
