"""Results of a scheme, from the tables of a bundle alone."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from annotation.labels.answers import TIED, Adjudication, Answer, AnswerDecision
from annotation.labels.by_question import AdaptiveRule, AskedQuery, SchemeResults, results_of
from annotation.reports.bundle.recompute import (
    ADJUDICATED,
    ANY_THREE,
    RELEASED,
    Parameters,
    is_close,
    table_of,
)
from annotation.reports.bundle.tables import AnswerRow, DecisionRow, QueryRow
from annotation.schemes import (
    CANNOT_TELL,
    JOINED,
    Level,
    Question,
    Scheme,
    check_answer,
    known_answers,
)
from metrics.errors import InputError
from metrics.votes.deciding import decide

if TYPE_CHECKING:
    from annotation.reports.bundle.layout import BatchTables

SCHEME = "scheme.json"
ANSWERS = "answers.csv"
DECISIONS = "decisions.csv"
#: Numbers that the agreement on one question holds in memory at once.
_MOST_CELLS = 5_000_000
#: Numbers of the confusions between options over all workers.
_MOST_CONFUSIONS = 2_000_000
#: Tolerance of posteriors, which depend on where the iteration stopped.
_POSTERIOR_TOLERANCE = 1e-6
#: Most different answers to a question with several options: distances are between all of them.
_MOST_SETS = 1_000


def recompute_scheme(
    scheme: Scheme,
    queries: Sequence[QueryRow],
    answers: Sequence[AnswerRow],
    parameters: Parameters,
    decisions: Sequence[DecisionRow],
) -> SchemeResults:
    """Agreement, decisions and subset from the answers that count.

    Of `decisions`, what people decided and what came without answers is taken as it is. Gold
    questions are left out. `InputError` for answers that the scheme does not allow, and beyond the
    limits.
    """
    gold = {row.qid for row in queries if row.gold and known_answers(scheme, row.gold)}
    by_question = {
        name: {qid: of for qid, of in by_query.items() if qid not in gold}
        for name, by_query in _group_answers(scheme, queries, answers).items()
    }
    _check_size(scheme, by_question)
    asked_queries = [
        AskedQuery(place, row.qid, row.query, place // parameters.queries_per_hit)
        for place, row in enumerate(queries)
        if row.qid not in gold
    ]
    labels = {
        name: _released(scheme, name, decisions)
        if method == RELEASED
        else _by_method(scheme, queries, answers, name, (method, strict, seed))
        for name, (method, strict, seed) in parameters.terms.items()
        if _closed(scheme, name, SCHEME).kind.takes_one
    }
    adjudications = {
        (row.question, row.qid): Adjudication(_codes(scheme, row), row.decided_by, row.reason)
        for row in decisions
        if row.method == ADJUDICATED
    }
    return results_of(
        scheme,
        asked_queries,
        by_question,
        adjudications=adjudications,
        labels=labels,
        adaptive=_adaptive_rule(scheme, parameters),
    )


def _adaptive_rule(scheme: Scheme, parameters: Parameters) -> AdaptiveRule | None:
    if parameters.adaptive_share is None:
        return None
    name = parameters.adaptive_question or scheme.subset.question
    if not _closed(scheme, name, SCHEME).is_nominal:
        raise InputError(f"nobody can ask adaptively by the answers to {name!r}.", path=SCHEME)
    share, seed = parameters.adaptive_share, parameters.adaptive_seed
    return AdaptiveRule(name, share, seed, any_three=parameters.adaptive_first == ANY_THREE)


def _codes(scheme: Scheme, row: DecisionRow) -> frozenset[str]:
    codes = row.decided.split(JOINED)
    check_answer(_closed(scheme, row.question, DECISIONS), codes)
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


def _by_method(
    scheme: Scheme,
    queries: Sequence[QueryRow],
    answers: Sequence[AnswerRow],
    name: str,
    terms: tuple[str, bool, int],
) -> dict[str, AnswerDecision]:
    """Return a method's decision on one answer's question by query; gold votes weigh, too."""
    method, strict, seed = terms
    codes = scheme.question(name).codes
    gold = {row.qid: known_answers(scheme, row.gold) for row in queries if row.gold}
    known = {qid: code for qid, of in gold.items() for code in of.get(name, ())}
    rows = [row for row in answers if row.question == name and not row.repeated]
    counted = [row for row in rows if row.counts]
    n_workers = len({row.worker for row in rows})
    if n_workers * len(codes) ** 2 > _MOST_CONFUSIONS:
        raise InputError(f"{n_workers:,} workers are more than any study has.", path=ANSWERS)
    decisions = decide(
        table_of([row.qid for row in queries if row.qid not in gold], counted, codes),
        method=method,
        strict=strict,
        seed=seed,
        gold_table=table_of(list(known), rows, codes),
        gold=known,
        abstained={row.qid for row in counted if row.option == CANNOT_TELL},
    )
    return {
        decision.query: AnswerDecision(
            frozenset({decision.label}) if decision.label else None,
            decision.n_votes,
            decision.n_for,
            "" if decision.label else TIED,
            confidence=decision.confidence,
        )
        for decision in decisions.rows
    }


def decided_by(rule: str, tables: "BatchTables", name: str) -> dict[str, str]:
    """The code that a method of one answer decides of each query; ties are left out."""
    terms = (rule, False, 0)
    decisions = _by_method(tables.scheme, tables.queries, tables.answers, name, terms)
    return {
        qid: next(iter(decision.codes)) for qid, decision in decisions.items() if decision.codes
    }


def _closed(scheme: Scheme, name: str, path: str) -> Question:
    closed = {question.name: question for question in scheme.closed}
    if name not in closed:
        raise InputError(f"there is no question {name!r} to decide.", path=path)
    return closed[name]


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
            "alpha": row.agreement.alpha.as_dict(),
            "ac1": row.agreement.ac1,
            "raw": row.agreement.raw,
            "by_option": row.agreement.by_option,
            "n_queries": row.agreement.n_queries,
            "n_answers": row.agreement.n_answers,
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


def _group_answers(
    scheme: Scheme, queries: Sequence[QueryRow], answers: Sequence[AnswerRow]
) -> Mapping[str, Mapping[str, Mapping[str, Answer]]]:
    qids = {row.qid for row in queries}
    closed = {question.name: question for question in scheme.closed}
    known = {name: {*question.codes, CANNOT_TELL} for name, question in closed.items()}
    by_question: dict[str, dict[str, dict[str, Answer]]] = defaultdict(lambda: defaultdict(dict))
    aside: dict[str, int] = {}
    # Equal answers are one object, so that many of them take little memory.
    same: dict[Answer, Answer] = {}
    for row in answers:
        if row.qid not in qids or row.option not in known.get(row.question, ()):
            raise InputError(
                f"{row.worker} answers {row.question!r} of {row.qid!r} by {row.option!r}, which "
                "the scheme or the batch does not have.",
                path=ANSWERS,
            )
        if row.repeated:
            continue
        before = by_question[row.question][row.qid].get(row.worker, frozenset[str]())
        question, both = closed[row.question], {row.option, *before}
        is_alone = question.kind.takes_one or not question.may_be_together(both)
        if row.option in before or (before and is_alone):
            raise InputError(
                f"{row.worker} answers {row.question!r} of {row.qid!r} twice.", path=ANSWERS
            )
        if aside.setdefault(row.worker, row.set_aside) != row.set_aside:
            raise InputError(f"{row.worker} has a say, and has none.", path=ANSWERS)
        codes = before | {row.option}
        by_question[row.question][row.qid][row.worker] = same.setdefault(codes, codes)
    return {
        name: {
            qid: {worker: codes for worker, codes in of.items() if not aside[worker]}
            for qid, of in by_query.items()
        }
        for name, by_query in by_question.items()
    }


def _check_size(
    scheme: Scheme, by_question: Mapping[str, Mapping[str, Mapping[str, Answer]]]
) -> None:
    for name, by_query in by_question.items():
        patterns = {frozenset(Counter(of.values()).items()) for of in by_query.values()}
        sets = {codes for pattern in patterns for codes, _ in pattern}
        is_ordinal = scheme.question(name).level == Level.ORDINAL
        # For each way in which the answers to a query fell, and one of them left out.
        n_rows = len(patterns) + sum(len(pattern) for pattern in patterns)
        n_cells = n_rows * (len(sets) ** 2 if is_ordinal else len(sets))
        n_cells = max(n_cells, len(by_query) * len(sets))
        if len(sets) > _MOST_SETS or n_cells > _MOST_CELLS:
            raise InputError(
                f"{len(sets):,} different answers to {name!r} are more than can be compared.",
                path=ANSWERS,
            )
