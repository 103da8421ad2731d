r"""Word lists of categories in the `.dic` format of LIWC, and what share of a text they have.

    %
    1<TAB>affect
    2<TAB>social
    %
    happy<TAB>1
    friend*<TAB>1<TAB>2

`word*` stands for every word that begins so. The lists of LIWC are not free and do not come with
the package. James W. Pennebaker, Roger J. Booth, Ryan L. Boyd and Martha E. Francis. Linguistic
Inquiry and Word Count: LIWC2015, 2015.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError
from ..io.digests import digest_of
from ..io.lines import text_lines
from ..vocabulary import Missing, Tokenizer
from .collection import read_collection, texts_of
from .document_numbers import DocumentNumbers
from .tokens import tokenize

_FENCE = "%"
_NUMBER = re.compile(r"[0-9]{1,9}", re.ASCII)
# A name stands in the name of a measure, LIWC(category=NAME), whose marks it cannot hold.
_NAME = re.compile(r"[^\s(),=]+(?: [^\s(),=]+)*")
_LONGEST_NAME = 100
_SHAPE = (
    "Write a line %, lines number<TAB>category, a line %, then lines word<TAB>number, word* for "
    "all words that begin so."
)


@dataclass(frozen=True, eq=False)
class CategoryLexicon:
    """Words and beginnings of words, each with the places of its categories in `categories`.

    A token belongs to the categories of every entry that matches it, to each once.
    """

    path: str
    digest: str
    categories: tuple[str, ...]
    words: Mapping[str, frozenset[int]]
    prefixes: Mapping[str, frozenset[int]]

    @cached_property
    def _prefix_lengths(self) -> tuple[int, ...]:
        return tuple(sorted({len(prefix) for prefix in self.prefixes}))

    def categories_of(self, token: str) -> frozenset[int]:
        """The places of the categories of a lower-cased token."""
        places = self.words.get(token, frozenset())
        for length in self._prefix_lengths:
            if length > len(token):
                break
            places |= self.prefixes.get(token[:length], frozenset())
        return places

    def unmatchable(self, tokenizer: Tokenizer) -> list[str]:
        """The words that the tokenizer never makes, such as "don't" for `word`."""
        return [word for word in sorted(self.words) if tokenize(word, tokenizer) != [word]]

    def percentages(self, texts: Iterable[str], tokenizer: Tokenizer) -> NDArray[np.float64]:
        """Tokens of each category per 100 tokens (texts, categories); 0 in an empty text.

        >>> lexicon = CategoryLexicon("", "", ("happy",), {}, {"happ": frozenset({0})})
        >>> lexicon.percentages(["Happily ever after, she said"], "word").tolist()
        [[20.0]]
        """
        known: dict[str, frozenset[int]] = {}
        rows = []
        for text in texts:
            counts = np.zeros(len(self.categories))
            tokens = tokenize(text, tokenizer)
            for token, times in Counter(tokens).items():
                if token not in known:
                    known[token] = self.categories_of(token)
                for place in known[token]:
                    counts[place] += times
            rows.append(100.0 * counts / max(len(tokens), 1))
        return np.array(rows, dtype=np.float64).reshape(-1, len(self.categories))


def read_categories(path: str | Path) -> CategoryLexicon:
    """Read a `.dic` file. Words are lower-cased; one that comes twice has the categories of both.

    Of a category `1 function (Function Words)` the name is what stands before the parenthesis.
    Raises `InputError` with file and line for a line of another shape, a category that is repeated
    or not declared, a `*` elsewhere than at the end of a word, and bytes that are not UTF-8.
    """
    lines = list(text_lines(path))
    lines = [(number, line.strip()) for number, line in lines if line.strip()]
    fences = [place for place, (_, line) in enumerate(lines) if line == _FENCE]
    if len(fences) != len("%%") or fences[0] != 0:
        raise InputError("has no header between two lines %.", path=path, remedy=_SHAPE)
    header, entries = lines[1 : fences[1]], lines[fences[1] + 1 :]
    names = _header(header, path)
    place_of = {number: place for place, number in enumerate(names)}
    words: dict[str, frozenset[int]] = {}
    prefixes: dict[str, frozenset[int]] = {}
    for number, line in entries:
        word, places = _entry(line, place_of, path, number)
        kind, word = (prefixes, word[:-1]) if word.endswith("*") else (words, word)
        kind[word] = kind.get(word, frozenset()) | places
    if not entries:
        raise InputError("has no words.", path=path, remedy=_SHAPE)
    return CategoryLexicon(
        path=str(path),
        digest=digest_of(path),
        categories=tuple(names.values()),
        words=words,
        prefixes=prefixes,
    )


def _header(lines: Iterable[tuple[int, str]], path: str | Path) -> dict[int, str]:
    """Number to name of the categories."""
    names: dict[int, str] = {}
    for number, line in lines:
        code, *rest = line.split(maxsplit=1)
        name = " ".join(rest[0].partition("(")[0].split()) if rest else ""
        if not _NUMBER.fullmatch(code) or not name:
            raise InputError(
                "is not a number and the name of a category.", path=path, line=number, remedy=_SHAPE
            )
        if not _NAME.fullmatch(name) or not name.isprintable() or len(name) > _LONGEST_NAME:
            raise InputError(
                f"{name[:40]!r} cannot name a category.",
                path=path,
                line=number,
                remedy="Use at most 100 characters without commas, parentheses and =.",
            )
        if int(code) in names or name in names.values():
            raise InputError("repeats a category.", path=path, line=number)
        names[int(code)] = name
    if not names:
        raise InputError("declares no category.", path=path, remedy=_SHAPE)
    return names


def _entry(
    line: str, place_of: Mapping[int, int], path: str | Path, number: int
) -> tuple[str, frozenset[int]]:
    word, *codes = line.lower().split()
    if not codes or not all(map(_NUMBER.fullmatch, codes)):
        raise InputError(
            "is not one word and the numbers of its categories.",
            path=path,
            line=number,
            remedy="Phrases and conditions such as (02 134)125/464 have no meaning here; remove "
            "them.",
        )
    if "*" in word[:-1] or word == "*":
        raise InputError(
            f"{word[:40]!r}: * can only follow the beginning of a word.", path=path, line=number
        )
    unknown = [code for code in codes if int(code) not in place_of]
    if unknown:
        raise InputError(
            f"the category {unknown[0]} is not declared between the lines %.",
            path=path,
            line=number,
        )
    return word, frozenset(place_of[int(code)] for code in codes)


@dataclass(frozen=True, eq=False)
class CategorySource:
    """Word lists of categories, and the texts that they are looked for in: a file, or by docno."""

    lexicon: CategoryLexicon
    collection: str | Path | Mapping[str, str]
    tokenizer: Tokenizer = "word"

    def read(
        self, docnos: Collection[str], missing: Missing = "error"
    ) -> tuple[DocumentNumbers, str]:
        """The percentages of these documents, and the remark of `texts_of`.

        Of a document that the collection does not have, `missing` says whether it is an
        `InputError` (`"error"`), one without words of any category (`"zero"`), or not there.
        """
        texts: Iterable[tuple[str, str]]
        if isinstance(self.collection, Mapping):
            path, texts = None, self.collection.items()
        else:
            path, texts = self.collection, read_collection(self.collection)
        text_of, remark = texts_of(docnos, texts)
        absent = sorted(set(docnos) - text_of.keys())
        if absent and missing == "error":
            raise InputError(
                f"lacks {len(absent):,} of the documents in the first ranks of the runs, the "
                f"first being {absent[0]!r}.",
                path=path,
                remedy="Give the collection that the runs were made on, or choose "
                'missing="zero" or missing="skip".',
            )
        row_of = {docno: row for row, docno in enumerate(text_of)}
        values = self.lexicon.percentages(text_of.values(), self.tokenizer)
        if missing == "zero":
            row_of |= dict.fromkeys(absent, len(text_of))
            values = np.concatenate([values, np.zeros((1, len(self.lexicon.categories)))])
        numbers = DocumentNumbers(
            names=self.lexicon.categories,
            values=values,
            row_of=row_of,
            n_known=len(text_of),
            origin={
                "file": Path(self.lexicon.path).name,
                "digest": self.lexicon.digest,
                "collection": Path(path or "").name,
                "tokenizer": self.tokenizer,
            },
        )
        return numbers, remark
