"""Votes that may still count, and which labels they could change."""

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

from django.db.models import Count, QuerySet

from annotation.agreement.aggregation import VOTES_BESIDE_ABSTENTIONS
from annotation.agreement.majority import majority_may_change
from annotation.labels.queries.votes import (
    abstentions_awaiting_proof,
    abstentions_that_count,
    votes_awaiting_proof,
    votes_that_count,
)
from annotation.models import Batch, HITQuery, Labelling, Vote
from annotation.models.places import with_places
from annotation.vocabulary import Category, LabelMethod, VoteState


@dataclass(frozen=True)
class VotesOut:
    """Votes on queries of the study that may still count.

    `n_unverified` wait for a panel's list, `n_to_come` are still to come. By them `n_labels` of the
    labels that the votes give now could become another; a model may move any label.
    """

    n_unverified: int
    n_to_come: int
    n_labels: int

    @property
    def warning(self) -> str:
        """Warning before a decision; empty where no votes are out."""
        out = [
            f"{number:,} {state.label}"
            for number, state in (
                (self.n_unverified, VoteState.UNVERIFIED),
                (self.n_to_come, VoteState.TO_COME),
            )
            if number
        ]
        if not out:
            return ""
        labels = "label" if self.n_labels == 1 else "labels"
        what = (
            f"could change {self.n_labels:,} {labels}" if self.n_labels else "can change no label"
        )
        return f"Votes are out: {', '.join(out)}. They {what}."


@dataclass
class _Query:
    """A query with votes out: those that count and that wait, by category; `free` may be any."""

    counts: Counter[str]
    waiting: Counter[str]
    free: int = 0
    abstained: bool = False
    may_abstain: bool = False


def votes_out(*, batch: Batch, by: Labelling | None = None) -> VotesOut:
    """The votes of the batch that are out, for labels decided so; by majority if nobody said how.

    The number of statements depends neither on the votes nor on the queries.
    """
    waiting = _by_query(votes_awaiting_proof(batch=batch))
    undecided = Counter(abstentions_awaiting_proof(batch=batch).values_list("query_id", flat=True))
    free = _free_by_query(batch)
    n_unverified = undecided.total() + sum(one.total() for one in waiting.values())
    if not (n_unverified or free):
        return VotesOut(0, 0, 0)
    counts = _by_query(votes_that_count(batch=batch))
    abstained = set(abstentions_that_count(batch=batch).values_list("query_id", flat=True))
    is_model = by is not None and by.method != LabelMethod.MAJORITY
    is_strict = by is not None and by.strict
    concerned = counts.keys() if is_model else counts.keys() & {*waiting, *undecided, *free}
    queries = [
        _Query(counts[pk], waiting[pk], free[pk], pk in abstained, bool(undecided[pk] or free[pk]))
        for pk in concerned
    ]
    labelled = [one for one in queries if _has_label(one)]
    changing = labelled if is_model else [one for one in labelled if _may_change(one, is_strict)]
    return VotesOut(n_unverified, free.total(), len(changing))


def _by_query(votes: QuerySet[Vote]) -> Mapping[int, Counter[str]]:
    found: defaultdict[int, Counter[str]] = defaultdict(Counter)
    rows = votes.order_by().values_list("query_id", "category").annotate(n=Count("pk"))
    for query, category, n in rows.iterator(20_000):
        found[query][category] = n
    return found


def _free_by_query(batch: Batch) -> Counter[int]:
    """How many places of HITs with the query are still to bring a vote."""
    hits = with_places(batch.hits.all()).filter(n_to_come__gt=0)
    n_free = dict(hits.values_list("pk", "n_to_come"))
    found: Counter[int] = Counter()
    if n_free:
        places = HITQuery.objects.filter(hit__batch=batch, query__gold="")
        for hit, query in places.order_by().values_list("hit_id", "query_id").iterator(20_000):
            found[query] += n_free.get(hit, 0)
    return +found


def _has_label(query: _Query) -> bool:
    return not query.abstained or query.counts.total() >= VOTES_BESIDE_ABSTENTIONS


def _may_change(query: _Query, strict: bool) -> bool:
    """Whether some of the votes that are out would give another label by majority."""
    few = query.counts.total() < VOTES_BESIDE_ABSTENTIONS
    if query.may_abstain and not query.abstained and few:
        return True  # one "I cannot tell", and there are too few votes for a label
    of = [query.counts[category] for category in Category.values]
    waiting = [query.waiting[category] for category in Category.values]
    return majority_may_change(of, waiting, query.free, strict=strict)
