"""The scan with compiled kernels: the same bits as the definition, a hundred times as fast."""

import threading
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from ...errors import InputError
from ...kernels import json_lines as json_kernels
from ...kernels import lines as line_kernels
from ...kernels import marks as mark_kernels
from ...kernels import tokens as token_kernels
from ...kernels import words as word_kernels
from ...vocabulary import Tokenizer
from ..collection import BYTE_ORDER_MARK, ID_FIELDS, TEXT_FIELDS, json_passage
from ..duplicates import digest
from ..lexicon import Lexicon
from ..magnitude import Scores, score_text
from .reading import PADDING, Workspace
from .scored import ScoreBlock, Scored
from .tables import Tables, tables_of


@dataclass(frozen=True, slots=True, eq=False)
class Passages:
    """Passages as spans of a buffer; rows of `spans`: docnos begin, end, texts begin, end.

    Spans follow each other; a byte that is not a letter stands before each text and behind it.
    `via_reference` has the docno and text of those that only the definition can read.
    """

    buffer: NDArray[np.uint8]
    spans: NDArray[np.int64]
    via_reference: dict[int, tuple[str, str]] = field(default_factory=dict)

    def text(self, i: int) -> str:
        if i in self.via_reference:
            return self.via_reference[i][1]
        return self.buffer[self.spans[2, i] : self.spans[3, i]].tobytes().decode()


class Marks:
    """Words that `mark_kernels.mark` finds in a buffer; memory that the next buffer uses again."""

    def __init__(self) -> None:
        self._room = -1

    def find(self, buffer: NDArray[np.uint8], size: int, tables: Tables) -> None:
        self._make_room(size)
        n_newlines, self.n_matches, n_ambiguous, self.invalid = mark_kernels.mark(
            buffer, size, tables.words, tables.joins, tables.likely, tables.classes,
            tables.may_begin, tables.slot_letters, tables.slot_length, tables.slot_word,
            tables.word_length, tables.long_words, tables.long_ends,
            self._newline_offsets, self.begins, self.before, self.places, self.matches,
            self._ambiguous,
        )  # fmt: skip
        self.newline_offsets = self._newline_offsets[:n_newlines]
        self.ambiguous = self._ambiguous[:n_ambiguous]

    def ambiguous_passages(self, passages: Passages) -> NDArray[np.int64]:
        """The passages with characters that need the definition."""
        starts, ends = passages.spans[2:]
        if not len(self.ambiguous) or not len(starts):
            return np.empty(0, dtype=np.int64)
        passage: NDArray[np.int64] = np.searchsorted(starts, self.ambiguous, side="right") - 1
        within: NDArray[np.int64] = passage[(passage >= 0) & (self.ambiguous < ends[passage])]
        return within

    def _make_room(self, size: int) -> None:
        if size <= self._room:
            return
        self._room = size
        blocks = size // 64 + 2
        self._newline_offsets = np.empty(size + 1, dtype=np.int64)
        self._ambiguous = np.empty(size // 2 + 1, dtype=np.int32)
        self.begins = np.empty(blocks, dtype=np.uint64)
        self.before = np.empty(blocks, dtype=np.int32)
        self.places, self.matches = np.empty((2, size + 1), dtype=np.int32)


def with_kernels(lexicon: Lexicon, tokenizer: Tokenizer, format_: str) -> ScoreBlock:
    """Score blocks with the kernels, and with the definition the few lines that need it."""
    score = Scorer(lexicon, tokenizer)
    return partial(_SPLITTERS[format_], score)


def split_tsv(workspace: Workspace, marks: Marks) -> Passages:
    """The passages of lines `docno<TAB>text` up to the first bad line."""
    newline_offsets = marks.newline_offsets
    spans, n_good = _split_tsv(workspace.buffer, newline_offsets)
    if marks.invalid < workspace.size:
        n_good = min(n_good, int(np.searchsorted(newline_offsets, marks.invalid)))
    # One row after the other in memory, as the kernels were compiled for.
    return Passages(workspace.buffer, np.ascontiguousarray(spans[:, :n_good]))


def _split_tsv(
    buffer: NDArray[np.uint8], newline_offsets: NDArray[np.int64]
) -> tuple[NDArray[np.int64], int]:
    """The spans of the passages of lines, and how many come before the first bad line.

    A byte order mark, which stands where files were put together, is not part of a docno.
    """
    spans = np.empty((4, len(newline_offsets)), dtype=np.int64)
    n_good = line_kernels.split_tsv(buffer, newline_offsets, spans)
    begins, ends = spans[0, :n_good], spans[1, :n_good]
    marked = np.flatnonzero(buffer[begins] == BYTE_ORDER_MARK[0])
    for row in marked.tolist():
        if buffer[begins[row] : begins[row] + 3].tobytes() == BYTE_ORDER_MARK:
            begins[row] += len(BYTE_ORDER_MARK)
            if begins[row] == ends[row]:
                return spans, row
    return spans, n_good


def bad_line_of(
    workspace: Workspace, newline_offsets: NDArray[np.int64], n_good: int
) -> bytes | None:
    """The line after the first `n_good`, where there is one."""
    if n_good == len(newline_offsets):
        return None
    first = newline_offsets[n_good - 1] + 1 if n_good else 0
    return workspace.buffer[first : newline_offsets[n_good]].tobytes()


def _score_tsv(scorer: "Scorer", workspace: Workspace) -> Scored:
    marks = scorer.marks(workspace.buffer, workspace.size)
    passages = split_tsv(workspace, marks)
    scored = scorer.score(passages, marks)
    return replace(
        scored, bad_line=bad_line_of(workspace, marks.newline_offsets, len(scored.docnos))
    )


def _score_json(scorer: "Scorer", workspace: Workspace) -> Scored:
    room = np.empty(workspace.size + 1, dtype=np.int64)
    newline_offsets = room[: line_kernels.find_lines(workspace.buffer, workspace.size, room)]
    out = scorer.room(workspace.size + PADDING)
    spans = np.empty((4, len(newline_offsets)), dtype=np.int64)
    filled = json_kernels.split_json(
        workspace.buffer, newline_offsets, _KEYS, _KEY_ENDS, len(ID_FIELDS), out, spans
    )
    via_reference: dict[int, tuple[str, str]] = {}
    n_good = len(newline_offsets)
    for i in np.flatnonzero(spans[0] < 0).tolist():
        first = newline_offsets[i - 1] + 1 if i else 0
        line = workspace.buffer[first : newline_offsets[i]].tobytes().removesuffix(b"\r")
        try:
            via_reference[i] = json_passage(line, Path(), 0)
        except InputError:
            n_good = i
            break
        spans[0, i] = spans[1, i]
    passages = Passages(out, np.ascontiguousarray(spans[:, :n_good]), via_reference)
    scored = scorer.score(passages, scorer.marks(out, filled), "jsonl")
    return replace(scored, bad_line=bad_line_of(workspace, newline_offsets, n_good))


class Scorer:
    """Scores passages of buffers whose tokens are marked."""

    def __init__(self, lexicon: Lexicon, tokenizer: Tokenizer) -> None:
        self._lexicon, self._tokenizer = lexicon, tokenizer
        self._tables = tables_of(lexicon, tokenizer)
        self._of_thread = threading.local()

    def marks(self, buffer: NDArray[np.uint8], size: int) -> Marks:
        """The marks of a buffer, until the same thread asks for those of another one."""
        if not hasattr(self._of_thread, "marks"):
            self._of_thread.marks = Marks()
        marks: Marks = self._of_thread.marks
        marks.find(buffer, size, self._tables)
        return marks

    def room(self, size: int) -> NDArray[np.uint8]:
        """Memory for lines without their escapes, until the same thread asks for it again."""
        if len(getattr(self._of_thread, "room", b"")) < size:
            self._of_thread.room = np.empty(size, dtype=np.uint8)
        room: NDArray[np.uint8] = self._of_thread.room
        return room

    def score_ended(self, joined: bytes | pa.Buffer, ends: NDArray[np.int64]) -> Scores:
        """Score texts, each with a line feed behind it and joined; `ends` are behind that."""
        size = int(ends[-1]) if len(ends) else 0
        buffer = np.zeros(size + PADDING, dtype=np.uint8)
        buffer[:size] = np.frombuffer(joined, dtype=np.uint8, count=size)
        no_docno = np.zeros_like(ends)
        starts = np.concatenate([no_docno[:1], ends[:-1]])
        passages = Passages(buffer, np.stack([no_docno, no_docno, starts, ends - 1]))
        return self._scores(passages, self.marks(buffer, size))

    def score(self, passages: Passages, marks: Marks, format_: str = "tsv") -> Scored:
        docnos, digests, ascending = _docnos(passages)
        return Scored(docnos, self._scores(passages, marks), digests, format_, ascending)

    def _scores(self, passages: Passages, marks: Marks) -> Scores:
        tables, (starts, ends) = self._tables, passages.spans[2:]
        size = len(starts)
        n_tokens = np.empty(size, dtype=np.int32)
        needs_definition = np.zeros(size, dtype=np.bool_)
        tc = np.zeros((tables.n_groups, size), dtype=np.int32)
        tf = np.zeros((tables.n_groups, size), dtype=np.float64)
        token_kernels.count_tokens(
            passages.buffer, starts, ends, tables.words, marks.begins, marks.before, n_tokens
        )
        word_kernels.add_up(
            starts, ends, tables.words, marks.places, marks.matches, marks.n_matches,
            tables.word_length, tables.group_of, tables.logarithms, needs_definition, tc, tf,
        )  # fmt: skip
        needs_definition[list(passages.via_reference)] = True
        needs_definition[marks.ambiguous_passages(passages)] = True
        for i in np.flatnonzero(needs_definition).tolist():
            n_tokens[i], tc[:, i], tf[:, i] = score_text(
                passages.text(i), self._lexicon, self._tokenizer
            )
        groups = self._lexicon.groups
        return Scores(
            n_tokens, dict(zip(groups, tc, strict=True)), dict(zip(groups, tf, strict=True))
        )


class DocnoLines(NamedTuple):
    """Lines from `begins` to `ends`, up to the first without a docno; see `Scored`."""

    begins: NDArray[np.int64]
    ends: NDArray[np.int64]
    digests: memoryview
    ascending: tuple[int, int]
    bad_line: bytes | None


def split_docnos(workspace: Workspace) -> DocnoLines:
    """The docnos of lines of TSV, whose texts are not looked at."""
    room = np.empty(workspace.size + 1, dtype=np.int64)
    feeds = room[: line_kernels.find_lines(workspace.buffer, workspace.size, room)]
    spans, n_good = _split_tsv(workspace.buffer, feeds)
    passages = Passages(workspace.buffer, np.ascontiguousarray(spans[:, :n_good]))
    _, digests, ascending = _docnos(passages)
    bad_line = bad_line_of(workspace, feeds, n_good)
    return DocnoLines(passages.spans[0], feeds[:n_good] + 1, digests, ascending, bad_line)


def passage_digests(passages: Passages) -> memoryview:
    """The digests of the docnos, see `metrics.texts.duplicates`."""
    return _docnos(passages)[1]


def _docnos(passages: Passages) -> tuple[pa.Array, memoryview, tuple[int, int]]:
    """The docnos, their digests, and the first and last where they are numbers that grow."""
    begins, stops = passages.spans[0], passages.spans[1]
    offsets = np.empty(len(begins) + 1, dtype=np.int32)
    data = np.empty(int((stops - begins).sum()) + PADDING, dtype=np.uint8)
    digests = np.empty((len(begins), 2), dtype=np.uint64)
    ascending = line_kernels.copy_docnos(passages.buffer, begins, stops, offsets, data, digests)
    if passages.via_reference:
        offsets, data = _with_docnos_via_reference(passages, offsets, data)
        ascending = (-1, -1)
        for i, (docno, _) in passages.via_reference.items():
            digests[i] = np.frombuffer(digest(docno.encode()), dtype=np.uint64)
    docnos = pa.StringArray.from_buffers(len(begins), pa.py_buffer(offsets), pa.py_buffer(data))
    return docnos, digests.data.cast("B") if len(digests) else memoryview(b""), ascending


def _with_docnos_via_reference(
    passages: Passages, offsets: NDArray[np.int32], data: NDArray[np.uint8]
) -> tuple[NDArray[np.int32], NDArray[np.uint8]]:
    docnos = [
        passages.via_reference[i][0].encode()
        if i in passages.via_reference
        else data[offsets[i] : offsets[i + 1]].tobytes()
        for i in range(len(offsets) - 1)
    ]
    ends = np.cumsum([0, *map(len, docnos)], dtype=np.int32)
    return ends, np.frombuffer(b"".join(docnos), dtype=np.uint8)


_FIELDS = [name.encode() for name in (*ID_FIELDS, *TEXT_FIELDS, "title")]
_KEYS = np.frombuffer(b"".join(_FIELDS), dtype=np.uint8)
_KEY_ENDS = np.cumsum([len(name) for name in _FIELDS])
_SPLITTERS: dict[str, Callable[[Scorer, Workspace], Scored]] = {
    "tsv": _score_tsv,
    "jsonl": _score_json,
}
