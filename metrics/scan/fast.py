"""The scan with compiled kernels: the same bits as the definition, a hundred times as fast."""

import threading
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from metrics.collection import ID_FIELDS, TEXT_FIELDS, json_passage
from metrics.errors import InputError
from metrics.lexicon import Lexicon
from metrics.magnitude import Scores, score_text
from metrics.scan import json_kernels, kernels
from metrics.scan.reading import BLOCK_SIZE, PADDING, Workspace
from metrics.scan.scored import ScoreBlock, Scored
from metrics.scan.tables import Tables, tables_of
from metrics.tokens import Tokenizer


@dataclass(frozen=True, slots=True, eq=False)
class Passages:
    """Passages as spans of a buffer; rows of `spans`: docnos begin, end, texts begin, end.

    `by_hand` has the docno and text of those that only the definition can read.
    """

    buffer: NDArray[np.uint8]
    spans: NDArray[np.int64]
    by_hand: dict[int, tuple[str, str]] = field(default_factory=dict)

    def text(self, i: int) -> str:
        if i in self.by_hand:
            return self.by_hand[i][1]
        return self.buffer[self.spans[2, i] : self.spans[3, i]].tobytes().decode()


def with_kernels(lexicon: Lexicon, tokenizer: Tokenizer, format_: str) -> ScoreBlock:
    """Score blocks with the kernels, and with the definition the few lines that need it."""
    score_passages = passage_scorer(lexicon, tokenizer, format_)
    split = _SPLITTERS[format_]
    scratch = threading.local()

    def score(workspace: Workspace) -> Scored:
        if len(getattr(scratch, "feeds", ())) < len(workspace.buffer):
            scratch.feeds = np.empty(len(workspace.buffer), dtype=np.int64)
        found = kernels.find_lines(workspace.buffer, workspace.size, scratch.feeds)
        feeds = scratch.feeds[:found]
        passages = split(workspace, feeds)
        scored = score_passages(passages)
        n_good = len(scored.docnos)
        if n_good == len(feeds):
            return scored
        first = feeds[n_good - 1] + 1 if n_good else 0
        return replace(scored, bad_line=workspace.buffer[first : feeds[n_good]].tobytes())

    return score


def passage_scorer(
    lexicon: Lexicon, tokenizer: Tokenizer, format_: str
) -> Callable[[Passages], Scored]:
    """Scores passages up to the first that is not UTF-8."""
    tables = tables_of(lexicon, tokenizer)
    scratch = threading.local()

    def score(passages: Passages) -> Scored:
        if len(getattr(scratch, "marked", ())) < len(passages.buffer):
            scratch.marked = np.empty(len(passages.buffer), dtype=np.int32)
        docnos, digests, ascending, invalid = _docnos(passages)
        counted = _count(passages, tables, scratch.marked)
        bad = np.flatnonzero(invalid | (counted.needs & kernels.INVALID))
        n_good = int(bad[0]) if len(bad) else len(docnos)
        for i in np.flatnonzero(counted.needs[:n_good] & kernels.EXACT).tolist():
            counted.set(i, *score_text(passages.text(i), lexicon, tokenizer))
        return Scored(
            docnos=docnos[:n_good],
            scores=counted.scores(n_good, lexicon.groups),
            digests=digests[: 16 * n_good],
            format=format_,
            ascending=ascending,
        )

    return score


def score_encoded(texts: list[bytes], lexicon: Lexicon, tokenizer: Tokenizer) -> Scores:
    """Score texts in UTF-8."""
    score = passage_scorer(lexicon, tokenizer, "tsv")
    parts: list[Scores] = []
    start = 0
    while start < len(texts):
        stop, size = start, 0
        while stop < len(texts) and (stop == start or size + len(texts[stop]) < BLOCK_SIZE):
            size += len(texts[stop]) + 1
            stop += 1
        joined = b"\n".join(texts[start:stop]) + b"\n" + bytes(PADDING)
        ends = np.cumsum([len(text) + 1 for text in texts[start:stop]]) - 1
        starts = np.concatenate([[0], ends[:-1] + 1])
        no_docno = np.zeros_like(ends)
        spans = np.stack([no_docno, no_docno, starts, ends])
        parts.append(score(Passages(np.frombuffer(joined, dtype=np.uint8), spans)).scores)
        start = stop
    return Scores(
        n_tokens=np.concatenate([part.n_tokens for part in parts]),
        tc={group: np.concatenate([part.tc[group] for part in parts]) for group in lexicon.groups},
        tf={group: np.concatenate([part.tf[group] for part in parts]) for group in lexicon.groups},
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Counted:
    n_tokens: NDArray[np.int32]
    needs: NDArray[np.uint8]
    tc: NDArray[np.int32]
    tf: NDArray[np.float64]

    def set(self, i: int, n_tokens: int, tc: list[int], tf: list[float]) -> None:
        self.n_tokens[i], self.tc[:, i], self.tf[:, i] = n_tokens, tc, tf

    def scores(self, size: int, groups: tuple[str, ...]) -> Scores:
        return Scores(
            n_tokens=self.n_tokens[:size],
            tc={group: self.tc[g, :size] for g, group in enumerate(groups)},
            tf={group: self.tf[g, :size] for g, group in enumerate(groups)},
        )


def _count(passages: Passages, tables: Tables, marked: NDArray[np.int32]) -> _Counted:
    starts, ends = passages.spans[2], passages.spans[3]
    size = len(starts)
    counted = _Counted(
        n_tokens=np.empty(size, dtype=np.int32),
        needs=np.empty(size, dtype=np.uint8),
        tc=np.zeros((tables.n_groups, size), dtype=np.int32),
        tf=np.zeros((tables.n_groups, size), dtype=np.float64),
    )
    n_marked = kernels.mark(
        passages.buffer, starts, ends, tables.words, tables.likely, tables.may_begin,
        tables.classes, marked, counted.n_tokens, counted.needs,
    )  # fmt: skip
    n_marked = kernels.narrow(passages.buffer, tables.words, marked, n_marked, tables.slot_length)
    kernels.resolve(
        passages.buffer, ends, tables.words, tables.classes, marked, n_marked,
        tables.slot_letters, tables.slot_length, tables.slot_word,
        tables.long_words, tables.long_ends, tables.group_of, tables.logarithms,
        counted.needs, counted.tc, counted.tf,
    )  # fmt: skip
    for i in passages.by_hand:
        counted.needs[i] = kernels.EXACT
    return counted


def _docnos(passages: Passages) -> tuple[pa.Array, bytes, tuple[int, int], NDArray[np.uint8]]:
    """The docnos, their digests, their ends where they ascend, and 1 where one is not UTF-8."""
    begins, stops = passages.spans[0], passages.spans[1]
    invalid = np.zeros(len(begins), dtype=np.uint8)
    offsets = np.empty(len(begins) + 1, dtype=np.int32)
    data = np.empty(int((stops - begins).sum()) + PADDING, dtype=np.uint8)
    kernels.copy_docnos(passages.buffer, begins, stops, offsets, data, invalid)
    if passages.by_hand:
        offsets, data = _with_docnos_by_hand(passages, offsets, data)
    digests = np.empty((len(begins), 2), dtype=np.uint64)
    kernels.digest_docnos(offsets, data, digests)
    docnos = pa.StringArray.from_buffers(len(begins), pa.py_buffer(offsets), pa.py_buffer(data))
    return docnos, digests.tobytes(), kernels.ascending_numbers(offsets, data), invalid


def _with_docnos_by_hand(
    passages: Passages, offsets: NDArray[np.int32], data: NDArray[np.uint8]
) -> tuple[NDArray[np.int32], NDArray[np.uint8]]:
    docnos = [
        passages.by_hand[i][0].encode()
        if i in passages.by_hand
        else data[offsets[i] : offsets[i + 1]].tobytes()
        for i in range(len(offsets) - 1)
    ]
    ends = np.cumsum([0, *map(len, docnos)], dtype=np.int32)
    return ends, np.frombuffer(b"".join(docnos) + bytes(PADDING), dtype=np.uint8)


def _split_tsv(workspace: Workspace, feeds: NDArray[np.int64]) -> Passages:
    spans = np.empty((4, len(feeds)), dtype=np.int64)
    n_good = kernels.split_tsv(workspace.buffer, feeds, spans)
    # One row after the other in memory, as the kernels were compiled for.
    return Passages(workspace.buffer, np.ascontiguousarray(spans[:, :n_good]))


def _split_json(workspace: Workspace, feeds: NDArray[np.int64]) -> Passages:
    out = np.empty(workspace.size + PADDING, dtype=np.uint8)
    spans = np.empty((4, len(feeds)), dtype=np.int64)
    json_kernels.split_json(workspace.buffer, feeds, _KEYS, _KEY_ENDS, len(ID_FIELDS), out, spans)
    by_hand: dict[int, tuple[str, str]] = {}
    n_good = len(feeds)
    for i in np.flatnonzero(spans[0] < 0).tolist():
        first = feeds[i - 1] + 1 if i else 0
        line = workspace.buffer[first : feeds[i]].tobytes().removesuffix(b"\r")
        try:
            by_hand[i] = json_passage(line, Path(), 0)
        except InputError:
            n_good = i
            break
        spans[:, i] = 0
    return Passages(out, np.ascontiguousarray(spans[:, :n_good]), by_hand)


_FIELDS = [name.encode() for name in (*ID_FIELDS, *TEXT_FIELDS, "title")]
_KEYS = np.frombuffer(b"".join(_FIELDS), dtype=np.uint8)
_KEY_ENDS = np.cumsum([len(name) for name in _FIELDS])
_SPLITTERS: dict[str, Callable[[Workspace, NDArray[np.int64]], Passages]] = {
    "tsv": _split_tsv,
    "jsonl": _split_json,
}
