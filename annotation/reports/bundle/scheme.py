"""Results of a scheme, from the tables of a bundle alone."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from annotation.agreement.aggregation import decide
from annotation.agreement.answers import TIED, Adjudication, Answer, AnswerDecision
from annotation.agreement.scheme_results import (
    Adjudications,
    AskedQuery,
    SchemeResults,
    results_of,
)
from annotation.agreement.table import VoteTable
from annotation.reports.bundle.recompute import Parameters
from annotation.reports.bundle.tables import AnswerRow, DecisionRow, QueryRow
from annotation.schemes import (
    CANNOT_TELL,
    JOINED,
    Kind,
    Level,
    Question,
    Scheme,
    check_answer,
    known_answers,
)
from metrics.errors import InputError

SCHEME = "scheme.json"
ANSWERS = "answers.csv"
DECISIONS = "decisions.csv"
#: Numbers that the agreement on one question holds in memory at once.
_MOST_CELLS = 5_000_000
#: Most different answers to a question with several options: distances are between all of them.
_MOST_SETS = 1_000


def recompute_scheme(
    scheme: Scheme,
    queries: Sequence[QueryRow],
    answers: Sequence[AnswerRow],
    parameters: Parameters,
    adjudications: Adjudications,
) -> SchemeResults:
    """Agreement, decisions and subset from the answers that count, and from what people decided.

    Gold questions are left out. `InputError` for answers that the scheme does not allow, and beyond
    the limits.
    """
    gold = {row.qid for row in queries if row.gold and known_answers(scheme, row.gold)}
    given = {
        name: {qid: of for qid, of in by_query.items() if qid not in gold}
        for name, by_query in _given(scheme, queries, answers).items()
    }
    _check_size(scheme, given)
    asked = [
        AskedQuery(place, row.qid, row.query, place // parameters.queries_per_hit)
        for place, row in enumerate(queries)
        if row.qid not in gold
    ]
    labels = {
        name: _by_method(
            scheme=scheme,
            queries=queries,
            answers=answers,
            given=given.get(name, {}),
            gold=gold,
            name=name,
            terms=terms,
        )
        for name, terms in parameters.labelled.items()
        if _closed(scheme, name, SCHEME).is_nominal
    }
    return results_of(scheme, asked, given, adjudications=adjudications, labels=labels)


def _by_method(
    *,
    scheme: Scheme,
    queries: Sequence[QueryRow],
    answers: Sequence[AnswerRow],
    given: Mapping[str, Mapping[str, Answer]],
    gold: Collection[str],
    name: str,
    terms: tuple[str, bool, int],
) -> dict[str, AnswerDecision]:
    """Return a method's decision on a nominal question by query; gold votes weigh, too."""
    method, strict, seed = terms
    codes = scheme.question(name).codes
    known = {
        row.qid: code
        for row in queries
        if row.qid in gold
        for code in known_answers(scheme, row.gold).get(name, ())
    }
    told = [
        (qid, worker, code)
        for qid, of in given.items()
        for worker, answer in of.items()
        for code in answer
        if code != CANNOT_TELL
    ]
    to_gold = [
        (row.qid, row.worker, row.option)
        for row in answers
        if row.question == name and row.qid in known and row.option != CANNOT_TELL
    ]
    asked = [row.qid for row in queries if row.qid not in gold]
    decisions = decide(
        _votes(told, codes, asked),
        method=method,
        strict=strict,
        seed=seed,
        gold_table=_votes(to_gold, codes, list(known)),
        gold=known,
        abstained={
            qid for qid, of in given.items() if any(CANNOT_TELL in one for one in of.values())
        },
    )
    return {
        one.query: AnswerDecision(
            frozenset({one.label}) if one.label else None,
            one.n_votes,
            one.n_for,
            "" if one.label else TIED,
            confidence=one.confidence,
        )
        for one in decisions.rows
    }


def _votes(
    rows: Sequence[tuple[str, str, str]], codes: Sequence[str], queries: Sequence[str]
) -> VoteTable:
    """The rows (query, worker, code) as votes; a table of votes has them in one order."""
    columns = zip(*rows, strict=True) if rows else ((), (), ())
    return VoteTable.of(*columns, labels=codes, queries=queries)


def _closed(scheme: Scheme, name: str, path: str) -> Question:
    closed = {one.name: one for one in scheme.closed}
    if name not in closed:
        raise InputError(f"there is no question {name!r} to decide.", path=path)
    return closed[name]


def adjudications_in(scheme: Scheme, decisions: Sequence[DecisionRow]) -> Adjudications:
    """Return the adjudicators' decisions, which no answers imply; `InputError` for invalid ones."""
    found = {}
    for row in decisions:
        if row.source != "adjudicated":
            continue
        codes = row.decided.split(JOINED)
        check_answer(_closed(scheme, row.question, DECISIONS), codes)
        found[row.question, row.qid] = Adjudication(frozenset(codes), row.decided_by, row.reason)
    return found


def decision_rows(results: SchemeResults) -> list[DecisionRow]:
    """A row for each query and closed question, in their order."""
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
        )
        for query in results.queries
        for name, decision in query.decisions.items()
    ]


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
    stored: Sequence[DecisionRow], results: SchemeResults
) -> Iterator[tuple[str, str]]:
    """Describe each decision that does not follow from the answers."""
    computed = {(row.qid, row.question): row for row in decision_rows(results)}
    for row in stored:
        one = computed.pop((row.qid, row.question), None)
        if one is None:
            yield row.qid, f"{row.qid} has a decision on {row.question!r} that nothing asks for."
        elif row != one:
            yield row.qid, f"{row.qid}: {_words(row)}, computed {_words(one)}."
    for qid, question in computed:
        yield qid, f"{qid} has no decision on {question!r}."


def _words(row: DecisionRow) -> str:
    return (
        f"{row.question} is {row.decided or 'undecided'} ({row.n_for} of {row.n_answers} answers, "
        f"{row.n_cannot_tell} could not tell, {'in' if row.in_subset else 'not in'} the subset)"
    )


def _given(
    scheme: Scheme, queries: Sequence[QueryRow], answers: Sequence[AnswerRow]
) -> Mapping[str, Mapping[str, Mapping[str, Answer]]]:
    qids = {row.qid for row in queries}
    closed = {one.name: one for one in scheme.closed}
    known = {name: {*one.codes, CANNOT_TELL} for name, one in closed.items()}
    found: dict[str, dict[str, dict[str, Answer]]] = defaultdict(lambda: defaultdict(dict))
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
        before = found[row.question][row.qid].get(row.worker, frozenset[str]())
        is_alone = closed[row.question].kind != Kind.MULTI or CANNOT_TELL in {row.option, *before}
        if row.option in before or (before and is_alone):
            raise InputError(
                f"{row.worker} answers {row.question!r} of {row.qid!r} twice.", path=ANSWERS
            )
        if aside.setdefault(row.worker, row.set_aside) != row.set_aside:
            raise InputError(f"{row.worker} has a say, and has none.", path=ANSWERS)
        codes = before | {row.option}
        found[row.question][row.qid][row.worker] = same.setdefault(codes, codes)
    return {
        name: {
            qid: {worker: codes for worker, codes in of.items() if not aside[worker]}
            for qid, of in by_query.items()
        }
        for name, by_query in found.items()
    }


def _check_size(scheme: Scheme, given: Mapping[str, Mapping[str, Mapping[str, Answer]]]) -> None:
    for name, by_query in given.items():
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
