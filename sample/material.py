"""The hand-written material of the sample: one file of `subjects/` for each subject.

A file has the `people` who may appear, one letter for each share of the passages (see `GENDERS`),
`scenes` about one person, and facets. A facet is a table with its queries under their true category
(`n`, `f`, `m`, `o`) and a `text` of one sentence on each line. `[this|that]` in a sentence offers
a choice; see `people.cast` for `{markers}`.
"""

import tomllib
from dataclasses import dataclass
from pathlib import Path

from metrics.vocabulary import CATEGORIES

SUBJECTS = Path(__file__).parent / "subjects"
#: The people of a passage, by letter: a woman, two, a man, two, one of each, nobody.
GENDERS = {"f": "f", "F": "ff", "m": "m", "M": "mm", "b": "fm", "-": ""}


@dataclass(frozen=True)
class Facet:
    """One side of a subject: what people ask about it, and what there is to say."""

    name: str
    queries: tuple[tuple[str, str], ...]  # (category, text)
    sentences: tuple[str, ...]


@dataclass(frozen=True)
class Subject:
    name: str
    people: str
    scenes: tuple[str, ...]
    facets: tuple[Facet, ...]


def read_subjects(folder: Path = SUBJECTS) -> list[Subject]:
    """Every subject, in the order of the file names."""
    return [read_subject(path) for path in sorted(folder.glob("*.toml"))]


def read_subject(path: Path) -> Subject:
    """The subject of one file; `ValueError` names a file that cannot be used, and why."""
    content = tomllib.loads(path.read_text(encoding="utf-8"))
    people, scenes = content.pop("people"), _lines(content.pop("scenes", ""))
    if not people or set(people) - set(GENDERS):
        raise ValueError(f"{path}: people = {people!r}; use the letters {' '.join(GENDERS)}.")
    if not scenes and set(people) != {"-"}:
        raise ValueError(f"{path}: people without a scene.")
    facets = tuple(_facet(name, table) for name, table in content.items())
    return Subject(path.stem, people, scenes, facets)


def _facet(name: str, table: dict[str, object]) -> Facet:
    sentences = _lines(str(table.pop("text")))
    if unknown := set(table) - set(CATEGORIES):
        raise ValueError(f"facet {name}: unknown categories {sorted(unknown)}.")
    queries = tuple(
        (category, str(text))
        for category in CATEGORIES
        for text in table.get(category, ())  # type: ignore[attr-defined] # TOML is untyped
    )
    return Facet(name, queries, sentences)


def _lines(text: str) -> tuple[str, ...]:
    return tuple(line for line in text.splitlines() if line.strip())
