"""Labels of pairs of query and passage as judgments that measures read: of people and of models."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from annotation.core.counting import counted
from annotation.labels.queries.judgments import check_is_of_pairs, labels_by
from annotation.labels.queries.raters import rater_question
from annotation.labels.queries.votes import study_queries
from annotation.models import Batch, DrawnSample, ModelRater
from annotation.reports.queries.chances import chances_of
from annotation.schemes import Question
from annotation.vocabulary import SampleDesign
from metrics.errors import InputError
from metrics.io.pair_ids import split_pair_id
from metrics.measures.base import Qrels
from metrics.results.designs import Design
from metrics.results.judgments import Kind, PartlyJudged
from metrics.runs.qrels import LEANS

#: The side that a passage leans to by its code; one of both genders leans to neither.
_LEANS = LEANS | {"b": LEANS["both"]}

_KINDS: Mapping[Kind, str] = {"qrels": "relevance", "passages": "gender of passages"}


@dataclass(frozen=True)
class PairLabels:
    """Labels of pairs: relevance (`qrels`), or the gender of passages (`passages`)."""

    kind: Kind
    values: Qrels


@dataclass(frozen=True)
class ReportJudgments:
    """The labels of pairs that a report reads: of batches by a rule, and of models."""

    batches: Sequence[Batch]
    rule: str
    raters: Sequence[ModelRater]

    @cached_property
    def people(self) -> Mapping[Kind, Qrels]:
        return _by_kind([of_people(batch, self.rule) for batch in self.batches], "batches")

    @cached_property
    def models(self) -> Mapping[Kind, Qrels]:
        return _by_kind([of_model(rater) for rater in self.raters], "models")

    @property
    def partly_judged(self) -> PartlyJudged | None:
        """Rule for queries that people judged in part: of labels of a batch, to leave them out.

        A pair without a label was decided by nobody, or is a tie; of a study's own qrels the rule
        is that of their pool.
        """
        return "skip" if self.batches else None

    @property
    def design(self) -> Design | None:
        """By the chances of pairs that were drawn one by one, or of whole queries that were drawn.

        None for a batch that was not drawn: then its queries are not a random sample of others. A
        study's own qrels are taken for one, which a notice says.
        """
        if not self.batches:
            return Design()
        _, chances = chances_of(self.batches[:1])
        whole = DrawnSample.objects.filter(
            pool__in=[batch.pool_id for batch in self.batches[:1]], design=SampleDesign.QUERIES
        )
        if whole.exists():
            return Design()
        if not chances:
            return None
        pairs: dict[str, dict[str, float]] = {}
        for item, chance in chances.items():
            qid, docno = split_pair_id(item)
            pairs.setdefault(qid, {})[docno] = chance
        return Design(pairs=pairs)

    @cached_property
    def notices(self) -> list[str]:
        """Sentences about the pairs of batches that have no label by the rule."""
        notices = []
        for batch in self.batches:
            question = batch.scheme.subset_question
            n_labels = len(labels_by(self.rule, batch=batch, question=question))
            if n_open := study_queries(batch=batch).count() - n_labels:
                notices.append(
                    f"{counted(n_open, 'pair')} of {batch.name!r} without a label, because "
                    "people were tied or nobody answered, are not judged here. The others are a "
                    "random sample only if the reason has nothing to do with the label; "
                    "adjudicate these pairs."
                )
        return notices

    @property
    def inputs(self) -> dict[str, Any]:
        """Their names, for the provenance of a report; nothing where there are none."""
        if not (self.batches or self.raters):
            return {}
        return {
            "judgments": [batch.name for batch in self.batches],
            "judged_by": self.rule,
            "judges": [rater.name for rater in self.raters],
        }


def of_people(batch: Batch, rule: str) -> PairLabels:
    """The labels of a batch of pairs by a rule of the export of qrels."""
    check_is_of_pairs(batch=batch)
    question = batch.scheme.subset_question
    labels = labels_by(rule, batch=batch, question=question)
    return _labels(question, ((label.item_id, label.label) for label in labels))


def of_model(rater: ModelRater) -> PairLabels:
    """The labels of pairs that a model gave."""
    known = rater.labels.exclude(category=None)
    pairs = ((qid, str(code)) for qid, code in known.values_list("qid", "category"))
    return _labels(rater_question(rater), pairs)


def check_judgments(judgments: ReportJudgments, *, has_qrels: bool, cutoff: int) -> None:
    """`InputError` for labels that give no figure at this cut-off.

    Those of a model give none where people labelled nothing of their kind, and single pairs that
    were drawn none below the depth of their pool, as those have no chance to be drawn.
    """
    pool = judgments.batches[0].pool if judgments.batches else None
    design = judgments.design
    if pool and judgments.raters and design and design.pairs and pool.cutoff < cutoff:
        raise InputError(
            f"single pairs were drawn of the first {pool.cutoff:,} passages of each query, and the "
            f"report looks at {cutoff:,}.",
            remedy=f"Choose cut-offs up to {pool.cutoff:,}, or judge whole queries, or pairs of a "
            "deeper pool.",
        )
    for kind in judgments.models:
        if kind not in judgments.people and not (kind == "qrels" and has_qrels):
            raise InputError(
                f"a model's {_KINDS[kind]} alone gives no interval: people judged no pair.",
                remedy="Choose the batch in which people judged some of the pairs, too.",
            )


def kind_of(question: Question) -> Kind | None:
    """Kind of judgments that its labels are to measures; None where they are none."""
    if question.grades:
        return "qrels"
    return "passages" if _LEANS.keys() >= set(question.codes) else None


def _labels(question: Question, labels: Iterable[tuple[str, str]]) -> PairLabels:
    kind = kind_of(question)
    if kind is None:
        raise InputError(
            f"no measure can use the options of {question.name!r} ({', '.join(question.codes)}).",
            remedy="Measures read grades, and the genders n, f, m and b of passages.",
        )
    number: Mapping[str, int] = question.grades if kind == "qrels" else _LEANS
    values: dict[str, dict[str, int]] = {}
    for item, code in labels:
        qid, docno = split_pair_id(item)
        values.setdefault(qid, {})[docno] = number[code]
    return PairLabels(kind, values)


def _by_kind(labels: Sequence[PairLabels], what: str) -> dict[Kind, Qrels]:
    """The labels by their kind; `InputError` for two of a kind."""
    by_kind: dict[Kind, Qrels] = {}
    for pairs in labels:
        if pairs.kind in by_kind:
            raise InputError(
                f"two {what} have the {_KINDS[pairs.kind]}.", remedy="Choose one of them."
            )
        by_kind[pairs.kind] = pairs.values
    return by_kind
