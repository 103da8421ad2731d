"""Agreement of a batch, as commands, pages and the API show it."""

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

from annotation.core.parameters import parameter
from annotation.labels.queries.questions import closed_question
from annotation.labels.queries.scheme_results import scheme_results
from annotation.labels.queries.votes import question_votes
from annotation.models import Batch
from annotation.schemes import LONGEST_NAME, Question
from metrics.vocabulary import LARGEST_SEED, LEVEL, RESAMPLES
from metrics.votes.agreeing import agree
from metrics.votes.agreement import Agreement, as_dict
from metrics.votes.intervals import LEAST_RESAMPLES, MOST_RESAMPLES, IntervalMethod
from metrics.votes.table import Votes


@dataclass(frozen=True, kw_only=True)
class AgreementParameters:
    """Whose agreement, and what its intervals suppose."""

    question: str = parameter(
        "",
        max_length=LONGEST_NAME,
        allow_blank=True,
        help_text="Name of a question with options; left out, each of the batch.",
    )
    strict: bool = parameter(
        False, help_text="Majority needs more than half of a query's votes, not just the most."
    )
    interval: str = parameter(
        IntervalMethod.QUERIES_AND_WORKERS.value,
        choices=[(method.value, method.value) for method in IntervalMethod],
        help_text="What the intervals take as drawn at random: with `queries`, they hold for "
        "these workers only.",
    )
    resamples: int = parameter(
        RESAMPLES,
        min_value=LEAST_RESAMPLES,
        max_value=MOST_RESAMPLES,
        help_text="Resamples of the bootstrap over queries alone.",
    )
    level: float = parameter(
        LEVEL, min_value=0.5, max_value=0.999, help_text="Level of the intervals."
    )
    seed: int = parameter(
        0, min_value=0, max_value=LARGEST_SEED, help_text="Seed of that bootstrap."
    )


@dataclass(frozen=True)
class NamedAgreement(Agreement):
    """Agreement on one question: its `name`, and its `kind` as its scheme has it."""

    name: str = ""
    kind: str = ""


@dataclass(frozen=True)
class AgreementByQuestion:
    """Agreement on each question.

    `summary` is that on the one that was named, or the only nominal one, or the only one; None
    where there are several to choose from.
    """

    questions: list[NamedAgreement]
    summary: NamedAgreement | None

    def as_dict(self, *, details: bool = False) -> dict[str, Any]:
        """Plain values for JSON: the members of the summary, and those of each question."""
        rows = [
            {"name": row.name, "kind": row.kind, **as_dict(row, details=details)}
            for row in self.questions
        ]
        summary = as_dict(self.summary, details=details) if self.summary else {}
        return {**summary, "questions": rows}


def batch_agreement(
    *,
    batch: Batch,
    parameters: AgreementParameters = AgreementParameters(),
    names: Mapping[str, str] | None = None,
) -> AgreementByQuestion:
    """Every coefficient over the votes that count, with intervals and warnings.

    Of the named question, or of each with options. A batch whose annotators saw a model's labels
    has none: their votes are not independent readings. Warnings call options by `names`; files and
    the API have codes throughout.
    """
    terms = asdict(parameters)
    question = terms.pop("question")
    closed = [closed_question(batch=batch, name=question)] if question else batch.scheme.closed
    votes = _asked_votes(batch, closed)
    rows = [
        NamedAgreement(
            name=of.name,
            kind=str(of.kind),
            **vars(agree(replace(votes[of.name], names=names or {}), **terms)),
        )
        for of in closed
    ]
    nominal = {of.name for of in closed if of.is_nominal}
    fitting = [row for row in rows if row.name in nominal] or rows
    return AgreementByQuestion(rows, fitting[0] if len(fitting) == 1 else None)


def _asked_votes(batch: Batch, questions: Iterable[Question]) -> Mapping[str, Votes]:
    """The votes on some questions, which of queries are `asked` by earlier decisions."""
    *first, last = questions
    if any(question.shown_if for question in (*first, last)):
        return scheme_results(batch=batch).votes
    return question_votes(batch=batch, question=None if first else last)
