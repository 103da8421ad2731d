"""Word lists: groups of words that a document may use, validated, with a checksum."""

import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import Any, NoReturn, Self

from ..errors import Hinted, Hinting, InputError, InputKeyError, InputTypeError
from ..io import headers
from ..io.csv_tables import parted, records
from ..io.lines import text_lines
from ..io.missing import no_such_file
from ..io.storage import exists
from ..public import public

_DATA = Path(__file__).resolve().parents[1] / "data"

#: The word lists that come with the package, by name; the first is the default.
BUILT_IN = {
    name: _DATA / f"{name}.csv"
    for name in ("rekabsaz_schedl_2020", "rekabsaz_kopeinik_schedl_2021")
}
DEFAULT = next(iter(BUILT_IN))
_A_LIST = f"Give a file, {' or '.join(BUILT_IN)}, or {{group: words}}."
HEADER = "word,group"
#: The name of a list that no file gives one.
_IN_MEMORY = "own_words"
_WORDS = {"word", "words", "term", "terms", "token"}
# A group names two columns, `{group}_tc` and `{group}_tf`; some query engines fold their case.
GROUP_NAME = re.compile(r"[a-z][a-z0-9_]{0,30}")


@dataclass(frozen=True)
class Lexicon(Hinted, metaclass=Hinting):
    """Words in named groups, for instance the gender definitional words of `f` and `m`.

    `words[i]` are the words of `groups[i]`; groups and words are sorted by code point, words are
    lower-cased and belong to one group only. Two lists with the same words have the same
    `sha256`, whatever the order, spelling and file they were read from.
    """

    name: str
    groups: tuple[str, ...]
    words: tuple[tuple[str, ...], ...]

    def __new__(cls, *values: Any, **named: Any) -> Self:
        fields = tuple(cls.__dataclass_fields__)
        if sorted([*fields[: len(values)], *named]) != sorted(fields):
            raise InputTypeError(
                "a word list cannot be made from its groups as arguments.",
                remedy="Use read_lexicon({group: words}), or read_lexicon(path).",
            )
        return super().__new__(cls)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.name, self.groups, self.words)

    @classmethod
    def from_dict(cls, words_of: Mapping[str, Iterable[str]]) -> "Lexicon":
        """Make the list of `{group: words}`, as `read_lexicon` does."""
        return read_lexicon(words_of)

    def __getitem__(self, group: str) -> tuple[str, ...]:
        """The words of a group; `InputError` for one that it has not."""
        if group not in self.groups:
            raise InputKeyError(
                f"the word list has no group {group!r}.", remedy=f"It has {', '.join(self.groups)}."
            )
        return self.words[self.groups.index(group)]

    def __contains__(self, word: object) -> bool:
        return word in self.group_of

    def __iter__(self) -> Iterator[str]:
        return iter(self.groups)

    def __len__(self) -> NoReturn:
        raise InputTypeError(
            "a word list has groups, and words.",
            remedy="Use len(lexicon.groups), or len(lexicon.group_of).",
        )

    def __bool__(self) -> bool:
        return True

    @cached_property
    def sha256(self) -> str:
        """SHA-256 of the lines `word,group` in UTF-8, sorted by group, then word."""
        lines = (
            f"{word},{group}\n"
            for group, words in zip(self.groups, self.words, strict=True)
            for word in words
        )
        return hashlib.sha256("".join(lines).encode()).hexdigest()

    @cached_property
    def group_of(self) -> Mapping[str, str]:
        """The group of each word."""
        return {
            word: group
            for group, words in zip(self.groups, self.words, strict=True)
            for word in words
        }


@public
def read_lexicon(
    path: Lexicon | Mapping[str, Iterable[str]] | str | Path | None = None,
) -> Lexicon:
    """Read a word list of lines `word,group`, or one of the `BUILT_IN` by its name.

    `{group: words}` is taken as such a list, and a `Lexicon` as it is.

    The default, `rekabsaz_schedl_2020`, holds the 32 female and 32 male definitional words of
    Rekabsaz & Schedl (SIGIR 2020); `rekabsaz_kopeinik_schedl_2021` holds these and 131 + 131
    first names (SIGIR 2021; also Abolghasemi et al., ECIR 2024). Words are lower-cased as Python
    does it, blank lines are ignored, and a first line `word,group` (or `term,label`
    and the like) is a header. A word twice in
    one group counts once.

    Raises `InputError` with file and line for a line of another shape, a word in two groups, a
    group name that cannot name a column, bytes that are not UTF-8, and a list without words.

    >>> read_lexicon().groups
    ('f', 'm')
    """
    if isinstance(path, Lexicon):
        return path
    if isinstance(path, Mapping):
        return _of_words(path)
    if path is not None and not isinstance(path, str | PathLike):
        raise InputTypeError(f"the word list is {type(path).__name__}.", remedy=_A_LIST)
    source = BUILT_IN.get(str(path or DEFAULT)) or Path(path or "")
    if str(source) != "-" and not exists(source):
        raise no_such_file(source, _A_LIST)
    group_of: dict[str, str] = {}
    line_of: dict[str, int] = {}
    is_first = True
    lines, mark = parted(list(text_lines(source)))
    for _, number, cells in records(lines, mark or ",", source):
        line = ",".join(cells)
        is_header, is_first = is_first and _is_header(line), False
        if is_header:
            continue
        word, group = _entry(line, source, number)
        if group_of.setdefault(word, group) != group:
            raise InputError(
                f'"{word}" is in group {group} here and in group {group_of[word]} '
                f"on line {line_of[word]}.",
                path=source,
                line=number,
                remedy="Keep it in one group.",
            )
        line_of.setdefault(word, number)
    if not group_of:
        raise InputError("no words.", path=source, remedy="Write one line word,group per word.")
    return _lexicon(source.stem, group_of)


def _lexicon(name: str, group_of: Mapping[str, str]) -> Lexicon:
    groups = tuple(sorted(set(group_of.values())))
    words = tuple(tuple(sorted(w for w, g in group_of.items() if g == group)) for group in groups)
    return Lexicon(name=name, groups=groups, words=words)


def _of_words(words_of: Mapping[str, Iterable[str]]) -> Lexicon:
    group_of: dict[str, str] = {}
    for group, words in words_of.items():
        if isinstance(words, str) or not isinstance(words, Iterable):
            raise InputTypeError(
                f"the words of the group {group!r} are {words!r}.", remedy="Give a list of words."
            )
        entries = list(words)
        if not entries:
            raise InputError(f"the group {group!r} has no words.", remedy="Leave it out.")
        for entry in entries:
            word, name = _entry(f"{entry},{group}", None, None)
            if group_of.setdefault(word, name) != name:
                raise InputError(
                    f'"{word}" is in group {name} and in group {group_of[word]}.',
                    remedy="Keep it in one group.",
                )
    if not group_of:
        raise InputError("no words.", remedy="Give {group: words}.")
    return _lexicon(_IN_MEMORY, group_of)


def _is_header(line: str) -> bool:
    word, _, group = line.partition(",")
    return headers.normal(word) in _WORDS and headers.normal(group) in headers.LABELS


def _entry(line: str, path: Path | None, number: int | None) -> tuple[str, str]:
    word, comma, group = line.strip().rpartition(",")
    word, group = word.strip().lower(), group.strip()
    if not comma or not word or "," in word or any(character.isspace() for character in word):
        raise InputError(
            f'"{line.strip()}" is not one word and one group.',
            path=path,
            line=number,
            remedy="Write word,group, for instance mother,f.",
        )
    if "*" in word:
        raise InputError(
            f'"{word}" has a *, and words are counted as they are written.',
            path=path,
            line=number,
            remedy="Write each word out; only categories of LIWC match beginnings of words.",
        )
    if not GROUP_NAME.fullmatch(group):
        raise InputError(
            f'"{group}" cannot name a group.',
            path=path,
            line=number,
            remedy="Use lower-case ASCII letters, digits and _, a letter first, 31 at most.",
        )
    return word, group
