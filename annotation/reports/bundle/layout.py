"""The tables of a batch, and how its folder lays them out.

A row for each option that was chosen and for each decision, by question. Only a batch that asks the
question of the paper has the files that its authors released instead: votes, with `u` for "I cannot
tell", labels, and every coefficient.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from annotation.labels.by_question import SchemeResults
from annotation.reports.bundle.archive import Archive
from annotation.reports.bundle.qrels import qrels_files
from annotation.reports.bundle.recompute import Parameters
from annotation.reports.bundle.scheme import (
    DECISIONS,
    decision_differences,
    decision_rows,
    recompute_scheme,
    scheme_agreement,
)
from annotation.reports.bundle.tables import (
    AnswerRow,
    DecisionRow,
    LabelRow,
    PassageRow,
    QueryRow,
    TextRow,
    VoteRow,
    rows_of,
    to_csv,
)
from annotation.reports.bundle.votes import ANSWERS, bundled_votes
from annotation.schemes import Scheme
from annotation.schemes.released import has_released_layout, released_code, stored_option
from metrics.vocabulary import CATEGORY_QUESTION, TIE, Category
from metrics.votes.agreeing import FURTHER_FIELDS, agree, as_dict
from metrics.votes.intervals import IntervalMethod
from metrics.votes.table import Votes

PASSAGES = "passages.csv"
TEXTS = "texts.csv"
_COEFFICIENTS = ("raw_agreement", "krippendorff_alpha", "gwet_ac1", "fleiss_kappa")


@dataclass(frozen=True)
class BatchTables:
    """Questions, answers and decisions of a batch, and all that follows from them.

    `answers` are those to closed questions, `decisions` those that stand, `texts` all that anybody
    wrote. Of pairs there is each of the `passages` once.
    """

    scheme: Scheme
    parameters: Parameters
    queries: Sequence[QueryRow]
    answers: Sequence[AnswerRow]
    decisions: Sequence[DecisionRow]
    passages: Sequence[PassageRow] = ()
    texts: Sequence[TextRow] = ()

    @property
    def layout(self) -> "Layout":
        return layout_of(self.scheme)

    @property
    def measured(self) -> list[str]:
        """The queries that the bias is measured on: the subset of the scheme."""
        return sorted({row.qid for row in self.decisions if row.in_subset})

    @cached_property
    def votes(self) -> dict[str, Votes]:
        """The votes on each closed question."""
        return bundled_votes(self.scheme, self.queries, self.answers, self.parameters)

    @cached_property
    def results(self) -> SchemeResults:
        """The results that follow from the answers now."""
        return recompute_scheme(self)

    @cached_property
    def agreement(self) -> dict[str, Any]:
        return self.layout.agreement(self)

    def differences(self, *, is_older: bool = False) -> Iterator[tuple[str, str]]:
        """The id of each query whose decision does not follow from the answers, and the reason.

        A tie of older conventions has votes for it.
        """
        computed = decision_rows(self.results, self.parameters.methods)
        stored = [
            row if row.decided or not is_older else replace(row, n_for=0) for row in self.decisions
        ]
        yield from decision_differences(stored, self.layout.kept(computed))


class Layout:
    """The tables by question."""

    answers, decisions = ANSWERS, DECISIONS
    #: Codes that the parameters name.
    categories: tuple[str, ...] = ()

    def __init__(self, scheme: Scheme) -> None:
        self.scheme = scheme

    def files(self, tables: BatchTables) -> dict[str, bytes]:
        return {
            ANSWERS: to_csv(AnswerRow, tables.answers),
            DECISIONS: to_csv(DecisionRow, tables.decisions),
            **({PASSAGES: to_csv(PassageRow, tables.passages)} if tables.passages else {}),
            **qrels_files(tables),
        }

    def read_answers(self, folder: Archive) -> list[AnswerRow]:
        return list(rows_of(folder, AnswerRow, ANSWERS))

    def read_decisions(self, folder: Archive, without: Collection[str]) -> list[DecisionRow]:
        return list(rows_of(folder, DecisionRow, DECISIONS, without=without))

    def kept(self, decisions: Iterable[DecisionRow]) -> list[DecisionRow]:
        """The decisions as far as this layout has them."""
        return list(decisions)

    def agreement(self, tables: BatchTables) -> dict[str, Any]:
        return scheme_agreement(tables.results)

    def estimates(self, agreement: Mapping[str, Any]) -> list[tuple[str, Mapping[str, Any]]]:
        """The coefficients by name, with their intervals."""
        return [
            (f"{question}: {row['coefficient']} alpha", row["alpha"])
            for question, row in agreement.items()
        ]

    def remarks(self, agreement: Mapping[str, Any]) -> list[str]:
        """Warnings about the coefficients."""
        return [
            f"{question}: {warning}"
            for question, row in agreement.items()
            for warning in row["warnings"]
        ]


class _OfThePaper(Layout):
    answers, decisions = "votes.csv", "labels.csv"
    categories = tuple(str(category) for category in Category)

    def files(self, tables: BatchTables) -> dict[str, bytes]:
        votes = [
            VoteRow(row.qid, row.worker, row.kind, released_code(row.option), *counts)
            for row in tables.answers
            for counts in [(row.repeated, row.set_aside)]
        ]
        labels = [
            LabelRow(
                *(row.qid, row.decided or TIE, row.method, row.source, row.n_answers, row.n_for),
                *(row.confidence, row.decided_by, row.reason),
            )
            for row in tables.decisions
        ]
        return {self.answers: to_csv(VoteRow, votes), self.decisions: to_csv(LabelRow, labels)}

    def read_answers(self, folder: Archive) -> list[AnswerRow]:
        return [
            AnswerRow(
                *(row.qid, row.worker, row.kind, CATEGORY_QUESTION, stored_option(row.category)),
                *(row.repeated, row.set_aside),
            )
            for row in rows_of(folder, VoteRow, self.answers)
        ]

    def read_decisions(self, folder: Archive, without: Collection[str]) -> list[DecisionRow]:
        return [
            DecisionRow(
                qid=row.qid,
                question=CATEGORY_QUESTION,
                decided="" if row.label == TIE else row.label,
                n_answers=row.n_votes,
                n_for=row.n_for,
                n_cannot_tell=0,
                in_subset=int(self.scheme.subset.holds(frozenset({row.label}))),
                source=row.source,
                decided_by=row.decided_by,
                reason=row.reason,
                method=row.method,
                confidence=row.confidence,
            )
            for row in rows_of(folder, LabelRow, self.decisions, without=without)
        ]

    def kept(self, decisions: Iterable[DecisionRow]) -> list[DecisionRow]:
        """Labels alone, which do not say how many could not tell."""
        return [replace(row, n_cannot_tell=0) for row in decisions if row.method]

    def agreement(self, tables: BatchTables) -> dict[str, Any]:
        """The object that `agreement --json --details` printed in version 1.0."""
        parameters = tables.parameters
        figures = agree(
            tables.votes[CATEGORY_QUESTION],
            strict=parameters.strict,
            interval=IntervalMethod(parameters.interval),
            resamples=parameters.resamples,
            level=parameters.level,
            seed=parameters.agreement_seed,
        )
        printed = as_dict(figures, details=True)
        return {name: value for name, value in printed.items() if name not in FURTHER_FIELDS}

    def estimates(self, agreement: Mapping[str, Any]) -> list[tuple[str, Mapping[str, Any]]]:
        return [(name, agreement[name]) for name in _COEFFICIENTS if name in agreement]

    def remarks(self, agreement: Mapping[str, Any]) -> list[str]:
        variance = agreement.get("variance")
        return [*([variance["advice"]] if variance else []), *agreement["warnings"]]


def layout_of(scheme: Scheme) -> Layout:
    """The layout of a batch that asks these questions."""
    return _OfThePaper(scheme) if has_released_layout(scheme) else Layout(scheme)
