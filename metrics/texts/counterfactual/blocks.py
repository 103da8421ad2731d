"""Swap the genders in whole blocks of lines by compiled kernels, as `substitution` defines it.

The kernels find and replace the words. What they leave to Python: whether `her` and `his` stand
before a noun, and the passages with letters that only `str.lower` understands.
"""

from dataclasses import dataclass, replace
from itertools import accumulate, pairwise

import numpy as np
from numpy.typing import NDArray

from ...kernels import swaps as swap_kernels
from ..lexicon import Lexicon
from ..scan.fast import Marks, Passages, bad_line_of, passage_digests, split_tsv
from ..scan.reading import PADDING, Workspace
from ..scan.tables import tables_of
from .pairs import Pairs
from .pronouns import Method, decider
from .substitution import (
    CASES,
    DECIDED_PRONOUNS,
    PRONOUNS,
    in_case_of,
    substitution,
)


@dataclass(frozen=True, slots=True, eq=False)
class SwappedBlock:
    """The lines of a block up to the first bad one, swapped; see `scan.scored.Scored`."""

    lines: bytes
    n_documents: int
    n_changed: int
    digests: bytes
    bad_line: bytes | None


class BlockSwap:
    """Swaps the genders in lines `docno<TAB>text`."""

    def __init__(self, pairs: Pairs, method: Method) -> None:
        self._swap_text, self._her = substitution(pairs, method), decider(method)
        self._known = sorted({*pairs.words, *pairs.names, *PRONOUNS, *DECIDED_PRONOUNS})
        lexicon = Lexicon("pairs", ("known",), (tuple(self._known),))
        # Two words that an apostrophe joins are swapped separately.
        self._tables = replace(tables_of(lexicon, "word"), joins=False)
        counterparts = {**PRONOUNS, **pairs.words, **pairs.names}
        # A word whose counterpart depends on its context is left as it is at first.
        forms = [
            give(counterparts.get(word, word)).encode() for word in self._known for _, give in CASES
        ]
        bounds = list(pairwise(accumulate(map(len, forms), initial=0)))
        self._bounds = np.array(bounds, dtype=np.int64).reshape(-1, len(CASES), 2)
        self._forms = np.frombuffer(b"".join(forms) + bytes(PADDING), dtype=np.uint8)
        self._kinds = np.array([_kind(word, pairs) for word in self._known], dtype=np.int64)
        grows = np.diff(self._bounds, axis=2)[:, :, 0] - self._tables.word_length[:, None]
        self._most_growth = max(0, int(grows.max()))
        self._marks = Marks()

    def swap(self, workspace: Workspace) -> SwappedBlock:
        """The block with every gendered word and name replaced by its counterpart."""
        marks, tables = self._marks, self._tables
        marks.find(workspace.buffer, workspace.size, tables)
        passages = split_tsv(workspace, marks)
        n_lines = passages.spans.shape[1]
        via_reference = np.zeros(n_lines, dtype=np.bool_)
        via_reference[marks.ambiguous_passages(passages)] = True
        line_ends = np.empty(n_lines, dtype=np.int64)
        changed = np.zeros(n_lines, dtype=np.bool_)
        undecided = np.empty((marks.n_matches, 4), dtype=np.int64)
        # A last line without its end gets one.
        room = workspace.size + marks.n_matches * self._most_growth + 1 + PADDING
        out = np.empty(room, dtype=np.uint8)
        n_undecided = swap_kernels.swap(
            workspace.buffer, passages.spans, marks.places, marks.matches, marks.n_matches,
            tables.word_length, self._kinds, self._forms, self._bounds, via_reference,
            out, line_ends, changed, undecided,
        )  # fmt: skip
        size = int(line_ends[-1]) if n_lines else 0
        edits = self._decided(passages, undecided[:n_undecided].tolist(), changed)
        for i in np.flatnonzero(via_reference).tolist():
            edits.append((int(line_ends[i]), 0, self._line_via_reference(passages, i, changed)))
        return SwappedBlock(
            lines=_edited(out[:size], edits),
            n_documents=n_lines,
            n_changed=int(changed.sum()),
            digests=bytes(passage_digests(passages)),
            bad_line=bad_line_of(workspace, marks.newline_offsets, n_lines),
        )

    def _decided(
        self, passages: Passages, undecided: list[list[int]], changed: NDArray[np.bool_]
    ) -> list[tuple[int, int, bytes]]:
        """The place in the lines, the length and the counterpart of each word of `undecided`."""
        edits = []
        line, text, raw = -1, "", b""
        for i, number, place, at in undecided:
            if i != line:
                line, text = i, passages.text(i)
                raw = text.encode()
            # Characters are counted, not bytes.
            before = place - int(passages.spans[2, i])
            start = before if len(raw) == len(text) else len(raw[:before].decode())
            word = self._known[number]
            spelled = text[start : start + len(word)]
            decided = DECIDED_PRONOUNS[word](text, start, start + len(word), self._her)
            edits.append((at, len(word), in_case_of(spelled, decided).encode()))
            changed[i] |= decided != word
        return edits

    def _line_via_reference(self, passages: Passages, i: int, changed: NDArray[np.bool_]) -> bytes:
        text = passages.text(i)
        swapped = self._swap_text(text)
        changed[i] = swapped != text
        docno = passages.buffer[passages.spans[0, i] : passages.spans[1, i]].tobytes()
        return docno + b"\t" + swapped.encode() + b"\n"


def _kind(word: str, pairs: Pairs) -> int:
    if word in pairs.names:
        return swap_kernels.CAPITALISED
    return swap_kernels.ASK if word in DECIDED_PRONOUNS else swap_kernels.ALWAYS


def _edited(lines: NDArray[np.uint8], edits: list[tuple[int, int, bytes]]) -> bytes:
    """The lines after the edits: each is a place, a number of bytes, and their replacement."""
    pieces: list[bytes | memoryview] = []
    done = 0
    for at, length, new in sorted(edits, key=lambda edit: edit[0]):
        pieces += [lines.data[done:at], new]
        done = at + length
    pieces.append(lines.data[done:])
    return b"".join(pieces)
