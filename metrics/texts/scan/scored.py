"""The result of scanning a block of lines, and the scan by the definition, line by line."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

from ...errors import InputError
from ...io.strings import Strings, strings
from ...vocabulary import Tokenizer
from ..collection import PARSERS
from ..duplicates import DIGEST_SIZE, digest
from ..lexicon import Lexicon
from ..magnitude import Scores, score_texts
from ..repair import repair_line
from .reading import Workspace


class Digests(NamedTuple):
    """Docnos as the search for duplicates takes them; see `Scored`."""

    digests: bytes | memoryview
    ascending: tuple[int, int] = (-1, -1)


@dataclass(frozen=True, slots=True, eq=False)
class Scored:
    """The passages of a block up to the first bad line.

    `digests` holds 16 bytes per docno, see `texts.duplicates`, also of passages that a `Selection`
    leaves out. `ascending` has the first and last docno where all are whole numbers that grow, as
    in MS MARCO, else (-1, -1). `bad_line` is the line after the passages that is not as it should
    be: parsing it as `format` raises the error.
    """

    docnos: Strings
    scores: Scores
    digests: bytes | memoryview
    format: str
    ascending: tuple[int, int] = (-1, -1)
    bad_line: bytes | None = None

    def split(self, size: int) -> tuple["Scored", "Scored"]:
        """The first `size` passages, and the others; the whole has no bad line."""
        return self._slice(slice(None, size)), self._slice(slice(size, None))

    def _slice(self, rows: slice) -> "Scored":
        digests = memoryview(self.digests)
        begin, end = ((rows.start or 0), rows.stop)
        return replace(
            self,
            docnos=self.docnos[rows],
            scores=Scores(
                n_tokens=self.scores.n_tokens[rows],
                tc={group: counts[rows] for group, counts in self.scores.tc.items()},
                tf={group: sums[rows] for group, sums in self.scores.tf.items()},
            ),
            digests=digests[DIGEST_SIZE * begin : None if end is None else DIGEST_SIZE * end],
            ascending=(-1, -1),
        )


ScoreBlock = Callable[[Workspace], Scored]


def repairing(score: ScoreBlock, format_: str) -> ScoreBlock:
    """Score blocks after the encoding of their texts was repaired."""
    return lambda block: score(
        Workspace.of_lines(repair_line(line, format_) for line in block.lines())
    )


def by_definition(lexicon: Lexicon, tokenizer: Tokenizer, format_: str) -> ScoreBlock:
    """Score blocks with the readable definitions, which is quickest for a small collection."""
    parse = PARSERS[format_]

    def score(workspace: Workspace) -> Scored:
        docnos, texts, bad_line = [], [], None
        for line in workspace.lines():
            try:
                docno, text = parse(line.removesuffix(b"\r"), Path(), 0)
            except InputError:
                bad_line = line
                break
            docnos.append(docno)
            texts.append(text)
        return Scored(
            docnos=strings(docnos),
            scores=score_texts(texts, lexicon, tokenizer),
            digests=b"".join(digest(docno.encode()) for docno in docnos),
            format=format_,
            bad_line=bad_line,
        )

    return score
