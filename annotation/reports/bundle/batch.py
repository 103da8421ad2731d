"""The tables of a batch, and all that follows from its answers."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from annotation.labels.by_question import (
    Adjudication,
    AskedQuery,
    SchemeResults,
    results_of,
    stored_decision,
)
from annotation.labels.export.label_formats.qrels import QRELS_FILES, STANDING
from annotation.reports.bundle.decisions import decision_differences, decision_rows
from annotation.reports.bundle.layouts import Layout, layout_of
from annotation.reports.bundle.parameters import ADJUDICATED, RELEASED, Parameters
from annotation.reports.bundle.tables import (
    AnswerRow,
    DecisionRow,
    PassageRow,
    QueryRow,
    TextRow,
    to_csv,
)
from annotation.reports.bundle.votes import (
    ANSWERS,
    DECISIONS,
    SCHEME,
    bundled_votes,
    closed_question,
    gold_votes,
)
from annotation.schemes import About, Scheme, check_answer
from metrics.errors import InputError
from metrics.io.pair_ids import split_pair_id
from metrics.vocabulary import JOINED
from metrics.votes.agreeing import agree
from metrics.votes.deciding import METHODS, ORDERED_METHODS, Decision, Decisions, decide_votes
from metrics.votes.intervals import IntervalMethod
from metrics.votes.table import Votes, joined

PASSAGES = "passages.csv"
TEXTS = "texts.csv"
#: Numbers of the confusions between options over all workers.
_MOST_CONFUSIONS = 2_000_000


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
    def layout(self) -> Layout:
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
        """The results that follow from the answers now.

        Of decisions, what people decided and what came without answers is taken as it is. Gold
        questions are left out. `InputError` for answers that the scheme does not allow, and beyond
        the limits.
        """
        texts = {row.qid: (place, row.query) for place, row in enumerate(self.queries)}
        return results_of(
            self.scheme,
            [
                AskedQuery(texts[qid][0], qid, texts[qid][1])
                for qid in next(iter(self.votes.values())).items
            ],
            self.votes,
            adjudications={
                (row.question, row.qid): Adjudication(self._codes(row), row.decided_by, row.reason)
                for row in self.decisions
                if row.method == ADJUDICATED
            },
            labels={
                name: self._labels(name, *terms)
                for name, terms in self.parameters.terms.items()
                if closed_question(self.scheme, name, SCHEME).kind.takes_one
            },
        )

    def _labels(self, name: str, method: str, strict: bool, seed: int) -> Mapping[str, Decision]:
        """The labels of a question by query, also those that came without answers."""
        if method != RELEASED:
            rows = self.decided_by(name, method, strict=strict, seed=seed).rows
            return {row.item: row for row in rows}
        return {
            row.qid: stored_decision(
                row.qid, row.decided and joined(self._codes(row)), row.n_answers, row.n_for
            )
            for row in self.decisions
            if row.question == name and row.method == RELEASED
        }

    def _codes(self, row: DecisionRow) -> frozenset[str]:
        codes = row.decided.split(JOINED)
        check_answer(closed_question(self.scheme, row.question, DECISIONS), codes)
        return frozenset(codes)

    def decided_by(
        self, name: str, method: str, *, strict: bool = False, seed: int = 0
    ) -> Decisions:
        """The decisions of a method on a question with one answer; gold votes weigh, too."""
        question, votes = self.scheme.question(name), self.votes[name]
        if len(votes.workers) * len(question.codes) ** 2 > _MOST_CONFUSIONS:
            raise InputError(
                f"{len(votes.workers):,} workers are more than any study has.", path=ANSWERS
            )
        gold, known = gold_votes(self.scheme, self.queries, self.answers, question)
        return decide_votes(votes, method, strict=strict, seed=seed, gold=gold, known=known)

    @cached_property
    def agreement(self) -> dict[str, Any]:
        """The agreement on each question, as the layout has it."""
        parameters = self.parameters
        return self.layout.agreement(
            {
                row.question.name: agree(
                    row.votes,
                    strict=parameters.strict,
                    interval=IntervalMethod(parameters.interval),
                    resamples=parameters.resamples,
                    level=parameters.level,
                    seed=parameters.agreement_seed,
                )
                for row in self.results.questions
            }
        )

    def differences(self, *, is_older: bool = False) -> Iterator[tuple[str, str]]:
        """The id of each query whose decision does not follow from the answers, and the reason.

        A tie of older conventions has votes for it.
        """
        computed = decision_rows(self.results, self.parameters.methods)
        stored = [
            row if row.decided or not is_older else replace(row, n_for=0) for row in self.decisions
        ]
        yield from decision_differences(stored, self.layout.kept(computed))

    def files(self) -> dict[str, bytes]:
        """The answers and decisions by the name of their file, with passages and qrels of pairs."""
        return {
            **self.layout.files(self.answers, self.decisions),
            **({PASSAGES: to_csv(PassageRow, self.passages)} if self.passages else {}),
            **self.qrels(),
        }

    def qrels(self) -> dict[str, bytes]:
        """Lines `qid 0 docno grade` by the name of the file, for each rule that decides the grades.

        None where no grades of pairs are asked. By votes only where there are some, and by the
        median where options have an order.
        """
        question = self.scheme.subset_question
        if self.scheme.about != About.PASSAGE or not question.grades:
            return {}
        by_votes = METHODS[:1] if question.is_nominal else ORDERED_METHODS
        by_rule: dict[str, Mapping[str, str]] = {
            STANDING: {
                row.qid: row.decided
                for row in self.decisions
                if row.question == question.name and row.decided
            }
        }
        if any(row.question == question.name and row.counts for row in self.answers):
            by_rule |= {
                rule: {
                    row.item: row.label
                    for row in self.decided_by(question.name, rule).rows
                    if row.label
                }
                for rule in by_votes
            }
        order = [row.qid for row in self.queries if not row.gold]
        return {
            name: "".join(
                f"{qid} 0 {docno} {question.grades[by_rule[rule][item]]}\n"
                for item in order
                if item in by_rule[rule]
                for qid, docno in [split_pair_id(item)]
            ).encode()
            for rule, name in QRELS_FILES.items()
            if rule in by_rule
        }
