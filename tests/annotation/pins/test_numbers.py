"""Every coefficient, interval and decision of twelve sets of votes, to the letter.

`RECORD=1 python -m pytest tests/annotation/pins` writes the file anew; a change of it is a change
for those who published a number, and is named in the changelog.
"""

import json
import os
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from annotation.labels.by_question import kind_of, marking, points_of
from annotation.schemes import Level, Option, Question
from annotation.schemes.kinds.multi import MULTI
from annotation.schemes.kinds.scale import SCALE
from annotation.schemes.kinds.single import SINGLE
from metrics.votes.agreeing import agree
from metrics.votes.agreement import DETAIL_FIELDS, SUMMARY_FIELDS, as_dict
from metrics.votes.deciding import METHODS, ORDERED_METHODS, decide_votes
from metrics.votes.intervals import IntervalMethod
from metrics.votes.table import Votes

RECORD = Path(__file__).parent / "numbers.json"
PINNED = SUMMARY_FIELDS + DETAIL_FIELDS
#: Decimals to which processors agree.
_DECIMALS = 8


@dataclass(frozen=True)
class VoteSet:
    """Votes (item, worker, codes) of one question; `hits` numbers the HIT of each item."""

    question: Question
    items: Sequence[str]
    votes: Sequence[tuple[str, str, frozenset[str]]]
    hits: Sequence[int] | None = None


def asked(codes: str, *, kind: Any = SINGLE, level: Level = Level.NOMINAL) -> Question:
    options = tuple(Option(code=code, label=code) for code in codes)
    return Question(name="asked", text="Which?", kind=kind, level=level, options=options)


def drawn(
    question: Question,
    *,
    seed: int,
    n_items: int = 60,
    n_workers: int = 6,
    votes: Sequence[int] = (3,),
    truths: str = "",
    right: float = 0.75,
) -> VoteSet:
    """Workers who are right in a share of their votes, and else choose any option."""
    rng, found = random.Random(seed), []
    items = [f"i{number}" for number in range(n_items)]
    for number, item in enumerate(items):
        truth = rng.choice(truths or question.codes)
        for worker in rng.sample(range(n_workers), min(votes[number % len(votes)], n_workers)):
            code = truth if rng.random() < right else rng.choice(question.codes)
            codes = {code}
            if question.kind.takes_several and rng.random() < 0.4:
                codes.add(rng.choice(question.codes))
            found.append((item, f"w{worker}", frozenset(codes)))
    return VoteSet(question, items, found)


NOMINAL, GRADES = asked("abc"), asked("1234", level=Level.ORDINAL)
POINTS = asked("12345", kind=SCALE, level=Level.INTERVAL)
SEVERAL = asked("xyz", kind=MULTI)
SETS = {
    "three votes each": drawn(NOMINAL, seed=1),
    "missing votes": drawn(asked("abcd"), seed=2, votes=(1, 2, 3, 5, 0), n_items=80),
    "ties": drawn(NOMINAL, seed=3, votes=(2,), right=0.4),
    "a rare option": drawn(NOMINAL, seed=4, truths="aaaaaaaaaaab", right=0.9),
    "HITs of five": replace(drawn(NOMINAL, seed=5), hits=[number // 5 for number in range(60)]),
    "one worker": drawn(NOMINAL, seed=6, n_workers=1),
    "no votes": drawn(NOMINAL, seed=7, votes=(0,)),
    "an option that nobody chose": drawn(asked("abz"), seed=8, truths="ab", right=1.0),
    "ordered grades": drawn(GRADES, seed=9, votes=(2, 3, 4)),
    "points": drawn(POINTS, seed=10, votes=(4, 3)),
    "several options": drawn(SEVERAL, seed=11),
    "several options, missing votes": drawn(SEVERAL, seed=12, votes=(0, 1, 2, 4), n_items=90),
}


def figures_of(votes: VoteSet) -> Iterator[tuple[str, Any]]:
    table = table_of(votes)
    yield "by question", by_question(table)
    if votes.question.kind.takes_one:
        methods = METHODS if votes.question.is_nominal else ORDERED_METHODS
        for method in methods:
            for strict in (False, True) if method in ORDERED_METHODS else (False,):
                yield f"{method} {strict}", by_method(table, votes, method, strict=strict)
    if votes.question.is_nominal:
        for interval in IntervalMethod:
            found = agree(table, interval=interval, resamples=200, seed=3)
            figures = as_dict(found, details=True)
            yield interval.value, {name: figures[name] for name in figures if name in PINNED}


def by_question(table: Votes) -> dict[str, Any]:
    decisions = decide_votes(table).every
    found = agree(table)
    return {
        "coefficient": found.coefficient,
        "alpha": found.krippendorff_alpha.as_dict(),
        "ac1": found.gwet_ac1.value,
        "raw": found.raw_agreement.value,
        "by_option": marking(found),
        "n_queries": found.n_queries,
        "n_paired": found.n_paired,
        "n_answers": found.n_votes,
        "n_workers": found.n_workers,
        "decided": " ".join(one.label or "-" for one in decisions),
        "n_for": " ".join(str(one.n_for) for one in decisions),
    }


def table_of(votes: VoteSet) -> Votes:
    items, workers, sets = list(zip(*votes.votes, strict=True)) or [(), (), ()]
    return Votes.of(
        items,
        workers,
        sets if votes.question.kind.takes_several else [code for (code,) in sets],
        options=votes.question.codes,
        items=votes.items,
        kind=kind_of(votes.question),
        points=points_of(votes.question),
        clusters=None if votes.hits is None else np.array(votes.hits, np.int32),
    )


def by_method(table: Votes, votes: VoteSet, method: str, *, strict: bool) -> dict[str, Any]:
    known = dict.fromkeys(votes.items[:10], votes.question.codes[0])
    if method == "gold_weighted" and not len(table):
        return {}
    done = decide_votes(table, method, strict=strict, gold=table, known=known)
    sure = [row.confidence for row in done.rows if row.confidence is not None]
    return {
        "decided": " ".join(row.label or "-" for row in done.rows),
        "n_for": "".join(str(row.n_for) for row in done.rows),
        "confidence": [round(value, 5) for value in sure[:12]],
        "without_votes": done.without_votes,
        "notes": done.notes,
    }


def rounded(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(key): rounded(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [rounded(one) for one in value]
    return round(value, _DECIMALS) + 0.0 if isinstance(value, float) else value


def lines_of(votes: VoteSet) -> dict[str, str]:
    """The figures as JSON, a line each."""
    return {name: json.dumps(rounded(found)) for name, found in figures_of(votes)}


@pytest.mark.parametrize("name", SETS)
def test_every_number_is_the_same(name: str) -> None:
    now = lines_of(SETS[name])
    records = json.loads(RECORD.read_text(encoding="utf-8")) if RECORD.exists() else {}
    if os.environ.get("RECORD"):
        records[name] = now
        RECORD.write_text(json.dumps(records, indent=0) + "\n", encoding="utf-8")
    assert records[name] == now
