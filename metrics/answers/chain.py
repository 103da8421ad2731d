"""The chain of a system: the groups in its list, its references, its citations, its words."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError
from ..measures.sides import sides_of
from ..runs import Run
from ..runs.qrels import lowest_relevant_grade
from ..texts.lexicon import Lexicon
from ..texts.magnitude import log1p_counts
from ..texts.scan.texts import score_texts
from ..vocabulary import Tokenizer
from .answer import Answer, FirstAnswers
from .attribution import precision_recall
from .chance import Permuted, total_variation
from .groups import Groups
from .odds import rank_bins, strata_of
from .steps import ANSWERED, CITED, LISTED, RETRIEVED, Followed, Step, follow

Array = NDArray[np.float64]
Grades = Mapping[str, Mapping[str, int]]

#: Answers that are followed at once; of many systems in turn each has a few of them.
_BLOCK = 5_000
_SHOWN = 3


@dataclass(frozen=True, eq=False)
class Chain:
    """The measurements of one system; Q queries that are in the run and have an answer.

    `shares[step]` (Q, G) and `known[step]`, the documents at the step that have a group, of
    `documents[step]`. `lean` (Q,) is log(1 + m) - log(1 + f) of the words of an answer, of the
    groups that are compared; None without a word list; `sides` names them. `variation[step]`
    (Q,) is the total variation from retrieved, plain or discounted, to cited, `by_chance[step]` its
    means under permuted citations.
    `tables[g]` (strata, 4) and `strata` (strata,), the place of the query, are for the odds of
    group g within a query and `stratum` (rank or grade). `found` (Q, 2) are precision and recall of
    the citations against the relevant documents, NaN where there are none; None without grades.
    `counts` has what makes the rest
    believable: answers, citations, citations outside of the list, ...
    """

    system: str
    qids: tuple[str, ...]
    groups: tuple[str, ...]
    shares: Mapping[str, Array]
    known: Mapping[str, int]
    documents: Mapping[str, int]
    lean: Array | None
    variation: Mapping[str, Array]
    by_chance: Mapping[str, Array]
    tables: Mapping[str, Array]
    strata: NDArray[np.int64]
    stratum: str
    counts: Mapping[str, int]
    sides: str = ""
    found: Array | None = None


@dataclass
class _Gathered:
    """The few numbers that are kept of each query, never its texts."""

    qids: list[str] = field(default_factory=list)
    shares: dict[str, list[Array]] = field(default_factory=dict)
    known: Counter[str] = field(default_factory=Counter)
    documents: Counter[str] = field(default_factory=Counter)
    lean: list[Array] = field(default_factory=list)
    tables: dict[str, list[Array]] = field(default_factory=dict)
    strata: list[NDArray[np.int64]] = field(default_factory=list)
    found: list[tuple[float, float]] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)

    def add(self, step: str, measured: Step) -> None:
        self.shares.setdefault(step, []).append(measured.shares)
        self.documents[step] += measured.n
        self.known[step] += measured.n_known


@dataclass(frozen=True)
class Terms:
    """The terms of every query: the cut-off of the list (0: all of it), and what strata are of.

    `lexicon` and `tokenizer` count the words of answers; `grades` make the strata of the odds
    query by grade instead of query by rank. `seed` draws the permuted citations.
    """

    groups: Groups
    cutoff: int = 0
    lexicon: Lexicon | None = None
    tokenizer: Tokenizer = "word"
    grades: Grades | None = None
    seed: int = 0


def chain_of(system: str, run: Run, answers: Iterable[Answer], terms: Terms) -> Chain:
    """Follow each query of one system from `run` to its answer; see `chains_of`."""
    follower = Follower(system, run, terms)
    for block in _blocks(iter(answers)):
        follower.add(block)
    return follower.chain()


def chains_of(answers: Iterable[Answer], run_of: Callable[[str], Run], terms: Terms) -> list[Chain]:
    """Follow the queries of each system from its run to its answers, which are read one by one.

    Answers to queries that the run does not have are counted, as are queries of the run without an
    answer; of two answers to one query the first counts. `InputError` where no answer of a system
    is to a query of its run, or nothing is known of any document.
    """
    followers: dict[str, Follower] = {}
    for block in _blocks(iter(answers)):
        by_system: dict[str, list[Answer]] = {}
        for answer in block:
            by_system.setdefault(answer.system, []).append(answer)
        for system, part in by_system.items():
            if system not in followers:
                followers[system] = Follower(system, run_of(system), terms)
            followers[system].add(part)
    return [follower.chain() for follower in followers.values()]


def _blocks(answers: Iterator[Answer]) -> Iterator[list[Answer]]:
    while block := list(islice(answers, _BLOCK)):
        yield block


class Follower:
    """Follows the queries of one system; keeps a few numbers of each."""

    def __init__(self, system: str, run: Run, terms: Terms) -> None:
        self._system, self._run, self._terms = system, run, terms
        self._gathered, self._permuted = _Gathered(), Permuted(terms.seed)
        self._first = FirstAnswers()
        self._strangers: list[str] = []
        self._relevant = _relevant(terms.grades or {})

    def add(self, answers: Sequence[Answer]) -> None:
        """Follow these answers, but further ones to a query that was answered before."""
        inside = [answer for answer in answers if self._is_new(answer)]
        if not inside:
            return
        terms, gathered = self._terms, self._gathered
        lists = [self._run.documents(answer.qid)[: terms.cutoff or None] for answer in inside]
        block = follow(lists, inside, terms.groups)
        for step, measured in block.steps.items():
            gathered.add(step, measured)
        gathered.counts["citations"] += block.n_citations
        gathered.counts["outside_list"] += block.n_outside
        if terms.lexicon is not None:
            _add_words(gathered, inside, terms.lexicon, terms)
        strata = (
            _rank_strata(block)
            if terms.grades is None
            else _grade_strata(terms.grades, inside, lists)
        )
        _add_tables(gathered, block, strata, terms.groups.names)
        if terms.grades is not None:
            gathered.found += [self._found(answer) for answer in inside]
        self._permuted.add(block)
        gathered.qids += [answer.qid for answer in inside]

    def _found(self, answer: Answer) -> tuple[float, float]:
        relevant = self._relevant.get(answer.qid)
        return precision_recall(answer.cited, relevant) if relevant else (np.nan, np.nan)

    def _is_new(self, answer: Answer) -> bool:
        """Count the answer and its oddities; whether it is to be followed."""
        if not self._first.has(answer):
            return False
        if answer.qid not in self._run:
            self._strangers.append(answer.qid)
        return answer.qid in self._run

    def chain(self) -> Chain:
        """The chain of the answers that were added."""
        gathered, names = self._gathered, self._terms.groups.names
        self._check()
        shares = {
            step: np.concatenate(rows)
            for step, rows in gathered.shares.items()
            if gathered.documents[step] or step in {*LISTED, CITED}
        }
        counts = gathered.counts + self._first.counts
        counts["answers"] = len(gathered.qids)
        counts["not_in_run"] = len(self._strangers)
        counts["without_answer"] = len(set(self._run.qids) - set(gathered.qids))
        return Chain(
            self._system,
            tuple(gathered.qids),
            names,
            shares,
            gathered.known,
            gathered.documents,
            np.concatenate(gathered.lean) if gathered.lean else None,
            {step: total_variation(shares[CITED], shares[step]) for step in LISTED},
            self._permuted.means(),
            {group: np.concatenate(tables) for group, tables in gathered.tables.items()},
            np.concatenate(gathered.strata),
            "rank" if self._terms.grades is None else "grade",
            counts,
            _sides(self._terms.lexicon),
            np.array(gathered.found).reshape(-1, 2) if self._terms.grades is not None else None,
        )

    def _check(self) -> None:
        if not self._gathered.qids:
            raise InputError(
                f"no answer of {self._system} is to a query of the run {self._run.name}.",
                remedy=f"The answers have {_some(self._strangers)}, "
                f"the run {_some(self._run.qids)}.",
            )
        if not (self._gathered.known[RETRIEVED] or self._gathered.known[CITED]):
            raise InputError(
                f"no document of {self._system} has a group.",
                remedy=f"The run has {_some(self._run.documents(self._gathered.qids[0]))}, "
                f"the labels or texts have {_some(self._terms.groups.example)}.",
            )


def _relevant(grades: Grades) -> dict[str, set[str]]:
    """The relevant documents of each query, by the convention of the judgments."""
    least = lowest_relevant_grade(grades)
    return {
        qid: {docno for docno, grade in of_query.items() if grade >= least}
        for qid, of_query in grades.items()
    }


def _sides(lexicon: Lexicon | None) -> str:
    pair = sides_of(lexicon.groups) if lexicon else None
    return f"{pair[1]} - {pair[0]}" if pair else ""


def _some(ids: Sequence[str]) -> str:
    return ", ".join(ids[:_SHOWN]) or "none"


def _add_words(
    gathered: _Gathered, answers: Sequence[Answer], lexicon: Lexicon, terms: Terms
) -> None:
    """Add the group words of answers: their shares, and of two groups the lean."""
    scores = score_texts([answer.text for answer in answers], lexicon, terms.tokenizer)
    words = np.stack([scores.tc[group] for group in lexicon.groups], axis=1)
    if lexicon.groups == terms.groups.names:
        totals = words.sum(axis=1, keepdims=True)
        shares = np.full(words.shape, np.nan)
        np.divide(words, totals, out=shares, where=totals > 0)
        # Of answers without a group word nothing is missing: they are not documents.
        n = int((totals > 0).sum())
        gathered.add(ANSWERED, Step(shares, n, n))
    if pair := sides_of(lexicon.groups):
        low, high = (log1p_counts(words[:, lexicon.groups.index(group)]) for group in pair)
        gathered.lean.append(high - low)


def _rank_strata(block: Followed) -> NDArray[np.int64]:
    """The rank bin of each listed document."""
    longest = int(block.listed.rank.max()) + 1 if len(block.listed.rank) else 0
    bins: NDArray[np.int64] = rank_bins(longest)[block.listed.rank]
    return bins


def _grade_strata(
    grades: Grades, answers: Sequence[Answer], lists: Sequence[Sequence[str]]
) -> NDArray[np.int64]:
    """The grade of each listed document, 0 for one that nobody judged, as numbers from 0."""
    graded = [
        grades.get(answer.qid, {}).get(docno, 0)
        for answer, listed in zip(answers, lists, strict=True)
        for docno in listed
    ]
    numbers: NDArray[np.int64] = np.unique(np.array(graded), return_inverse=True)[1]
    return numbers


def _add_tables(
    gathered: _Gathered, block: Followed, strata: NDArray[np.int64], groups: Sequence[str]
) -> None:
    """Add the tables of every query and stratum, for each group against all others."""
    known = block.listed.known
    n_strata = int(strata.max()) + 1 if len(strata) else 1
    key = (block.listed.of * n_strata + strata)[known]
    largest = np.nan_to_num(block.listed.shares[known]).argmax(axis=1)
    n_tables = block.listed.n_queries * n_strata
    for place, group in enumerate(groups):
        tables = strata_of(largest == place, block.is_cited[known], key, n_tables)
        gathered.tables.setdefault(group, []).append(tables)
    queries = np.arange(block.listed.n_queries) + len(gathered.qids)
    gathered.strata.append(np.repeat(queries, n_strata))
