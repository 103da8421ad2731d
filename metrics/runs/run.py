"""A run that has been read, and the notices about its anomalies."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np
from numpy.typing import NDArray

from ..errors import Hinted, Hinting, InputError, InputKeyError, InputTypeError
from ..extras import need
from ..io.files import checked_path, replacing
from ..io.strings import Strings, strings
from ..public import public
from ..vocabulary import Order
from .columns import dict_columns, frame_columns
from .sorting import Columns, First

if TYPE_CHECKING:
    import pandas as pd

NoticeKind = Literal["conflict", "repeated", "gap", "ids"]

# A pool names its lists `run:direction:place`, joined by `|`; a command takes `NAME=PATH`.
_NAME = re.compile(r"[^\s:|=]{1,100}")


@dataclass(frozen=True)
class Notice:
    """An anomaly of a run that has a rule and so is not an error: description, number and places.

    `lines` are the first few places, counted from 1. `option` says which option of a command has
    another rule.
    """

    kind: NoticeKind
    message: str
    count: int
    path: str
    lines: tuple[int, ...]
    option: str = ""

    def __str__(self) -> str:
        return f"{self.path}:{self.lines[0]}: {self.message}{self._others}{self.option}"

    @property
    def text_with_argument(self) -> str:
        """Return the text for callers of the library: the argument instead of the option."""
        argument = re.sub(r"--order (\w+)", r'order="\1"', self.option)
        return f"{self.path}:{self.lines[0]}: {self.message}{self._others}{argument}"

    @property
    def text_with_line(self) -> str:
        """Return the text without file and option, for those who see neither."""
        return f"line {self.lines[0]}: {self.message}{self._others}"

    @property
    def _others(self) -> str:
        more = ", ".join(str(line) for line in self.lines[1:])
        return f" Also lines {more}." if more else ""


#: The fields of a run that have no default.
_N_FIELDS = 7
#: Endings of tables and JSON, which no run in TREC's layout has.
_OF_TABLES = frozenset({".json", ".csv", ".parquet"})


@dataclass(frozen=True, eq=False, repr=False)
class Run(Hinted, metaclass=Hinting):
    """Ranked documents of queries, as columns; the best document of a query first.

    Made by `read_run`, `Run.from_dict` or `Run.from_frame`. It is read as a dictionary: `run[qid]`
    is `{docno: score}`, and a loop goes through the ids of the queries.

    `qids` are sorted as text. Rows `offsets[i]:offsets[i + 1]` belong to `qids[i]`.
    `docnos` (N,), `scores` (N,) and `ranks` (N,; the file's rank column) are aligned, and so is
    `lines` (N,), where in the file each row stands, counted from 1. `order` is the rule that
    ranked them; `digest` is of the file's bytes as they lie on disk.
    """

    name: str
    qids: tuple[str, ...]
    offsets: NDArray[np.int64]
    docnos: Strings
    scores: NDArray[np.float64]
    ranks: NDArray[np.int64]
    lines: NDArray[np.int64]
    order: Order = "default"
    path: str = ""
    digest: str = ""
    notices: tuple[Notice, ...] = ()

    def __new__(cls, *values: Any, **fields: Any) -> Self:
        unknown = sorted(set(fields) - set(cls.__dataclass_fields__))
        wrong = [v for v in values[:2] if isinstance(v, Mapping) or hasattr(v, "columns")]
        few = len(values) + len(fields) < _N_FIELDS
        if unknown or wrong or few or (values and not isinstance(values[0], str)):
            made_of = [*unknown, *(type(v).__name__ for v in (*wrong, *values)), *fields, "nothing"]
            raise InputTypeError(
                f"a run cannot be made from {made_of[0]} by its fields.",
                remedy="Use Run.from_dict(run, name), Run.from_frame(frame, name) or read_run.",
            )
        return super().__new__(cls)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), tuple(getattr(self, name) for name in type(self).__dataclass_fields__)

    @classmethod
    @public
    def from_dict(
        cls,
        run: Mapping[str, Any],
        name: str = "run",
        order: Order = "default",
        *,
        depth: int | None = None,
        ties: bool = False,
    ) -> Self:
        """The run `{qid: {docno: score}}`, as ranx, pytrec_eval and ir_measures have it.

        Instead of `{docno: score}` a query may have pairs of docno and score, hits with a
        docid and a score as Pyserini finds them, or docnos alone, best first, also as an array.
        `depth` and `ties` are those of `read_run`: how many documents of each query are kept.

        >>> Run.from_dict({"q1": {"d1": 0.5, "d2": 2.0}}, "BM25").documents("q1")
        ['d2', 'd1']
        """
        columns = dict_columns(run, order, First(depth, ties))
        return cls._of_columns(columns, name, order)

    @classmethod
    @public
    def from_frame(
        cls,
        frame: Any,
        name: str = "run",
        order: Order = "default",
        *,
        depth: int | None = None,
        ties: bool = False,
    ) -> Self:
        """The run of a data frame of Pandas, Polars or Arrow, one row per document.

        Its columns are known by name, in any order and among others: `qid`, `q_id` or `query_id`;
        `docno`, `doc_id` or `document_id`; `score`; `rank`, which may be missing. `depth` and
        `ties` are those of `read_run`. Ranks that contradict the scores are in `notices`.
        """
        from .anomalies import RunAnomalies  # noqa: PLC0415 - it describes runs

        columns, conflicts = frame_columns(frame, order, First(depth, ties))
        run = cls._of_columns(columns, name, order)
        return replace(run, notices=RunAnomalies(conflicts).notices(name, order))

    @classmethod
    def _of_columns(cls, columns: Columns, name: str, order: Order) -> Self:
        fields = {**columns._asdict(), "docnos": strings(columns.docnos)}
        return cls(name=check_run_name(name), order=order, **fields)

    def __repr__(self) -> str:
        return f"<Run {self.name}: {len(self):,} queries, {len(self.docnos):,} documents>"

    def to_dict(self) -> dict[str, dict[str, float]]:
        """The run as `{qid: {docno: score}}`, best document first."""
        return dict(self.items())

    def to_frame(self) -> "pd.DataFrame":
        """The run as a data frame `qid, docno, score, rank`, ranks from 1; needs pandas."""
        lengths = np.diff(self.offsets)
        ranks = np.arange(len(self.docnos)) - np.repeat(self.offsets[:-1], lengths) + 1
        columns = {
            "qid": np.repeat(np.array(self.qids, dtype=object), lengths),
            "docno": self.docnos.tolist(),
            "score": self.scores,
            "rank": ranks,
        }
        frame: pd.DataFrame = need("pandas").DataFrame(columns)
        return frame

    def save(self, path: str | Path) -> Path:
        """Write a TREC run, `qid Q0 docno rank score tag`, and return its path.

        Ranks count from 1, and the tag is the run's name.
        """
        if Path(path).suffix in _OF_TABLES:
            raise InputError(
                "a run can be written only in TREC's layout.",
                path=path,
                remedy=f"Name it {Path(path).with_suffix('.run')}, or write to_frame().",
            )
        lengths = np.diff(self.offsets).tolist()
        qids = (qid for qid, n in zip(self.qids, lengths, strict=True) for _ in range(n))
        ranks = (rank for n in lengths for rank in range(1, n + 1))
        rows = zip(qids, self.docnos.tolist(), ranks, self.scores.tolist(), strict=True)
        with (
            replacing(checked_path(path, "the place of the run")) as temporary,
            temporary.open("w", encoding="utf-8", newline="") as file,
        ):
            file.writelines(
                f"{q} Q0 {d} {rank} {score!r} {self.name}\n" for q, d, rank, score in rows
            )
        return Path(path)

    def __len__(self) -> int:
        """The number of queries."""
        return len(self.qids)

    def __iter__(self) -> Iterator[str]:
        return iter(self.qids)

    def __contains__(self, qid: object) -> bool:
        return qid in self.place_of

    def __eq__(self, other: object) -> bool:
        """Return whether two runs rank the same documents with the same scores, by any name."""
        if not isinstance(other, Run):
            return NotImplemented
        return (
            self.qids == other.qids
            and np.array_equal(self.offsets, other.offsets)
            and np.array_equal(self.scores, other.scores)
            and self.docnos.tolist() == other.docnos.tolist()
        )

    def __hash__(self) -> int:
        return hash(self.qids)

    def __getitem__(self, qid: str) -> dict[str, float]:
        """`{docno: score}` of a query, best first; `InputError` for one that it has not."""
        if qid not in self.place_of:
            raise InputKeyError(
                f"the run has no query {qid!r}.",
                remedy=f"It has {len(self):,}: {', '.join(self.qids[:3])}"
                f"{', ...' if len(self) > 3 else ''}.",  # noqa: PLR2004 - as many as tell
            )
        place = self.place_of[qid]
        start, stop = self.offsets[place : place + 2].tolist()
        return dict(zip(self.documents(qid), self.scores[start:stop].tolist(), strict=True))

    def keys(self) -> tuple[str, ...]:
        """The ids of the queries."""
        return self.qids

    def items(self) -> Iterator[tuple[str, dict[str, float]]]:
        """Each query with its `{docno: score}`."""
        return ((qid, self[qid]) for qid in self.qids)

    @cached_property
    def place_of(self) -> dict[str, int]:
        """Where in `qids` each query stands."""
        return {qid: index for index, qid in enumerate(self.qids)}

    def documents(self, qid: str) -> list[str]:
        """The documents of a query, best first; none for a query that the run does not have."""
        if qid not in self.place_of:
            return []
        start, stop = self.offsets[self.place_of[qid] :][:2].tolist()
        documents: list[str] = self.docnos[start:stop].tolist()
        return documents


def check_run_name(name: str) -> str:
    """The name, when it can stand in tables, file names of lists and options."""
    if _NAME.fullmatch(name) is None or not name.isprintable():
        raise InputError(
            f"{name!r} cannot name a run.",
            remedy="Use 1 to 100 printable characters without blanks, ':', '|' and '='.",
        )
    return name
