"""Deciding labels again when other votes count, and the changes."""

from collections import Counter
from dataclasses import dataclass, field

from annotation.core.counting import counted
from annotation.labels.operations.decide import batch_label
from annotation.labels.queries.questions import closed_question, label_words
from annotation.labels.queries.votes import votes_that_count
from annotation.models import Batch, Label, Labelling
from annotation.schemes import Question
from annotation.vocabulary import LabelMethod


@dataclass(frozen=True)
class LabelChanges:
    """Changes of standing labels, counted by the words for before and after.

    `is_decided` says whether labels were decided at all.
    """

    is_decided: bool = False
    counts: Counter[tuple[str, str]] = field(default_factory=Counter)

    @property
    def n_changed(self) -> int:
        return self.counts.total()

    @property
    def in_words(self) -> str:
        """Say how many labels changed, and which."""
        if not self.is_decided:
            return "Labels are not decided yet."
        if not self.counts:
            return "No label of this batch changed."
        which = ", ".join(
            f"{n:,} from {before} to {after}" for (before, after), n in self.counts.most_common()
        )
        return f"{counted(self.n_changed, 'label')} of this batch changed: {which}."


def decide_again(*, batch: Batch, actor: str) -> LabelChanges:
    """Decide the labels of a batch once more, question by question as each was decided before."""
    decided = list(Labelling.objects.filter(batch=batch).order_by("pk"))
    counts: Counter[tuple[str, str]] = Counter()
    for labelling in decided:
        if labelling.method != LabelMethod.RELEASED:
            counts += _changes(labelling, actor)
    return LabelChanges(is_decided=bool(decided), counts=counts)


def _changes(labelling: Labelling, actor: str) -> Counter[tuple[str, str]]:
    batch = labelling.batch
    question = closed_question(batch=batch, name=labelling.question)
    before = _standing(batch, question)
    if votes_that_count(batch=batch, question=question.name).exists():
        batch_label(
            batch=batch,
            question=question.name,
            method=labelling.method,
            strict=labelling.strict,
            seed=labelling.seed,
            actor=actor,
            only_if_changed=True,
        )
    else:
        Label.objects.filter(
            query__batch=batch, question=question.name, method=labelling.method
        ).delete()
    after = _standing(batch, question)
    none = "no label"
    pairs = ((before.get(query, none), after.get(query, none)) for query in before | after)
    return Counter(pair for pair in pairs if pair[0] != pair[1])


def _standing(batch: Batch, question: Question) -> dict[int, str]:
    """Return the standing label of each query by its key, in words."""
    labels = Label.objects.standing_for(batch, question.name)
    return {
        query: label_words(question, value).lower()
        for query, value in labels.values_list("query_id", "value")
    }
