"""The votes of a bundle, from its tables alone."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from annotation.labels.by_question import kind_of, points_of
from annotation.reports.bundle.parameters import ANY_THREE, Parameters
from annotation.reports.bundle.tables import AnswerRow, QueryRow
from annotation.schemes import Question, Scheme, known_answers
from metrics.errors import InputError
from metrics.vocabulary import CANNOT_TELL, Level
from metrics.votes.adaptive import with_first_round
from metrics.votes.table import Origin, Votes

Answer = frozenset[str]

SCHEME = "scheme.json"
ANSWERS, DECISIONS = "answers.csv", "decisions.csv"
#: Numbers that the agreement on one question holds in memory at once.
_MOST_CELLS = 5_000_000
#: Most different answers to a question with several options: distances are between all of them.
_MOST_SETS = 1_000


class _Worker(NamedTuple):
    """The origin of a worker's votes, and whether they are discarded."""

    origin: Origin
    is_set_aside: bool


def bundled_votes(
    scheme: Scheme,
    queries: Sequence[QueryRow],
    answers: Sequence[AnswerRow],
    parameters: Parameters,
) -> dict[str, Votes]:
    """The votes on each closed question about the queries without a known answer.

    `InputError` for answers that the scheme does not allow, and beyond the limits.
    """
    gold = {row.qid for row in queries if row.gold and known_answers(scheme, row.gold)}
    by_question, workers = _group_answers(scheme, queries, answers)
    _check_size(scheme, by_question)
    hits = {
        row.qid: place // parameters.queries_per_hit
        for place, row in enumerate(queries)
        if row.qid not in gold
    }
    votes = {
        question.name: _votes(
            question, by_question.get(question.name, {}), workers, hits, parameters
        )
        for question in scheme.closed
    }
    if parameters.adaptive_share is None:
        return votes
    name = parameters.adaptive_question or scheme.subset.question
    if not closed_question(scheme, name, SCHEME).is_nominal:
        raise InputError(f"nobody can ask adaptively by the answers to {name!r}.", path=SCHEME)
    return with_first_round(
        votes,
        name,
        share=parameters.adaptive_share,
        seed=parameters.adaptive_seed,
        any_three=parameters.adaptive_first == ANY_THREE,
    )


def gold_votes(
    scheme: Scheme, queries: Sequence[QueryRow], answers: Iterable[AnswerRow], question: Question
) -> tuple[Votes, dict[str, str]]:
    """Everybody's answers to a question about queries with a known answer, and these."""
    known = {
        row.qid: code
        for row in queries
        if row.gold
        for code in known_answers(scheme, row.gold).get(question.name, ())
    }
    rows = [
        (row.qid, row.worker, row.option)
        for row in answers
        if row.question == question.name and not row.repeated and row.qid in known
    ]
    columns = zip(*rows, strict=True) if rows else ((), (), ())
    return Votes.of(*columns, options=question.codes, items=list(known)), known


def closed_question(scheme: Scheme, name: str, path: str) -> Question:
    """The question with options of that name; `InputError` where there is none."""
    closed = {question.name: question for question in scheme.closed}
    if name not in closed:
        raise InputError(f"there is no question {name!r} to decide.", path=path)
    return closed[name]


def _votes(
    question: Question,
    by_query: Mapping[str, Mapping[str, Answer]],
    workers: Mapping[str, _Worker],
    hits: Mapping[str, int],
    parameters: Parameters,
) -> Votes:
    rows = [
        (qid, worker, codes if question.kind.takes_several else next(iter(codes)))
        for qid, of in by_query.items()
        if qid in hits
        for worker, codes in of.items()
    ]
    columns = list(zip(*rows, strict=True)) if rows else [(), (), ()]
    about = [workers[name] for name in columns[1]]
    return Votes.of(
        *columns,
        options=question.codes,
        items=list(hits),
        kind=kind_of(question),
        points=points_of(question),
        # The question of the paper says how many were offered, 0 where nobody knows.
        are_all_offered=not parameters.categories or parameters.n_categories > 0,
        origin=np.array([voter.origin for voter in about], dtype=np.int32),
        excluded=np.array([voter.is_set_aside for voter in about], dtype=bool),
        clusters=np.array(list(hits.values()), dtype=np.int32),
        suggested_by=parameters.suggested_by,
    )


def _origin(row: AnswerRow) -> Origin:
    try:
        return Origin[row.kind.upper()]
    except KeyError:
        raise InputError(
            f"{row.worker} is of the unknown kind {row.kind!r}.", path=ANSWERS
        ) from None


def _group_answers(
    scheme: Scheme, queries: Sequence[QueryRow], answers: Sequence[AnswerRow]
) -> tuple[Mapping[str, Mapping[str, Mapping[str, Answer]]], Mapping[str, _Worker]]:
    """The standing answers by question, query and worker, and what is said of each worker."""
    qids = {row.qid for row in queries}
    closed = {question.name: question for question in scheme.closed}
    known = {name: {*question.codes, CANNOT_TELL} for name, question in closed.items()}
    by_question: dict[str, dict[str, dict[str, Answer]]] = defaultdict(lambda: defaultdict(dict))
    workers: dict[str, _Worker] = {}
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
        about = workers.setdefault(row.worker, _Worker(_origin(row), bool(row.set_aside)))
        if about.is_set_aside != bool(row.set_aside):
            raise InputError(f"{row.worker} both counts and does not count.", path=ANSWERS)
        codes = before | {row.option}
        by_question[row.question][row.qid][row.worker] = same.setdefault(codes, codes)
    return by_question, workers


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
