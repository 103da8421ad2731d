"""Plan of a batch: its queries in their fixed order, cut into HITs, and their cost.

Nothing is written here, so that a plan can be shown before anybody decides.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cached_property
from itertools import pairwise
from typing import TypeVar

from annotation import task_page
from annotation.batches.operations.gold import known_answer
from annotation.batches.operations.terms import MOST, PlannedQuery
from annotation.batches.operations.terms import CreateBatchParameters as Defaults
from annotation.core.counting import plural
from annotation.core.parameters import TermError
from annotation.crowd.pricing import unit_price
from annotation.crowd.qualifications import WorkerConditions, condition_problems
from annotation.crowd.questions import MAX_BYTES, html_question, size_in_bytes
from annotation.crowd.terms import Terms, hit_problems, term_problems
from annotation.models import BatchQuery
from annotation.schemes import Scheme
from annotation.task_page import PageTexts
from annotation.vocabulary import LONGEST_ID
from metrics.errors import InputError
from metrics.io.pair_ids import split_pair_id
from pooling.models import Pool

__all__ = [
    "BatchPlan",
    "PlannedQuery",
    "WorkerConditions",
    "condition_problems",
    "question_of",
    "shared_out",
    "shown_items",
]

Query = TypeVar("Query")

#: Most bytes of one character on a page, where it may be written as `&#1114109;`.
_MOST_BYTES = 10


@dataclass(frozen=True)
class BatchPlan:
    """Everything that a batch is made of; `create_batch` stores it."""

    name: str
    queries: Sequence[PlannedQuery]
    reward: Decimal = Defaults.reward
    assignments_per_hit: int = Defaults.assignments_per_hit
    queries_per_hit: int = Defaults.queries_per_hit
    lifetime_seconds: int = Defaults.lifetime_seconds
    duration_seconds: int = Defaults.duration_seconds
    auto_approval_seconds: int = Defaults.auto_approval_seconds
    seed: int = Defaults.seed
    together: bool = Defaults.together
    budget: Decimal | None = Defaults.budget
    title: str = Defaults.title
    description: str = Defaults.description
    keywords: str = Defaults.keywords
    conditions: WorkerConditions = field(default_factory=WorkerConditions)
    texts: PageTexts = field(default_factory=PageTexts)
    comprehension: Sequence[PlannedQuery] = ()
    comprehension_question: str = ""
    pool: Pool | None = None
    suggested_by: str = Defaults.suggested_by
    #: Queries left out because they are in an earlier batch or have a label.
    n_left_out: int = 0
    #: Size of the page of a HIT, where the batch will be published.
    most_bytes: int = MAX_BYTES

    @property
    def item_noun(self) -> str:
        """Noun of what the batch asks about."""
        return self.texts.scheme.item_noun

    def check(self) -> None:
        """Raise `InputError` for the first thing that makes the batch impossible."""
        self.check_terms()
        self.check_pages()

    def check_terms(self) -> None:
        """Check everything but the HITs' pages, with the errors of `check`."""
        if not self.name.strip():
            raise TermError("name", "the batch has no name.", remedy="Give one.")
        for what, value in (
            ("queries_per_hit", self.queries_per_hit),
            ("assignments_per_hit", self.assignments_per_hit),
        ):
            if not 1 <= value <= MOST:
                wrong = f"{value} {what.replace('_', ' ')}."
                raise TermError(what, wrong, remedy="Ask for at least 1, at most 1,000.")
        if not self.queries:
            raise InputError(
                f"the batch has no {self.item_noun} to label.",
                remedy=f"Choose other {plural(self.item_noun)}.",
            )
        _check_queries(self.queries, self.texts.scheme)
        problems = term_problems(self.terms) + condition_problems(self.conditions)
        if problems:
            raise InputError(f"{'; '.join(problems)}.", remedy="Change the batch's terms.")
        if any(not query.gold for query in self.comprehension):
            raise InputError("a query of the comprehension check has no known answer.")
        if self.budget is not None and self.cost > self.budget:
            raise TermError(
                "budget",
                f"the batch costs {self.cost} USD, more than its budget of {self.budget} USD.",
                remedy="Raise the budget, or lower the reward or the number of assignments or "
                f"{plural(self.item_noun)}.",
            )

    def check_pages(self) -> None:
        """Check the first HIT's page, and those of later HITs that may be too large."""
        empty = question_of([("", "")] * self.queries_per_hit, self.texts)
        room = self.most_bytes - size_in_bytes(empty)
        for index, queries in enumerate(self.pages):
            n_characters = sum(len("".join(item)) for item in shown_items(queries))
            if index == 0 or n_characters * _MOST_BYTES > room:
                self._check_page(index, queries)

    @property
    def terms(self) -> Terms:
        """The terms of its HITs, in the words of the scheme where nobody wrote others."""
        scheme = self.texts.scheme
        return Terms(
            title=self.title or scheme.hit_title or scheme.title,
            description=self.description
            or scheme.hit_description
            or scheme.instructions
            or scheme.title,
            keywords=self.keywords
            or scheme.hit_keywords
            or f"search, {scheme.about}, text, annotation",
            reward=self.reward,
            duration_seconds=self.duration_seconds,
            auto_approval_seconds=self.auto_approval_seconds,
        )

    @cached_property
    def ordered(self) -> list[PlannedQuery]:
        """The queries in an order that depends on the seed and their ids, and on nothing else."""

        def key(query: PlannedQuery) -> tuple[tuple[str, str], ...]:
            ids = (split_pair_id(query.qid)[0], query.qid) if self.together else (query.qid,)
            return tuple(_shuffle_key(self.seed, name) for name in ids)

        return sorted(self.queries, key=key)

    @property
    def pages(self) -> list[Sequence[PlannedQuery]]:
        """The queries of each HIT."""
        return shared_out(self.ordered, most=self.queries_per_hit)

    @property
    def n_hits(self) -> int:
        return -(-len(self.queries) // self.queries_per_hit)

    @property
    def queries_each(self) -> str:
        """Number of queries on a HIT, in words: `9`, or `8 to 9`."""
        least, most = len(self.queries) // self.n_hits, -(-len(self.queries) // self.n_hits)
        return f"{least}" if least == most else f"{least} to {most}"

    @property
    def cost(self) -> Decimal:
        """Reward and fee of every assignment, in US dollars."""
        return self.n_hits * self.assignments_per_hit * self.unit_cost

    @property
    def unit_cost(self) -> Decimal:
        """Reward and fee of one assignment, in US dollars."""
        return unit_price(
            self.reward, assignments=self.assignments_per_hit, masters=self.conditions.masters
        )

    @property
    def rewards(self) -> Decimal:
        """The workers' part of the cost."""
        return self.n_hits * self.assignments_per_hit * self.reward

    def _check_page(self, index: int, queries: Sequence[PlannedQuery]) -> None:
        problems = hit_problems(
            question=question_of(shown_items(queries), self.texts),
            most_bytes=self.most_bytes,
            annotation="",
            token="-",  # noqa: S106 - a place holder: the real ones are made when it is stored
            lifetime_seconds=self.lifetime_seconds,
            max_assignments=self.assignments_per_hit,
        )
        if problems:
            longest = max(queries, key=lambda query: len(query.text) + len(query.passage))
            what, fit = self.item_noun, self._n_fitting(longest)
            fewer = f"Put fewer {plural(what)} on" if fit != 1 else "Let one be on"
            raise TermError(
                "queries_per_hit",
                f"HIT {index + 1} cannot be published: {'; '.join(problems)}. Its longest {what} "
                f"is {longest.qid!r}, and {fit or 'none'} of that length would fit.",
                remedy=f"{f'{fewer} a HIT' if fit else 'Shorten it'}, or leave that {what} out.",
            )

    def _n_fitting(self, query: PlannedQuery) -> int:
        """The number of queries as long as this one that fit on the page of a HIT."""
        alone, twice = (
            size_in_bytes(question_of(shown_items([query] * n), self.texts)) for n in (1, 2)
        )
        most = self.most_bytes
        return (most - alone) // (twice - alone) + 1 if alone <= most else 0


def shared_out(queries: Sequence[Query], *, most: int) -> list[Sequence[Query]]:
    """Split `queries`, in order, into the fewest parts within the limit.

    Sizes differ by at most one, since all HITs of a batch pay the same.
    """
    n, n_parts = len(queries), -(-len(queries) // most)
    edges = [-(-n * part // n_parts) for part in range(n_parts + 1)] if n else []
    return [queries[start:end] for start, end in pairwise(edges)]


def shown_items(queries: Sequence[PlannedQuery | BatchQuery]) -> list[task_page.Shown]:
    """Ids and texts of queries or pairs, for the page of a HIT."""
    return [(query.qid, query.text, query.passage) for query in queries]


def question_of(queries: Sequence[task_page.Shown], texts: PageTexts) -> str:
    """Return the `Question` of a HIT with these queries or pairs."""
    return html_question(task_page.render(queries, texts))


def _check_queries(queries: Sequence[PlannedQuery], scheme: Scheme) -> None:
    seen, noun = set[str](), scheme.item_noun
    for query in queries:
        if query.qid in seen:
            raise InputError(f"{noun} {query.qid!r} comes twice.", remedy="Keep one of them.")
        seen.add(query.qid)
        if not query.qid or len(query.qid) > LONGEST_ID:
            raise InputError(
                f"the id of {noun} {query.qid[:50]!r} is empty or over {LONGEST_ID} characters."
            )
        if not task_page.printable(query.text):
            raise InputError(
                f"{noun} {query.qid!r} has no text.", remedy="Give its text, or leave it out."
            )
        if query.gold:
            known_answer(query.qid, query.gold, scheme)


def _shuffle_key(seed: int, qid: str) -> tuple[str, str]:
    # A hash is the same in every version of Python, which a random generator does not promise.
    return hashlib.sha256(f"{seed}\t{qid}".encode("utf-8", "surrogatepass")).hexdigest(), qid
