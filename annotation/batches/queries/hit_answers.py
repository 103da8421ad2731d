"""Answers of the published HITs of a batch, and those still missing."""

from collections import Counter
from dataclasses import dataclass

from django.db.models import Count, Q

from annotation.labels.queries.scheme_results import scheme_results
from annotation.models import HIT, Batch, HITQuery
from annotation.vocabulary import AssignmentState
from metrics.votes.majority import VOTES_BESIDE_ABSTENTIONS


@dataclass(frozen=True)
class HITAnswers:
    """A HIT with the number of all its answers and of the good ones.

    `n_votes_lacking` is the most votes that one of its queries lacks because somebody could not
    tell.
    """

    hit: HIT
    n_all: int
    n_good: int
    n_votes_lacking: int

    def needed(self, goal: int) -> int:
        """Return the number of good answers to aim for if the batch's goal is `goal` per HIT.

        Half of a HIT that was split keeps its own target. A HIT that has all its answers, but lacks
        votes because of "I cannot tell", needs as many more.
        """
        target = self.hit.target_answers
        is_usual = target == self.hit.batch.assignments_per_hit
        return max(goal if is_usual else 0, target, self.n_good + self.n_votes_lacking)


def hit_answers(*, batch: Batch) -> list[HITAnswers]:
    """The published HITs in order, each with its answers."""
    good = Q(assignments__problem="") & ~Q(assignments__state=AssignmentState.REJECTED)
    hits = batch.hits.filter(hit_id__isnull=False).annotate(
        n_all=Count("assignments"), n_good=Count("assignments", filter=good)
    )
    lacking = _votes_lacking(batch)
    return [
        HITAnswers(hit, hit.n_all, hit.n_good, lacking[hit.pk]) for hit in hits.order_by("index")
    ]


def _votes_lacking(batch: Batch) -> Counter[int]:
    """Count, by HIT, the votes that its queries lack for a label because of "I cannot tell".

    A question that a query is not asked, by earlier decisions, lacks none.
    """
    by_query: Counter[str] = Counter()
    for of in scheme_results(batch=batch).votes.values():
        votes = of.counted()
        lacking = VOTES_BESIDE_ABSTENTIONS - votes.counts().sum(axis=1)
        lacking[(votes.untold() == 0) | ~votes.are_asked] = 0
        by_query |= Counter(dict(zip(votes.items, lacking.tolist(), strict=True)))
    by_hit: Counter[int] = Counter()
    places = HITQuery.objects.filter(hit__batch=batch).order_by()
    for hit, qid in places.values_list("hit_id", "query__qid").iterator(20_000):
        by_hit[hit] = max(by_hit[hit], by_query[qid])
    return by_hit
