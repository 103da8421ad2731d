"""The two sets of columns that answers and decisions of a batch have in its folder.

A row for each option that was chosen and for each decision, by question. Only a batch that asks the
question of the paper has the files that its authors released instead: votes, with `u` for "I cannot
tell", labels, and every coefficient.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from annotation.labels.by_question import marking
from annotation.reports.bundle.archive import Archive
from annotation.reports.bundle.tables import (
    AnswerRow,
    DecisionRow,
    LabelRow,
    VoteRow,
    rows_of,
    to_csv,
)
from annotation.reports.bundle.votes import ANSWERS, DECISIONS
from annotation.schemes import Scheme
from annotation.schemes.released import has_released_layout, released_code, stored_option
from metrics.vocabulary import CATEGORY_QUESTION, TIE, Category
from metrics.votes.agreement import COEFFICIENTS, FURTHER_FIELDS, Agreement, as_dict


class Layout:
    """The tables by question."""

    answers, decisions = ANSWERS, DECISIONS
    #: Codes that the parameters name.
    categories: tuple[str, ...] = ()

    def __init__(self, scheme: Scheme) -> None:
        self.scheme = scheme

    def files(
        self, answers: Sequence[AnswerRow], decisions: Sequence[DecisionRow]
    ) -> dict[str, bytes]:
        return {ANSWERS: to_csv(AnswerRow, answers), DECISIONS: to_csv(DecisionRow, decisions)}

    def read_answers(self, folder: Archive) -> list[AnswerRow]:
        return list(rows_of(folder, AnswerRow, ANSWERS))

    def read_decisions(self, folder: Archive, without: Collection[str]) -> list[DecisionRow]:
        return list(rows_of(folder, DecisionRow, DECISIONS, without=without))

    def kept(self, decisions: Iterable[DecisionRow]) -> list[DecisionRow]:
        """The decisions as far as this layout has them."""
        return list(decisions)

    def agreement(self, by_question: Mapping[str, Agreement]) -> dict[str, Any]:
        """By question its coefficients, and how many queries and answers they follow from."""
        return {
            name: {
                "coefficient": row.coefficient,
                "alpha": row.krippendorff_alpha.as_dict(),
                "ac1": row.gwet_ac1.value,
                # Of points bundles have none since version 1.0.
                "raw": None
                if self.scheme.question(name).kind.has_points
                else row.raw_agreement.value,
                "by_option": marking(row),
                "n_queries": row.n_queries,
                "n_answers": row.n_votes,
                "n_workers": row.n_workers,
                "warnings": row.warnings,
                "n_cannot_tell": row.n_cannot_tell,
            }
            for name, row in by_question.items()
        }

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

    def files(
        self, answers: Sequence[AnswerRow], decisions: Sequence[DecisionRow]
    ) -> dict[str, bytes]:
        votes = [
            VoteRow(row.qid, row.worker, row.kind, released_code(row.option), *counts)
            for row in answers
            for counts in [(row.repeated, row.set_aside)]
        ]
        labels = [
            LabelRow(
                *(row.qid, row.decided or TIE, row.method, row.source, row.n_answers, row.n_for),
                *(row.confidence, row.decided_by, row.reason),
            )
            for row in decisions
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

    def agreement(self, by_question: Mapping[str, Agreement]) -> dict[str, Any]:
        """The object that `agreement --json --details` printed in version 1.0."""
        printed = as_dict(by_question[CATEGORY_QUESTION], details=True)
        return {name: value for name, value in printed.items() if name not in FURTHER_FIELDS}

    def estimates(self, agreement: Mapping[str, Any]) -> list[tuple[str, Mapping[str, Any]]]:
        return [(name, agreement[name]) for name in COEFFICIENTS if name in agreement]

    def remarks(self, agreement: Mapping[str, Any]) -> list[str]:
        variance = agreement.get("variance")
        return [*([variance["advice"]] if variance else []), *agreement["warnings"]]


def layout_of(scheme: Scheme) -> Layout:
    """The layout of a batch that asks these questions."""
    return _OfThePaper(scheme) if has_released_layout(scheme) else Layout(scheme)
