"""Agreement and decisions by kind of question, against published values and the definitions."""

from fractions import Fraction
from itertools import permutations

import krippendorff  # noqa: TID251 - what it gives is compared
import numpy as np
import pytest

from annotation.labels.answers import (
    Answers,
    decide_answer,
    masi_distance,
    question_agreement,
)
from annotation.schemes import Kind, Level, Option, Question
from annotation.schemes.kinds.multi import MULTI
from annotation.schemes.kinds.scale import SCALE
from annotation.schemes.kinds.single import SINGLE

#: The reliability data of Krippendorff, Computing Krippendorff's Alpha-Reliability, 2011, section
#: C: four observers, twelve units, * for none.
ROWS = (
    "1 2 3 3 2 1 4 1 2 * * *",
    "1 2 3 3 2 2 4 1 2 5 * 3",
    "* 3 3 3 2 3 4 2 2 5 1 *",
    "1 2 3 3 2 4 4 1 2 5 1 *",
)


def question(kind: Kind, level: Level, codes: str = "12345") -> Question:
    options = tuple(Option(code=code, label=code) for code in codes)
    return Question(name="q", text="Q", kind=kind, level=level, options=options)


def answers(rows: tuple[str, ...]) -> Answers:
    cells = [row.split() for row in rows]
    return {
        f"u{unit}": {
            f"w{n}": frozenset(cell.split("+"))
            for n, row in enumerate(cells)
            if (cell := row[unit]) != "*"
        }
        for unit in range(len(cells[0]))
    }


@pytest.mark.parametrize(
    ("kind", "level", "published"),
    [
        (SINGLE, Level.NOMINAL, 0.743),
        (SINGLE, Level.ORDINAL, 0.815),
        (SCALE, Level.ORDINAL, 0.815),
        (SCALE, Level.INTERVAL, 0.849),
    ],
)
def test_alpha_by_level_equals_the_published_value(
    kind: Kind, level: Level, published: float
) -> None:
    agreement = question_agreement(question(kind, level), answers(ROWS))
    assert agreement.alpha.value == pytest.approx(published, abs=0.0005)
    data: list[list[float]] = [
        [np.nan if cell == "*" else float(cell) for cell in row.split()] for row in ROWS
    ]
    package = krippendorff.alpha(reliability_data=data, level_of_measurement=level.value)
    assert agreement.alpha.value == pytest.approx(package, abs=1e-12)
    assert agreement.coefficient == level


def test_alpha_with_masi_equals_its_definition() -> None:
    rows = ("a a+b b c+d a", "a a b c+d *", "a+b a+c * d b")
    given = answers(rows)
    agreement = question_agreement(question(MULTI, Level.NOMINAL, "abcd"), given)
    units = [list(unit.values()) for unit in given.values() if len(unit) > 1]
    n = sum(map(len, units))
    within = sum(
        masi_distance(a, b) / (len(unit) - 1) for unit in units for a, b in permutations(unit, 2)
    )
    everybody = [answer for unit in units for answer in unit]
    expected = sum(masi_distance(a, b) for a, b in permutations(everybody, 2)) / (n - 1)
    assert agreement.alpha.value == pytest.approx(1 - within / expected, abs=1e-12)
    assert (agreement.coefficient, agreement.n_answers, agreement.n_workers) == ("MASI", 13, 3)
    assert agreement.by_option["b"] == pytest.approx(
        krippendorff.alpha(
            reliability_data=np.array(
                [[0, 1, 1, 0, 0], [0, 0, 1, 0, np.nan], [1, 0, np.nan, 0, 1]]
            ),
            level_of_measurement="nominal",
        )
    )


@pytest.mark.parametrize(
    ("a", "b", "distance"),
    [
        ("ab", "ab", 0),
        ("", "", 0),
        ("a", "b", 1),
        ("", "a", 1),
        ("a", "ab", 1 - Fraction(1, 2) * Fraction(2, 3)),
        ("ab", "bc", 1 - Fraction(1, 3) * Fraction(1, 3)),
    ],
)
def test_masi_distance(a: str, b: str, distance: float) -> None:
    assert masi_distance(frozenset(a), frozenset(b)) == pytest.approx(float(distance))
    assert masi_distance(frozenset(b), frozenset(a)) == pytest.approx(float(distance))


def studied(kind: Kind, n_queries: int, n_workers: int = 12) -> Answers:
    """Three workers answer each query; one in five answers is any, the others are the same."""
    rng = np.random.default_rng(0)
    given: dict[str, dict[str, frozenset[str]]] = {}
    for n in range(n_queries):
        true, workers = rng.integers(1, 6), rng.choice(n_workers, 3, replace=False)
        codes = [rng.integers(1, 6) if rng.random() < 0.2 else true for _ in workers]
        given[f"q{n}"] = {
            f"w{worker}": frozenset({str(code), *(["1"] if kind == MULTI else [])})
            for worker, code in zip(workers, codes, strict=True)
        }
    return given


KINDS = [
    (SINGLE, Level.NOMINAL),
    (SINGLE, Level.ORDINAL),
    (SCALE, Level.INTERVAL),
    (MULTI, Level.NOMINAL),
]


@pytest.mark.parametrize(("kind", "level"), KINDS)
def test_alpha_has_an_interval_for_other_queries_and_workers(kind: Kind, level: Level) -> None:
    given = studied(kind, 200)
    agreement = question_agreement(question(kind, level), given)
    alpha = agreement.alpha
    assert alpha.value is not None
    assert alpha.low is not None
    assert alpha.high is not None
    assert 0.1 < alpha.high - alpha.low < 0.3
    assert alpha.low < alpha.value < alpha.high
    assert not agreement.warnings
    # The queries of a HIT are no independent draws: of 20 HITs other degrees of freedom are left.
    clustered = question_agreement(
        question(kind, level), given, hits={qid: n // 10 for n, qid in enumerate(given)}
    )
    assert clustered.alpha.low != alpha.low


@pytest.mark.parametrize(("kind", "level"), KINDS)
def test_alpha_has_no_interval_where_none_holds_and_says_why(kind: Kind, level: Level) -> None:
    agreement = question_agreement(question(kind, level), studied(kind, 49))
    assert agreement.alpha.value is not None
    assert agreement.alpha.low is None
    [warning] = agreement.warnings
    assert "50 queries with two votes or more" in warning


def test_only_queries_with_two_answers_are_paired() -> None:
    agreement = question_agreement(question(SINGLE, Level.NOMINAL), answers(ROWS))
    assert (agreement.n_queries, agreement.n_paired) == (12, 11)


def test_agreement_without_two_answers_is_undefined() -> None:
    for given in ({}, answers(("1 2 3",)), answers(("1 1", "1 1"))):
        agreement = question_agreement(question(SCALE, Level.INTERVAL), given)
        assert agreement.alpha.value is None
        assert agreement.ac1 is None


def test_ac1_and_raw_agreement_stand_beside_a_nominal_alpha_only() -> None:
    nominal = question_agreement(question(SINGLE, Level.NOMINAL), answers(ROWS))
    assert nominal.ac1 == pytest.approx(0.775, abs=0.001)
    assert nominal.raw is not None
    assert question_agreement(question(SCALE, Level.INTERVAL), answers(ROWS)).ac1 is None


@pytest.mark.parametrize(
    ("kind", "level", "given", "decided", "note"),
    [
        (SINGLE, Level.NOMINAL, "1 1 2", "1", ""),
        (SINGLE, Level.NOMINAL, "1 2", None, "Tie."),
        (SINGLE, Level.NOMINAL, "1 1 2 2 3", None, "Tie."),
        (SINGLE, Level.ORDINAL, "1 5 5", "5", ""),
        (SCALE, Level.INTERVAL, "1 2 4 5", "2", "Lower of the middles 2 and 4."),
        (SCALE, Level.INTERVAL, "3 3", "3", ""),
        (MULTI, Level.NOMINAL, "1+2 1 2+3 1", "1", ""),
        (MULTI, Level.NOMINAL, "1+2 1+2 3", "1+2", ""),
        (MULTI, Level.NOMINAL, "1 2", None, "No option has more than 1/2 of the answers."),
        (SINGLE, Level.NOMINAL, "", None, "No answer."),
    ],
)
def test_decisions(kind: Kind, level: Level, given: str, decided: str | None, note: str) -> None:
    sets = [frozenset(answer.split("+")) for answer in given.split()]
    decision = decide_answer(question(kind, level), sets)
    assert decision.codes == (None if decided is None else frozenset(decided.split("+")))
    assert (decision.n_answers, decision.note) == (len(sets), note)


def test_the_threshold_of_several_options_can_be_set() -> None:
    asked = question(MULTI, Level.NOMINAL)
    sets = [frozenset("1"), frozenset("12"), frozenset("3")]
    assert decide_answer(asked, sets, threshold=Fraction(1, 4)).codes == frozenset("123")
