"""Deciding labels again once other votes count than before, and what that changed."""

from collections import Counter
from dataclasses import dataclass, field

from annotation.labels.operations.decide import batch_label
from annotation.labels.queries.votes import votes_that_count
from annotation.models import Batch, Label, Labelling
from annotation.vocabulary import Category, LabelMethod


@dataclass(frozen=True)
class LabelChanges:
    """How many labels that stand changed, by what they were and what they are; "" is no label.

    `is_decided` says whether labels were decided at all.
    """

    is_decided: bool = False
    counts: Counter[tuple[str, str]] = field(default_factory=Counter)

    @property
    def n_changed(self) -> int:
        return self.counts.total()

    @property
    def in_words(self) -> str:
        """How many labels changed, and which."""
        if not self.is_decided:
            return "Labels are not decided yet."
        if not self.counts:
            return "No label of this batch changed."
        labels = "label" if self.n_changed == 1 else "labels"
        which = ", ".join(
            f"{n:,} from {_name(before)} to {_name(after)}"
            for (before, after), n in self.counts.most_common()
        )
        return f"{self.n_changed:,} {labels} of this batch changed: {which}."


def decide_again(*, batch: Batch, actor: str) -> LabelChanges:
    """Decide the labels of a batch once more, by its method; nothing where none were decided."""
    labelling = Labelling.objects.filter(batch=batch).first()
    if labelling is None:
        return LabelChanges()
    if labelling.method == LabelMethod.RELEASED:
        return LabelChanges(is_decided=True)
    before = _standing(batch)
    if votes_that_count(batch=batch).exists():
        batch_label(
            batch=batch,
            method=labelling.method,
            strict=labelling.strict,
            seed=labelling.seed,
            actor=actor,
        )
    else:
        Label.objects.filter(query__batch=batch, method=labelling.method).delete()
    after = _standing(batch)
    pairs = ((before.get(query, ""), after.get(query, "")) for query in before | after)
    return LabelChanges(is_decided=True, counts=Counter(one for one in pairs if one[0] != one[1]))


def _standing(batch: Batch) -> dict[int, str]:
    """The label that stands for each query by the query's key."""
    labels = Label.objects.standing().filter(query__batch=batch)
    return dict(labels.values_list("query_id", "value"))


def _name(label: str) -> str:
    return Category(label).label.lower() if label in Category.values else label or "no label"
