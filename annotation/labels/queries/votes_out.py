"""Votes that may still count, and the labels that they could change."""

from collections import Counter
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from annotation.core.counting import counted
from annotation.labels.queries.votes import votes_on, workers_awaiting_proof
from annotation.models import Batch, HITQuery, Label, Labelling
from annotation.models.places import with_places
from annotation.schemes import Question
from annotation.vocabulary import LabelMethod, VoteState
from metrics.votes.deciding import MAJORITY
from metrics.votes.majority import VOTES_BESIDE_ABSTENTIONS, majority_may_change
from metrics.votes.table import Votes


@dataclass(frozen=True)
class VotesOut:
    """Votes on queries of the study that may still count.

    `n_unverified` wait for a panel's list, `n_to_come` are still to come. They could change
    `n_labels` of the present labels; for a model, any label; none that a file or a person decided.
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


def votes_out(*, batch: Batch, question: Question, by: Labelling | None = None) -> VotesOut:
    """Return the outstanding votes, for labels decided by this method, by default majority.

    Any label of a question that is not nominal may change, as with a model.

    The number of statements depends neither on the votes nor on the queries.
    """
    unproved = workers_awaiting_proof(batch=batch)
    free_by_query = _free_by_query(batch)
    if not (unproved or free_by_query):
        return VotesOut(0, 0, 0)
    votes = votes_on(batch=batch, question=question)
    are_unproved = np.array([name in unproved for name in votes.workers], dtype=bool)
    waiting = votes.kept(are_unproved[votes.worker])
    free = np.array([free_by_query[qid] for qid in votes.items], dtype=np.int64)
    counts = votes.counted().counts()
    has_untold, n_votes = votes.counted().untold() > 0, counts.sum(axis=1)
    are_labelled = (n_votes > 0) & (~has_untold | (n_votes >= VOTES_BESIDE_ABSTENTIONS))
    are_labelled &= ~_are_decided(batch, question, votes, by)
    if question.is_nominal and (by is None or by.method == MAJORITY):
        to_come = waiting.counts()
        may_abstain = (waiting.untold() > 0) | (free > 0)
        # One "I cannot tell", and there are too few votes for a label.
        may_change = may_abstain & ~has_untold & (n_votes < VOTES_BESIDE_ABSTENTIONS)
        for place in np.flatnonzero(are_labelled & ~may_change & (to_come.any(axis=1) | free > 0)):
            may_change[place] = majority_may_change(
                counts[place].tolist(),
                to_come[place].tolist(),
                int(free[place]),
                strict=by is not None and by.strict,
            )
        are_labelled &= may_change
    return VotesOut(len(waiting), free_by_query.total(), int(are_labelled.sum()))


def _are_decided(
    batch: Batch, question: Question, votes: Votes, by: Labelling | None
) -> npt.NDArray[np.bool_]:
    """Mark the queries with a label that no vote changes: imported as decided, or adjudicated."""
    if by is not None and by.method == LabelMethod.RELEASED:
        return np.ones(len(votes.items), dtype=bool)
    labels = Label.objects.filter(query__batch=batch, question=question.name)
    by_people = labels.filter(method=LabelMethod.ADJUDICATED).order_by()
    decided = set(by_people.values_list("query__qid", flat=True))
    return np.array([qid in decided for qid in votes.items], dtype=bool)


def _free_by_query(batch: Batch) -> Counter[str]:
    """Count, by the query's id, the places of HITs that are still to bring a vote."""
    hits = with_places(batch.hits.all()).filter(n_to_come__gt=0)
    n_free = dict(hits.values_list("pk", "n_to_come"))
    n_by_query: Counter[str] = Counter()
    if n_free:
        places = HITQuery.objects.filter(hit__batch=batch, query__gold="")
        for hit, query in places.order_by().values_list("hit_id", "query__qid").iterator(20_000):
            n_by_query[query] += n_free.get(hit, 0)
    return +n_by_query
