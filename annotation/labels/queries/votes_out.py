"""Votes that may still count, and the labels that they could change."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.db.models import Count, QuerySet

from annotation.core.counting import counted
from annotation.labels.queries.votes import (
    abstentions_awaiting_proof,
    abstentions_that_count,
    votes_awaiting_proof,
    votes_that_count,
)
from annotation.models import Batch, Choice, HITQuery, Labelling, Vote
from annotation.models.places import with_places
from annotation.schemes import Question
from annotation.vocabulary import LabelMethod, VoteState
from metrics.votes.majority import VOTES_BESIDE_ABSTENTIONS, majority_may_change


@dataclass(frozen=True)
class VotesOut:
    """Votes on queries of the study that may still count.

    `n_unverified` wait for a panel's list, `n_to_come` are still to come. They could change
    `n_labels` of the present labels; for a model, any label.
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
        labels = counted(self.n_labels, "label")
        what = f"could change {labels}" if self.n_labels else "can change no label"
        return f"Votes are out: {', '.join(out)}. They {what}."


@dataclass
class _Query:
    """A query with votes out: those that count and that wait, by category; `free` may be any."""

    counts: Counter[str]
    waiting: Counter[str]
    free: int = 0
    abstained: bool = False
    may_abstain: bool = False


def votes_out(*, batch: Batch, question: Question, by: Labelling | None = None) -> VotesOut:
    """Return the outstanding votes, for labels decided by this method, by default majority.

    Any label of a question that is not nominal may change, as with a model.

    The number of statements depends neither on the votes nor on the queries.
    """
    waiting = _by_query(votes_awaiting_proof(batch=batch), question)
    undecided = Counter(abstentions_awaiting_proof(batch=batch).values_list("query_id", flat=True))
    free = _free_by_query(batch)
    n_unverified = undecided.total() + sum(votes.total() for votes in waiting.values())
    if not (n_unverified or free):
        return VotesOut(0, 0, 0)
    counts = _by_query(votes_that_count(batch=batch), question)
    abstained = set(abstentions_that_count(batch=batch).values_list("query_id", flat=True))
    by_model = by is not None and by.method != LabelMethod.MAJORITY
    is_model = by_model or not question.is_nominal
    is_strict = by is not None and by.strict
    concerned = counts.keys() if is_model else counts.keys() & {*waiting, *undecided, *free}
    queries = [
        _Query(counts[pk], waiting[pk], free[pk], pk in abstained, bool(undecided[pk] or free[pk]))
        for pk in concerned
    ]
    labelled = [query for query in queries if _has_label(query)]
    codes = question.codes
    changing = [query for query in labelled if is_model or _may_change(query, codes, is_strict)]
    return VotesOut(n_unverified, free.total(), len(changing))


def _by_query(votes: QuerySet[Vote], question: Question) -> Mapping[int, Counter[str]]:
    counts: defaultdict[int, Counter[str]] = defaultdict(Counter)
    choices = Choice.objects.options().filter(vote__in=votes, question=question.name).order_by()
    rows = choices.values_list("vote__query_id", "option").annotate(n=Count("pk"))
    for query, category, n in rows.iterator(20_000):
        counts[query][category] = n
    return counts


def _free_by_query(batch: Batch) -> Counter[int]:
    """Count, by query, the places of HITs that are still to bring a vote."""
    hits = with_places(batch.hits.all()).filter(n_to_come__gt=0)
    n_free = dict(hits.values_list("pk", "n_to_come"))
    n_by_query: Counter[int] = Counter()
    if n_free:
        places = HITQuery.objects.filter(hit__batch=batch, query__gold="")
        for hit, query in places.order_by().values_list("hit_id", "query_id").iterator(20_000):
            n_by_query[query] += n_free.get(hit, 0)
    return +n_by_query


def _has_label(query: _Query) -> bool:
    return not query.abstained or query.counts.total() >= VOTES_BESIDE_ABSTENTIONS


def _may_change(query: _Query, codes: Sequence[str], strict: bool) -> bool:
    """Return whether outstanding votes could change the label by majority."""
    few = query.counts.total() < VOTES_BESIDE_ABSTENTIONS
    if query.may_abstain and not query.abstained and few:
        return True  # one "I cannot tell", and there are too few votes for a label
    of = [query.counts[code] for code in codes]
    waiting = [query.waiting[code] for code in codes]
    return majority_may_change(of, waiting, query.free, strict=strict)
