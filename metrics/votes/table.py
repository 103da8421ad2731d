"""The answers to one question, by item and worker. The one input of this package."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import IntEnum, StrEnum
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from ..errors import InputError, InputTypeError
from ..vocabulary import CANNOT_TELL, JOINED

Codes = npt.NDArray[np.int32]
Counts = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]

#: The code of an answer that says "I cannot tell".
UNTOLD = -1


class Kind(StrEnum):
    """Kind of a question: what two answers have in common."""

    NOMINAL = "nominal"
    ORDINAL = "ordinal"
    INTERVAL = "interval"
    SEVERAL = "several"

    @property
    def distance(self) -> str:
        """Name of the distances between two answers that alpha goes by."""
        return "MASI" if self is Kind.SEVERAL else self.value


class Origin(IntEnum):
    """Origin of a vote."""

    HUMAN = 0
    UNVERIFIED = 1
    SIMULATED = 2
    MODEL = 3


@dataclass(frozen=True, eq=False)
class Votes:
    """The answers to one question as integer codes into vocabularies; any of them may be missing.

    `item`, `worker` and `answer` have one entry per vote; an `answer` is the place of an option, or
    of one of the different sets `answers` where workers choose several, or `UNTOLD`. `items` may
    name items without a vote, `options` options that nobody chose; their order is the order of
    every result. A worker votes on an item once: which of repeated votes counts is decided before.

    `points` are the values of the options where differences between them mean something. `names`
    are what warnings call the options. Unless `are_all_offered`, the options are those that occur,
    and others may have been there to choose.

    What may be known of each vote: its `origin` (one of `Origin`), whether it is `excluded`, and
    of adaptive asking whether it is of the `first_round`, which every item was asked for. Of each
    item: the number of its cluster in `clusters` (a HIT: its items have the same workers), and
    whether it is `asked` the question at all, by decisions on earlier ones. `suggested_by` names
    the model whose labels the workers saw.
    """

    item: Codes
    worker: Codes
    answer: Codes
    items: tuple[str, ...]
    workers: tuple[str, ...]
    options: tuple[str, ...]
    kind: Kind = Kind.NOMINAL
    answers: tuple[frozenset[str], ...] = ()
    points: tuple[float, ...] = ()
    names: Mapping[str, str] = field(default_factory=dict)
    are_all_offered: bool = True
    origin: Codes | None = None
    excluded: Mask | None = None
    first_round: Mask | None = None
    clusters: Codes | None = None
    asked: Mask | None = None
    suggested_by: str = ""

    def __post_init__(self) -> None:
        sizes = {len(self.item), len(self.worker), len(self.answer)}
        if len(sizes) != 1:
            raise InputError(f"the columns of the votes differ in length: {sorted(sizes)}.")
        for name, codes, least, n_names in (
            ("item", self.item, 0, len(self.items)),
            ("worker", self.worker, 0, len(self.workers)),
            ("answer", self.answer, UNTOLD, len(self.labels)),
        ):
            if len(codes) and not (codes.min() >= least and codes.max() < n_names):
                raise InputError(f"the code of one {name} is outside its vocabulary.")
        self._check_one_vote_per_item_and_worker()

    def _check_one_vote_per_item_and_worker(self) -> None:
        place = np.sort(self.item.astype(np.int64) * max(len(self.workers), 1) + self.worker)
        repeated = place[1:][place[1:] == place[:-1]]
        if repeated.size:
            item, worker = divmod(int(repeated[0]), len(self.workers))
            raise InputError(
                f"worker {self.workers[worker]!r} voted more than once on {self.items[item]!r}.",
                remedy="Decide first which vote counts.",
            )

    @classmethod
    def of(
        cls,
        item: Iterable[object],
        worker: Iterable[object],
        answer: Iterable[Any],
        *,
        options: Sequence[str] | None = None,
        items: Sequence[str] | None = None,
        kind: Kind = Kind.NOMINAL,
        text: Callable[[Any], Any] = str,
        **facts: Any,
    ) -> Self:
        """The votes of three columns of equal length, and what else is known of them.

        `text` gives the text of a cell that is none. An answer is the code of an option, `?` for "I
        cannot tell", or with `Kind.SEVERAL` a set of codes. Without `options` they are those that
        occur, sorted; without `items` these are in order of their first vote. A missing entry (None
        or NaN) is an error: leave the vote out.
        """
        is_several = kind == Kind.SEVERAL
        of_items, names = _encoded("item", item, text)
        of_workers, workers = _encoded("worker", worker, text)
        if is_several:
            of_answers, cells = _encoded("answer", map(frozenset[str], answer), frozenset)
        else:
            of_answers, cells = _encoded("answer", answer, text)
        tells = [CANNOT_TELL not in cell if is_several else cell != CANNOT_TELL for cell in cells]
        chosen = [cell for cell, is_told in zip(cells, tells, strict=True) if is_told]
        occurring = sorted(
            {code for codes in chosen for code in codes} if is_several else {*chosen}
        )
        known = tuple(occurring if options is None else options)
        values: tuple[Any, ...] = known
        if is_several:
            _codes("answer", occurring, known)
            values = tuple(sorted(chosen, key=joined))
            facts["answers"] = values
        codes = np.full(len(cells), UNTOLD, dtype=np.int32)
        codes[np.array(tells, dtype=bool)] = _codes("answer", chosen, values)
        known_items = tuple(names if items is None else items)
        return cls(
            item=_codes("item", names, known_items)[of_items],
            worker=of_workers,
            answer=codes[of_answers],
            items=known_items,
            workers=tuple(workers),
            options=known,
            kind=kind,
            **facts,
        )

    def __len__(self) -> int:
        return len(self.item)

    @property
    def labels(self) -> tuple[str, ...]:
        """The option that each code of `answer` stands for, or several joined."""
        if self.kind != Kind.SEVERAL:
            return self.options
        return tuple(map(joined, self.answers))

    @property
    def called(self) -> tuple[str, ...]:
        """The names of `labels` in warnings."""
        return tuple(self.names.get(label, label) for label in self.labels)

    @property
    def are_asked(self) -> Mask:
        """True for each item that is asked the question, by decisions on earlier ones."""
        return np.ones(len(self.items), dtype=bool) if self.asked is None else self.asked

    @property
    def are_told(self) -> Mask:
        """True for each vote that chooses something."""
        mask: Mask = self.answer != UNTOLD
        return mask

    def counts(self) -> Counts:
        """Votes on each item for each answer, shape (items, labels), without "I cannot tell"."""
        n_labels, mask = len(self.labels), self.are_told
        cell = self.item[mask].astype(np.int64) * n_labels + self.answer[mask]
        size = len(self.items) * n_labels
        return np.bincount(cell, minlength=size).reshape(len(self.items), n_labels)

    def counts_of_options(self) -> Counts:
        """Workers who chose each option, alone or with others, shape (items, options)."""
        if self.kind != Kind.SEVERAL:
            return self.counts()
        marked = [[option in codes for option in self.options] for codes in self.answers]
        return self.counts() @ np.array(marked, dtype=np.int64).reshape(-1, len(self.options))

    def untold(self) -> Counts:
        """Number of workers who could not tell of each item, shape (items,)."""
        return np.bincount(self.item[~self.are_told], minlength=len(self.items))

    def counted(self) -> Self:
        """The votes that count, none of those that are excluded, and their workers."""
        return self if self.excluded is None else self._of_their_workers(~self.excluded)

    def told(self) -> Self:
        """The votes that choose something, and their workers."""
        return self._of_their_workers(self.are_told)

    def compared(self) -> Self:
        """The votes that agreement is computed from."""
        voting = self.counted().told()
        if voting.suggested_by:
            return voting.kept(np.zeros(len(voting), dtype=bool))
        return voting if voting.first_round is None else voting.kept(voting.first_round)

    def _of_their_workers(self, mask: Mask) -> Self:
        if mask.all():
            return self
        kept = self.kept(mask)
        active, worker = np.unique(kept.worker, return_inverse=True)
        workers = tuple(self.workers[code] for code in active.tolist())
        return replace(kept, worker=worker.astype(np.int32), workers=workers)

    def kept(self, mask: Mask) -> Self:
        """The votes where `mask` (one entry per vote) is true, with the same vocabularies."""
        parts = {name: getattr(self, name) for name in _OF_VOTES}
        return replace(
            self, **{name: part[mask] for name, part in parts.items() if part is not None}
        )


#: The fields with one entry per vote.
_OF_VOTES = ("item", "worker", "answer", "origin", "excluded", "first_round")


def joined(codes: Iterable[str]) -> str:
    """The codes of one answer as a cell has them."""
    return JOINED.join(sorted(codes))


def _encoded(
    name: str, column: Iterable[Any], text: Callable[[Any], Any]
) -> tuple[Codes, list[Any]]:
    """The place of each cell among the different ones, and these as text, the first ones first."""
    cells = list(column)
    texts: dict[Any, int] = {}
    places: dict[Any, int] = {}
    try:
        different = dict.fromkeys(cells)
    except TypeError:
        raise InputTypeError(
            f"one {name} is a list or another collection.", remedy='Say kind="several" for sets.'
        ) from None
    for cell in different:
        # NaN is the one value that differs from itself.
        if cell is None or cell != cell:  # noqa: PLR0124 - see above
            raise InputError(
                f"vote {cells.index(cell) + 1} has no {name}.", remedy="Leave the vote out."
            )
        places[cell] = texts.setdefault(cell if type(cell) is str else text(cell), len(texts))
    codes = np.fromiter(map(places.__getitem__, cells), dtype=np.int32, count=len(cells))
    return codes, list(texts)


def _codes(name: str, values: Sequence[Any], vocabulary: tuple[Any, ...]) -> Codes:
    place = {value: code for code, value in enumerate(vocabulary)}
    if len(place) != len(vocabulary):
        raise InputError(f"the {name} vocabulary names something twice.")
    try:
        return np.fromiter(map(place.__getitem__, values), dtype=np.int32, count=len(values))
    except KeyError as error:
        raise InputError(
            f"{name} {error.args[0]!r} is not one of the known: {', '.join(vocabulary[:10])}"
            f"{' ...' if len(vocabulary) > 10 else ''}."  # noqa: PLR2004 - a readable line
        ) from None
