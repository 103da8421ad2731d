"""Ways out of an error as data, which each interface writes in its own words."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

#: What is given by one name: a word, several names, or a mapping.
Value = str | Sequence[str] | Mapping[str, str]


@dataclass(frozen=True)
class Remedy:
    """Arguments to add, and what comes of them.

    `words` end the sentence that begins with the arguments ("to leave it out"). `arguments` have
    the names that Python has for them.
    """

    words: str
    arguments: Mapping[str, Value]


def sentence(remedies: Iterable[Remedy], write: Callable[[Remedy], str]) -> str:
    """The remedies in the words of an interface, those with the same end together.

    `write` returns "" for what the interface does not take, which is left out.

    >>> leave = Remedy("to leave it out", {"labels": {"junk": ""}})
    >>> sentence([leave], in_python)
    "Add labels={'junk': ''} to leave it out."
    """
    ways: dict[str, list[str]] = {}
    for remedy in remedies:
        if text := write(remedy):
            ways.setdefault(remedy.words, []).append(text)
    parts = [f"{' or '.join(texts)} {words}" for words, texts in ways.items()]
    return f"Add {', or '.join(parts)}." if parts else ""


def in_python(remedy: Remedy) -> str:
    """The remedy as arguments of a function."""
    plain = {
        name: list(value) if isinstance(value, tuple) else value
        for name, value in remedy.arguments.items()
    }
    return ", ".join(f"{name}={value!r}" for name, value in plain.items())
