"""Answers from files and from memory, in the layouts of the tracks that ask for them.

A record is one answer, a line of JSON. It is recognised by what it holds:

- TREC RAG 2024 to 2026: `references`, and `answer`, a list of `{text, citations}`, whose citations
  are places in the references from 0, or docids;
- TREC RAGTIME: `responses`, a list of `{text, citations}`, whose citations are docids with or
  without a score;
- plain: `answer`, a text, with `citations` of the whole, or with marks `[n]` in the text.

The query is `topic_id`, `narrative_id`, `qid` or `query_id`, in the record or in its `metadata`.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from math import isnan
from pathlib import Path
from typing import Any

import numpy as np
import orjson

from ..errors import InputError, InputTypeError
from ..io.files import checked_path
from ..io.lines import text_lines
from .answer import MOST_REFERENCES, Answer, Sentence

#: The members that name a query, also in `metadata`, which is one of them for this.
QIDS = ("topic_id", "narrative_id", "qid", "query_id", "metadata")
_QIDS = (*QIDS[:-1], "topic", "id")
#: The members that name a system.
SYSTEMS = ("run_id", "run_name", "system", "run", "name")
_LISTS = ("responses", "answer", "sentences", "qanswer", "response", "output", "generation")
_REFERENCES = ("references", "contexts", "documents", "source_documents", "retrieved", "docnos")
_CITATIONS = ("citations", "cited", "source_nodes")
_DOCIDS = ("docno", "docid", "doc_id", "id", "_id", "node_id")
_SHAPE = (
    'Write one answer a line, such as {"qid": "1", "references": ["d1"], "answer": [{"text": '
    '"...", "citations": [0]}]}.'
)
_LONGEST = 1 << 26
_MARKS = re.compile(r"\[(\d+(?:\s*[,;]\s*\d+)*)\]")
_SENTENCE = re.compile(r"\S.*?(?:[.!?]+[\"”’)]*(?:\s*\[[\d,;\s]+\])*(?=\s|$)|$)", re.DOTALL)
_TAG = re.compile(r"</?[a-zA-Z][^<>]*>")


@dataclass(frozen=True)
class Columns:
    """The names of the members of a record, where they are other than the tracks'.

    `first_mark` is the number by which `[n]` marks call the first reference.
    """

    qid: str = ""
    answer: str = ""
    references: str = ""
    citations: str = ""
    system: str = ""
    first_mark: int = 1


#: The members as the tracks call them.
USUAL = Columns()


def answers_in(path: str | Path, columns: Columns = USUAL, system: str = "") -> Iterator[Answer]:
    """Read the answers of a file one by one, packed or plain: nothing of it is kept.

    Without a name in a record the system is called `system`, else by the file. Raises `InputError`
    with file and line for a line that is not an answer.
    """
    path = checked_path(path, "the answers")
    name = system or Path(path).name.partition(".")[0]
    is_empty = True
    for line, record in records_in(path):
        is_empty = False
        yield read_answer(record, columns, name, path=path, line=line)
    if is_empty:
        raise InputError("has no answers.", path=path, remedy=_SHAPE)


def records_in(path: str | Path, shape: str = _SHAPE) -> Iterator[tuple[int, Any]]:
    """The records of JSON lines, or of one JSON list over all lines, with their lines."""
    lines = ((line, text) for line, text in text_lines(path, _LONGEST) if text.strip())
    first = next(lines, None)
    if first and first[1].lstrip().startswith("["):
        whole = _loaded(first[1] + "".join(text for _, text in lines), path, first[0], shape)
        yield from ((first[0], record) for record in whole)
    elif first:
        yield from (
            (line, _loaded(text, path, line, shape)) for line, text in chain([first], lines)
        )


def _loaded(text: str, path: str | Path, line: int, shape: str) -> Any:
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError as error:
        raise InputError(f"is not JSON ({error}).", path=path, line=line, remedy=shape) from None


def answers_of(
    records: Iterable[Any], columns: Columns = USUAL, system: str = "run"
) -> Iterator[Answer]:
    """Read answers in memory, each an `Answer` or a dictionary as a line of a file."""
    for place, record in enumerate(records, start=1):
        yield (
            record
            if isinstance(record, Answer)
            else read_answer(record, columns, system, line=place)
        )


def read_answer(
    record: Any,
    columns: Columns = USUAL,
    system: str = "",
    *,
    path: str | Path | None = None,
    line: int | None = None,
) -> Answer:
    """Read one record; `InputError` with file and line for one that is not an answer."""
    return Record(columns, path, line).answer(record, system)


@dataclass(frozen=True)
class Record:
    """Reads a record of answers or of judgments of answers; `shape` says how one is written."""

    columns: Columns = USUAL
    path: str | Path | None = None
    line: int | None = None
    shape: str = _SHAPE

    def wrong(self, message: str, remedy: str = "") -> InputError:
        error = InputError if self.path else InputTypeError
        return error(message, path=self.path, line=self.line, remedy=remedy or self.shape)

    def names(self, record: Any) -> tuple[str, str]:
        """The query and the system, which may be empty."""
        if not isinstance(record, Mapping):
            raise self.wrong(f"a record is {type(record).__name__}.")
        metadata = record.get("metadata")
        places = [record, metadata] if isinstance(metadata, Mapping) else [record]
        qid = self._first(places, self.columns.qid, _QIDS)
        if not isinstance(qid, str | int) or isinstance(qid, bool) or str(qid).strip() == "":
            raise self.wrong("names no query.", "Give it as topic_id, narrative_id or qid.")
        name = self._first([*reversed(places)], self.columns.system, SYSTEMS)
        return str(qid).strip(), str(name or "")

    def listed(self, record: Mapping[str, Any], name: str) -> list[Any]:
        """The member of this name, a list."""
        written = self._first([record], "", (name,))
        if not isinstance(written, list | tuple):
            raise self.wrong(f"has no list of {name}.")
        return list(written)

    def answer(self, record: Any, system: str) -> Answer:
        qid, name = self.names(record)
        counts: Counter[str] = Counter()
        references = self._references(record, counts)
        sentences = tuple(self._sentences(record, references, counts))
        counts["uncited"] = not any(sentence.citations for sentence in sentences)
        counts["empty"] = not any(sentence.text.split() for sentence in sentences)
        counts["tags"] = any(_TAG.search(sentence.text) for sentence in sentences)
        return Answer(qid, sentences, references, name or system, +counts)

    def _first(self, places: Sequence[Mapping[str, Any]], chosen: str, names: Sequence[str]) -> Any:
        for name in (chosen,) if chosen else names:
            for place in places:
                if (value := _plain(place.get(name))) is not None:
                    return value
        if chosen:
            raise self.wrong(f"has no {chosen!r}.", "Name a member that every answer has.")
        return None

    def _references(self, record: Mapping[str, Any], counts: Counter[str]) -> tuple[str, ...]:
        written = self._first([record], self.columns.references, _REFERENCES)
        if written is None:
            return ()
        if not isinstance(written, list | tuple):
            raise self.wrong(
                f"the references are {type(written).__name__}.", "Give a list of docids."
            )
        ids = [self._docid(value) for value in written]
        counts["long"] = len(ids) > MOST_REFERENCES
        counts["twice"] = len(ids) - len(set(ids))
        return tuple(ids)

    def _docid(self, value: Any) -> str:
        """The id of a document: a text, or an object that has one (LangChain, LlamaIndex)."""
        holders = (value, getattr(value, "metadata", None), getattr(value, "node", None))
        for holder in filter(_is_mapping, holders):
            inner = filter(_is_mapping, (holder.get("metadata"), holder))
            docid = next((of[name] for of in inner for name in _DOCIDS if name in of), None)
            if docid is not None:
                return self._docid(docid)
        identity = getattr(value, "id", None) or getattr(value, "node_id", None)
        value = identity if isinstance(identity, str) else value
        if isinstance(value, bool) or not isinstance(value, str | int) or not str(value).strip():
            raise self.wrong(f"a reference is {str(value)[:40]!r}.", "Give document ids as text.")
        return str(value).strip()

    def _sentences(
        self, record: Mapping[str, Any], references: tuple[str, ...], counts: Counter[str]
    ) -> Iterator[Sentence]:
        written = self._first([record], self.columns.answer, _LISTS)
        if isinstance(written, str):
            yield from self._of_text(written, record, references, counts)
            return
        if not isinstance(written, list | tuple):
            raise self.wrong("has no answer.")
        for part in written:
            if not isinstance(part, Mapping) or not isinstance(part.get("text"), str):
                raise self.wrong("a sentence of the answer has no text.")
            cited = part.get("citations")
            yield Sentence(part["text"], self._cited(cited, references, counts))

    def _of_text(
        self,
        text: str,
        record: Mapping[str, Any],
        references: tuple[str, ...],
        counts: Counter[str],
    ) -> Iterator[Sentence]:
        whole = (
            self._first([record], self.columns.citations, _CITATIONS)
            if self._has_citations(record)
            else None
        )
        marks = list(_MARKS.finditer(text))
        if whole is not None or not marks:
            yield Sentence(text, self._cited(whole, references, counts))
            return
        if not references:
            raise self.wrong(
                "has marks such as [1] but no references.",
                "Give the docids that they stand for as references.",
            )
        for match in _SENTENCE.finditer(text):
            numbers = [
                int(n) for mark in _MARKS.findall(match[0]) for n in re.split(r"\s*[,;]\s*", mark)
            ]
            places = [number - self.columns.first_mark for number in numbers]
            if -1 in places:
                raise self.wrong("has the mark [0].", "Say that marks begin with 0: first_mark=0.")
            yield Sentence(
                _MARKS.sub("", match[0]).strip(), self._cited(places, references, counts)
            )

    def _has_citations(self, record: Mapping[str, Any]) -> bool:
        return bool(self.columns.citations) or any(
            _plain(record.get(name)) is not None for name in _CITATIONS
        )

    def _cited(
        self, written: Any, references: tuple[str, ...], counts: Counter[str]
    ) -> tuple[str, ...]:
        """The documents that are cited: by docid, by docid with a score, or by place from 0."""
        if written is None:
            return ()
        if not isinstance(written, list | tuple | Mapping):
            raise self.wrong(
                f"the citations are {type(written).__name__}.", "Give a list of places or docids."
            )
        known = set(references)
        cited: list[str] = []
        for value in written:
            if isinstance(value, int) and not isinstance(value, bool):
                if not 0 <= value < len(references):
                    counts["out_of_range"] += 1
                    continue
                cited.append(references[value])
                continue
            if isinstance(value, float):
                raise self.wrong(
                    f"the citation {value!r} is a fraction.",
                    "Write a place in the references as a whole number, or a docid as text.",
                )
            docid = self._docid(value)
            counts["outside"] += bool(references) and docid not in known
            cited.append(docid)
        return tuple(dict.fromkeys(cited))


def _plain(value: Any) -> Any:
    """A value of a frame as Python has it: a list for an array, None for a missing one."""
    value = value.tolist() if isinstance(value, np.ndarray | np.generic) else value
    return None if isinstance(value, float) and isnan(value) else value


def _is_mapping(value: Any) -> bool:
    return isinstance(value, Mapping)
