"""Finds words that we do not use: names, beginnings of docstrings, phrases of what people read."""

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
#: Participles as nouns, and the name that says nothing.
NAMES = {"told", "asked", "said", "given", "wanted", "found", "sent", "shown", "one"}
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
PACKAGES = (
    *("annotation", "config", "measurements", "metrics"),
    *("mturk_local", "pooling", "rankers", "sample"),
)
PAGES = ("*.md", "docs/**/*.md", "templates/**/*.html", "*/templates/**/*.html")


def members(tree: ast.Module) -> set[ast.AST]:
    """The members of classes: interfaces show some, so that only a version may rename them."""
    classes = (node for node in ast.walk(tree) if isinstance(node, ast.ClassDef))
    lines = [line for node in classes for line in node.body]
    fields = {line.target for line in lines if isinstance(line, ast.AnnAssign)}
    return fields.union(*(line.targets for line in lines if isinstance(line, ast.Assign)))


def in_module(path: Path) -> Iterator[str]:
    """Yield the place and word of each finding in a module."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    place, public = path.relative_to(ROOT), members(tree)
    for node in ast.walk(tree):
        match node:
            case ast.Name(id=name, ctx=ast.Store()) | ast.arg(arg=name) if name in NAMES:
                if node not in public:
                    yield f"{place}:{node.lineno}: the name {name}"
            case ast.Module() | ast.ClassDef() | ast.FunctionDef() | ast.AsyncFunctionDef():
                text = " ".join((ast.get_docstring(node) or "").split())
                line = node.body[0].lineno if text else 0
                words = BEGINNING.findall(text) + PHRASE.findall(text)
                yield from (f"{place}:{line}: {word}" for word in words)


def main() -> int:
    modules = [path for package in PACKAGES for path in sorted((ROOT / package).rglob("*.py"))]
    findings = [finding for path in modules for finding in in_module(path)]
    for path in sorted({path for pattern in PAGES for path in ROOT.glob(pattern)}):
        words = PHRASE.findall(" ".join(path.read_text(encoding="utf-8").split()))
        findings += [f"{path.relative_to(ROOT)}: {word}" for word in words]
    if findings:
        print(*findings, sep="\n")
    return len(findings) > 0


if __name__ == "__main__":
    sys.exit(main())
