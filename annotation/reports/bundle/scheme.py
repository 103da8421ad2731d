"""Results of a scheme, from the tables of a bundle alone."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from annotation.labels.by_question import (
    TIED,
    Adjudication,
    AnswerDecision,
    AskedQuery,
    SchemeResults,
    answer_of,
    marking,
    results_of,
)
from annotation.reports.bundle.recompute import ADJUDICATED, RELEASED, is_close
from annotation.reports.bundle.tables import DecisionRow
from annotation.reports.bundle.votes import ANSWERS, SCHEME, closed_question, gold_votes
from annotation.schemes import Scheme, check_answer
from metrics.errors import InputError
from metrics.vocabulary import JOINED
from metrics.votes.deciding import Decisions, decide_votes

if TYPE_CHECKING:
    from annotation.reports.bundle.layout import BatchTables

DECISIONS = "decisions.csv"
#: Numbers of the confusions between options over all workers.
_MOST_CONFUSIONS = 2_000_000
#: Tolerance of posteriors, which depend on where the iteration stopped.
_POSTERIOR_TOLERANCE = 1e-6


def recompute_scheme(tables: "BatchTables") -> SchemeResults:
    """Agreement, decisions and subset from the answers that count.

    Of decisions, what people decided and what came without answers is taken as it is. Gold
    questions are left out. `InputError` for answers that the scheme does not allow, and beyond the
    limits.
    """
    scheme, decisions, votes = tables.scheme, tables.decisions, tables.votes
    texts = {row.qid: (place, row.query) for place, row in enumerate(tables.queries)}
    items = next(iter(votes.values())).items
    labels = {
        name: _released(scheme, name, decisions)
        if method == RELEASED
        else {
            row.item: answer_of(row)
            for row in decided_by(tables, name, method, strict=strict, seed=seed).rows
        }
        for name, (method, strict, seed) in tables.parameters.terms.items()
        if closed_question(scheme, name, SCHEME).kind.takes_one
    }
    adjudications = {
        (row.question, row.qid): Adjudication(_codes(scheme, row), row.decided_by, row.reason)
        for row in decisions
        if row.method == ADJUDICATED
    }
    return results_of(
        scheme,
        [AskedQuery(texts[qid][0], qid, texts[qid][1]) for qid in items],
        votes,
        adjudications=adjudications,
        labels=labels,
    )


def decided_by(
    tables: "BatchTables", name: str, method: str, *, strict: bool = False, seed: int = 0
) -> Decisions:
    """The decisions of a method on a question with one answer; gold votes weigh, too."""
    question = tables.scheme.question(name)
    votes = tables.votes[name]
    if len(votes.workers) * len(question.codes) ** 2 > _MOST_CONFUSIONS:
        raise InputError(
            f"{len(votes.workers):,} workers are more than any study has.", path=ANSWERS
        )
    gold, known = gold_votes(tables.scheme, tables.queries, tables.answers, question)
    return decide_votes(votes, method, strict=strict, seed=seed, gold=gold, known=known)


def _codes(scheme: Scheme, row: DecisionRow) -> frozenset[str]:
    codes = row.decided.split(JOINED)
    check_answer(closed_question(scheme, row.question, DECISIONS), codes)
    return frozenset(codes)


def _released(
    scheme: Scheme, name: str, decisions: Sequence[DecisionRow]
) -> dict[str, AnswerDecision]:
    return {
        row.qid: AnswerDecision(
            _codes(scheme, row) if row.decided else None, row.n_answers, row.n_for, TIED
        )
        for row in decisions
        if row.question == name and row.method == RELEASED
    }


def decision_rows(results: SchemeResults, methods: Mapping[str, str]) -> list[DecisionRow]:
    """A row for each query and closed question, in their order.

    `methods` are those of the labelled questions.
    """
    return [
        DecisionRow(
            qid=query.qid,
            question=name,
            decided=JOINED.join(sorted(decision.codes or ())),
            n_answers=decision.n_answers,
            n_for=decision.n_for,
            n_cannot_tell=query.n_cannot_tell[name],
            in_subset=int(query.is_in_subset),
            source=decision.source,
            decided_by=decision.adjudication.by if decision.adjudication else "",
            reason=decision.adjudication.reason if decision.adjudication else "",
            method=_method(decision, methods.get(name, "")),
            confidence=decision.confidence,
        )
        for query in results.queries
        for name, decision in query.decisions.items()
    ]


def _method(decision: AnswerDecision, method: str) -> str:
    if decision.adjudication and decision.is_asked:
        return ADJUDICATED
    return method if decision.codes or decision.is_tie else ""


def scheme_agreement(results: SchemeResults) -> dict[str, Any]:
    """By question its coefficients, and how many queries and answers they follow from."""
    return {
        row.question.name: {
            "coefficient": row.agreement.coefficient,
            "alpha": row.agreement.krippendorff_alpha.as_dict(),
            "ac1": row.agreement.gwet_ac1.value,
            # Of points bundles have none since version 1.0.
            "raw": None if row.question.kind.has_points else row.agreement.raw_agreement.value,
            "by_option": marking(row.agreement),
            "n_queries": row.agreement.n_queries,
            "n_answers": row.agreement.n_votes,
            "n_workers": row.agreement.n_workers,
            "warnings": row.agreement.warnings,
            "n_cannot_tell": row.n_cannot_tell,
        }
        for row in results.questions
    }


def decision_differences(
    stored: Sequence[DecisionRow], computed: Sequence[DecisionRow]
) -> Iterator[tuple[str, str]]:
    """Describe each decision that does not follow from the answers."""
    by_key = {(row.qid, row.question): row for row in computed}
    for row in stored:
        recomputed = by_key.pop((row.qid, row.question), None)
        if recomputed is None:
            yield row.qid, f"{row.qid} has a decision on {row.question!r} that nothing asks for."
        elif _checked(row) != _checked(recomputed):
            yield row.qid, f"{row.qid}: {_words(row)}, computed {_words(recomputed)}."
        elif not is_close(row.confidence, recomputed.confidence, _POSTERIOR_TOLERANCE):
            yield (
                row.qid,
                f"{row.qid} has the confidence {row.confidence}, computed {recomputed.confidence}.",
            )
    for qid, question in by_key:
        yield qid, f"{qid} has no decision on {question!r}."


def _checked(row: DecisionRow) -> tuple[str | int, ...]:
    """The cells that follow from the answers exactly."""
    return (row.decided, row.n_answers, row.n_for, row.n_cannot_tell, row.in_subset, row.method)


def _words(row: DecisionRow) -> str:
    cannot_tell = f", {row.n_cannot_tell} could not tell" if row.n_cannot_tell else ""
    return (
        f"{row.question} is {row.decided or 'undecided'} ({row.n_for} of {row.n_answers} answers"
        f"{cannot_tell}, {'in' if row.in_subset else 'not in'} the subset"
        f"{f', by {row.method}' if row.method else ''})"
    )
