"""Decisions on a question from the votes, by any of the methods."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
import numpy.typing as npt

from ..errors import InputError
from ..vocabulary import JOINED
from .majority import UNDECIDED, VOTES_BESIDE_ABSTENTIONS, majority
from .median import medians, middles
from .methods.dawid_skene import dawid_skene
from .methods.gold_weighted import gold_weighted
from .methods.mace import mace
from .methods.posterior import Posterior
from .table import Counts, Kind, Votes


@dataclass(frozen=True, kw_only=True)
class _Given:
    """Everything that a method may decide by; see `decide_votes`."""

    votes: Votes
    strict: bool
    seed: int
    gold: Votes
    known: Mapping[str, str]


@dataclass(frozen=True, kw_only=True)
class Method:
    """A way to decide: its title, and the kinds of question that it decides and is `usual` for.

    It gives the code of each item, or the probability of each code where it `has_model` of the
    workers. A new method is an entry of `ALL_METHODS`, and nothing else.
    """

    title: str
    by: Callable[[_Given], npt.NDArray[np.int64] | Posterior]
    kinds: tuple[Kind, ...] = (Kind.NOMINAL,)
    usual: tuple[Kind, ...] = ()
    has_model: bool = False
    needs_gold: bool = False


MAJORITY, MEDIAN, DAWID_SKENE = "majority", "median", "dawid_skene"
#: Every method that decides labels from votes, by its name.
ALL_METHODS: Mapping[str, Method] = {
    MAJORITY: Method(
        title="Majority of the votes",
        by=lambda of: majority(of.votes.counts(), strict=of.strict),
        kinds=tuple(Kind),
        usual=(Kind.NOMINAL, Kind.SEVERAL),
    ),
    MEDIAN: Method(
        title="Median of the votes",
        by=lambda of: medians(of.votes.counts(), strict=of.strict),
        kinds=(Kind.ORDINAL, Kind.INTERVAL),
        usual=(Kind.ORDINAL, Kind.INTERVAL),
    ),
    DAWID_SKENE: Method(title="Dawid-Skene", by=lambda of: dawid_skene(of.votes), has_model=True),
    "mace": Method(title="MACE", by=lambda of: mace(of.votes, seed=of.seed), has_model=True),
    "gold_weighted": Method(
        title="Votes weighted by accuracy on gold queries",
        by=lambda of: gold_weighted(of.votes, gold_table=of.gold, gold=of.known),
        has_model=True,
        needs_gold=True,
    ),
}


def methods_of(kind: Kind) -> tuple[str, ...]:
    """The methods that decide questions of this kind, the usual one first."""
    fitting = (name for name, of in ALL_METHODS.items() if kind in of.kinds)
    return tuple(sorted(fitting, key=lambda name: kind not in ALL_METHODS[name].usual))


#: Those for options in no order, and those for options in an order.
METHODS, ORDERED_METHODS = methods_of(Kind.NOMINAL), methods_of(Kind.ORDINAL)
#: Those with a model of the workers.
MODEL_METHODS = tuple(name for name, of in ALL_METHODS.items() if of.has_model)


def check_method(method: str, kind: Kind, known: Mapping[str, str]) -> None:
    """Raise `InputError` for a method that cannot decide such votes."""
    fitting = methods_of(kind)
    if method and method not in fitting:
        raise InputError(
            f"{method!r} decides no {kind} answers.", remedy=f"Use {', '.join(fitting)}."
        )
    if method and ALL_METHODS[method].needs_gold and not known:
        raise InputError(
            "there are no known answers to show how often each worker is right.",
            remedy="Give them: gold={item: answer}, or the column gold of a file.",
        )


class State(StrEnum):
    """State of the decision on an item."""

    DECIDED = "decided"
    TIE = "tie"
    TOO_FEW = "too few"  # votes beside "I cannot tell"
    NOT_ASKED = "not asked"
    NO_VOTES = "no votes"


@dataclass(frozen=True, slots=True)
class Decision:
    """The decision on one item; `label` is None unless it is decided, several options are joined.

    `n_for` of its `n_votes` are for the label, `n_cannot_tell` beside them chose nothing.
    `confidence` is the posterior of a method that has one; `note` says more in words.
    """

    item: str
    label: str | None
    n_votes: int
    n_for: int
    state: State
    n_cannot_tell: int = 0
    confidence: float | None = None
    note: str = ""

    @property
    def is_asked(self) -> bool:
        return self.state != State.NOT_ASKED

    @property
    def codes(self) -> frozenset[str]:
        """The options that are decided; none unless it is decided."""
        return frozenset(self.label.split(JOINED) if self.label else ())


@dataclass(frozen=True)
class Decisions:
    """The decision on each item, in the order of the votes; `notes` say how it went.

    `posterior` is that of a method with a model, of each item for each of `options`.
    """

    every: list[Decision]
    notes: tuple[str, ...] = ()
    method: str = ""
    options: tuple[str, ...] = ()
    posterior: Posterior | None = None

    @property
    def rows(self) -> list[Decision]:
        """The items with enough votes: decided, or a tie."""
        return [row for row in self.every if row.state in (State.DECIDED, State.TIE)]

    @property
    def without_votes(self) -> int:
        return len(self.every) - len(self.rows)


def decide_votes(
    votes: Votes,
    method: str = "",
    *,
    strict: bool = False,
    seed: int = 0,
    gold: Votes | None = None,
    known: Mapping[str, str] | None = None,
) -> Decisions:
    """Decide every item by the votes that count, by one of `methods_of` their kind.

    Without a method it is the usual one: the majority of options in no order, the median of others,
    and of several options each that more than half of the workers chose. An item that somebody
    could not tell needs two votes; a tie is never drawn.

    The median is the lower of two middles, by the order of the options. With `strict` a majority
    needs more than half of the votes, and two middles that lie apart are a tie. `seed` is for MACE;
    `gold` holds the votes on gold questions and `known` their labels, for the method that weighs
    with them. Raises `InputError` for a method that does not decide such votes.
    """
    fitting = methods_of(votes.kind)
    method = method or fitting[0]
    if method not in ALL_METHODS:
        raise InputError(f"unknown method {method!r}.", remedy=f"Use {', '.join(fitting)}.")
    counted = votes.counted()
    telling = counted.told()
    counts = telling.counts()
    posterior: Posterior | None = None
    notes: Mapping[int, str] = {}
    if votes.kind == Kind.SEVERAL:
        labels, n_for = _several(telling, counts)
    else:
        terms = _Given(
            votes=telling,
            strict=strict,
            seed=seed,
            gold=gold.told() if gold else Votes.of((), (), (), options=telling.options),
            known=known or {},
        )
        outcome = ALL_METHODS[method].by(terms)
        posterior = outcome if isinstance(outcome, Posterior) else None
        codes = outcome.codes() if isinstance(outcome, Posterior) else outcome
        labels = [None if code == UNDECIDED else telling.options[code] for code in codes.tolist()]
        n_for = [0 if code == UNDECIDED else counts[at, code] for at, code in enumerate(codes)]
        if method == MEDIAN:
            notes = _of_middles(telling, counts)
    sure = None if posterior is None else posterior.probabilities.max(axis=1, initial=0)
    rows = []
    for place, (item, n_votes, untold, is_asked) in enumerate(
        zip(
            votes.items,
            counts.sum(axis=1).tolist(),
            counted.untold().tolist(),
            votes.are_asked,
            strict=True,
        )
    ):
        state = _state(n_votes, untold, is_asked=is_asked, is_decided=labels[place] is not None)
        is_decided = state == State.DECIDED
        has_sure = sure is not None and state in (State.DECIDED, State.TIE)
        rows.append(
            Decision(
                item=item,
                label=labels[place] if is_decided else None,
                n_votes=n_votes,
                n_for=int(n_for[place]) if is_decided else 0,
                state=state,
                n_cannot_tell=untold,
                confidence=float(sure[place]) if sure is not None and has_sure else None,
                note=notes.get(place, "") if is_decided else _note(state, votes.kind),
            )
        )
    return Decisions(rows, _notes(posterior), method, telling.options, posterior)


def _state(n_votes: int, n_untold: int, *, is_asked: bool, is_decided: bool) -> State:
    if not is_asked:
        return State.NOT_ASKED
    if not n_votes:
        return State.NO_VOTES
    if n_untold and n_votes < VOTES_BESIDE_ABSTENTIONS:
        return State.TOO_FEW
    return State.DECIDED if is_decided else State.TIE


def _note(state: State, kind: Kind) -> str:
    is_of_several = state == State.TIE and kind == Kind.SEVERAL
    return "No option has more than 1/2 of the answers." if is_of_several else ""


def _several(votes: Votes, counts: Counts) -> tuple[list[str | None], list[int]]:
    """The options that more than half of the workers chose, and how many the least of them has."""
    chosen = votes.counts_of_options()
    decided = 2 * chosen > counts.sum(axis=1)[:, None]
    labels = [
        JOINED.join(np.array(votes.options, dtype=object)[of]) if of.any() else None
        for of in decided
    ]
    least = [of[is_in].min(initial=len(votes)) for of, is_in in zip(chosen, decided, strict=True)]
    return labels, least


def _of_middles(votes: Votes, counts: Counts) -> dict[int, str]:
    """Words about each item whose votes have two middles, of which the lower one stands."""
    low, high = middles(counts)
    return {
        place: f"Lower of the middles {votes.options[low[place]]} and {votes.options[high[place]]}."
        for place in np.flatnonzero(low != high).tolist()
    }


def _notes(posterior: Posterior | None) -> tuple[str, ...]:
    if posterior is None:
        return ()
    if posterior.converged:
        return (f"Converged after {posterior.iterations} rounds.",)
    return (
        f"Not converged after {posterior.iterations} rounds: with more of them labels may change.",
    )
