"""Agreement and decisions by kind of question, against published values and the definitions."""

from dataclasses import replace
from fractions import Fraction
from itertools import permutations, product
from typing import Any

import krippendorff  # noqa: TID251 - what it gives is compared
import numpy as np
import pytest

from metrics.votes.agreeing import agree
from metrics.votes.agreement import Agreement
from metrics.votes.coefficients import masi_distances
from metrics.votes.deciding import decide_votes
from metrics.votes.table import Kind, Votes

#: The reliability data of Krippendorff, Computing Krippendorff's Alpha-Reliability, 2011, section
#: C: four observers, twelve units, * for none.
ROWS = (
    "1 2 3 3 2 1 4 1 2 * * *",
    "1 2 3 3 2 2 4 1 2 5 * 3",
    "* 3 3 3 2 3 4 2 2 5 1 *",
    "1 2 3 3 2 4 4 1 2 5 1 *",
)


def votes(kind: Kind, rows: tuple[str, ...], codes: str = "12345") -> Votes:
    """The cells of each worker's row as answers about one unit after another; * is none."""
    given = [
        (f"u{unit}", f"w{n}", frozenset(cell.split("+")) if kind == Kind.SEVERAL else cell)
        for unit, cells in enumerate(zip(*(row.split() for row in rows), strict=True))
        for n, cell in enumerate(cells)
        if cell != "*"
    ]
    return made(kind, given, codes)


def made(kind: Kind, given: list[tuple[str, str, Any]], codes: str = "12345") -> Votes:
    points = tuple(map(float, codes)) if kind == Kind.INTERVAL else ()
    columns = zip(*given, strict=True) if given else ((), (), ())
    return Votes.of(*columns, options=list(codes), kind=kind, points=points)


def alpha_alone(agreement: Agreement) -> list[str]:
    """Warnings about the interval of alpha."""
    return [words for words in agreement.warnings if "interval" in words]


@pytest.mark.parametrize(
    ("kind", "published"),
    [(Kind.NOMINAL, 0.743), (Kind.ORDINAL, 0.815), (Kind.INTERVAL, 0.849)],
)
def test_alpha_by_kind_equals_the_published_value(kind: Kind, published: float) -> None:
    agreement = agree(votes(kind, ROWS))
    assert agreement.krippendorff_alpha.value == pytest.approx(published, abs=0.0005)
    data: list[list[float]] = [
        [np.nan if cell == "*" else float(cell) for cell in row.split()] for row in ROWS
    ]
    package = krippendorff.alpha(reliability_data=data, level_of_measurement=str(kind))  # type: ignore[arg-type]
    assert agreement.krippendorff_alpha.value == pytest.approx(package, abs=1e-12)
    assert agreement.coefficient == kind


def test_alpha_with_masi_equals_its_definition() -> None:
    rows = ("a a+b b c+d a", "a a b c+d *", "a+b a+c * d b")
    table = votes(Kind.SEVERAL, rows, "abcd")
    agreement = agree(table)
    distances = dict(
        zip(product(table.answers, repeat=2), masi_distances(table.answers).flat, strict=True)
    )
    by_item: dict[int, list[frozenset[str]]] = {}
    for item, code in zip(table.item.tolist(), table.answer.tolist(), strict=True):
        by_item.setdefault(item, []).append(table.answers[code])
    units = [unit for unit in by_item.values() if len(unit) > 1]
    n = sum(map(len, units))
    within = sum(
        distances[a, b] / (len(unit) - 1) for unit in units for a, b in permutations(unit, 2)
    )
    everybody = [answer for unit in units for answer in unit]
    expected = sum(distances[pair] for pair in permutations(everybody, 2)) / (n - 1)
    assert agreement.krippendorff_alpha.value == pytest.approx(1 - within / expected, abs=1e-12)
    assert (agreement.coefficient, agreement.n_votes, agreement.n_workers) == ("MASI", 13, 3)
    assert agreement.per_category_alpha["b"].value == pytest.approx(
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
    found = masi_distances([frozenset(a), frozenset(b)])
    assert found[0, 1] == found[1, 0] == pytest.approx(float(distance))


def studied(kind: Kind, n_queries: int, n_workers: int = 12) -> Votes:
    """Three workers answer each query; one in five answers is any, the others are the same."""
    rng = np.random.default_rng(0)
    given: list[tuple[str, str, Any]] = []
    for n in range(n_queries):
        true, workers = rng.integers(1, 6), rng.choice(n_workers, 3, replace=False)
        codes = [str(rng.integers(1, 6) if rng.random() < 0.2 else true) for _ in workers]
        given += [
            (f"q{n}", f"w{worker}", frozenset({code, "1"}) if kind == Kind.SEVERAL else code)
            for worker, code in zip(workers, codes, strict=True)
        ]
    return made(kind, given)


@pytest.mark.parametrize("kind", Kind)
def test_alpha_has_an_interval_for_other_queries_and_workers(kind: Kind) -> None:
    given = studied(kind, 200)
    agreement = agree(given)
    alpha = agreement.krippendorff_alpha
    assert alpha.value is not None
    assert alpha.low is not None
    assert alpha.high is not None
    assert 0.1 < alpha.high - alpha.low < 0.3
    assert alpha.low < alpha.value < alpha.high
    assert not [words for words in alpha_alone(agreement) if "Rare" not in words]
    # The queries of a HIT are not independent draws: of 20 HITs other degrees of freedom are left.
    clustered = agree(replace(given, clusters=np.arange(200, dtype=np.int32) // 10))
    assert clustered.krippendorff_alpha.low != alpha.low


@pytest.mark.parametrize("kind", Kind)
def test_alpha_has_no_interval_where_none_holds_and_says_why(kind: Kind) -> None:
    agreement = agree(studied(kind, 49))
    assert agreement.krippendorff_alpha.value is not None
    assert agreement.krippendorff_alpha.low is None
    [warning] = alpha_alone(agreement)
    assert "50 queries with two votes or more" in warning


def test_only_queries_with_two_answers_are_paired() -> None:
    agreement = agree(votes(Kind.NOMINAL, ROWS))
    assert (agreement.n_queries, agreement.n_paired) == (12, 11)


def test_agreement_without_two_answers_is_undefined() -> None:
    for rows in (("*",), ("1 2 3",), ("1 1", "1 1")):
        agreement = agree(votes(Kind.INTERVAL, rows))
        assert agreement.krippendorff_alpha.value is None
        assert agreement.gwet_ac1.value is None


def test_ac1_stands_beside_a_nominal_alpha_only() -> None:
    nominal = agree(votes(Kind.NOMINAL, ROWS))
    assert nominal.gwet_ac1.value == pytest.approx(0.775, abs=0.001)
    assert nominal.raw_agreement.value is not None
    for kind in (Kind.ORDINAL, Kind.INTERVAL):
        assert agree(votes(kind, ROWS)).gwet_ac1.value is None


@pytest.mark.parametrize(
    ("kind", "given", "decided", "note"),
    [
        (Kind.NOMINAL, "1 1 2", "1", ""),
        (Kind.NOMINAL, "1 2", None, "tie"),
        (Kind.NOMINAL, "1 1 2 2 3", None, "tie"),
        (Kind.ORDINAL, "1 5 5", "5", ""),
        (Kind.INTERVAL, "1 2 4 5", "2", "Lower of the middles 2 and 4."),
        (Kind.INTERVAL, "3 3", "3", ""),
        (Kind.SEVERAL, "1+2 1 2+3 1", "1", ""),
        (Kind.SEVERAL, "1+2 1+2 3", "1+2", ""),
        (Kind.SEVERAL, "1 2", None, "tie: No option has more than 1/2 of the answers."),
        (Kind.NOMINAL, "", None, "no votes"),
    ],
)
def test_decisions(kind: Kind, given: str, decided: str | None, note: str) -> None:
    rows = [
        ("u", f"w{n}", frozenset(cell.split("+")) if kind == Kind.SEVERAL else cell)
        for n, cell in enumerate(given.split())
    ]
    [decision] = decide_votes(replace(made(kind, rows), items=("u",))).every
    assert decision.label == (None if decided is None else decided.replace("+", ";"))
    assert decision.n_votes == len(rows)
    state = "decided" if decided else note.partition(":")[0]
    assert (decision.state, decision.note) == (state, note.removeprefix(state).lstrip(": "))


def test_a_question_that_earlier_answers_skip_is_not_asked() -> None:
    given = replace(made(Kind.NOMINAL, [("u", "a", "1")]), asked=np.array([False]))
    [decision] = decide_votes(given).every
    assert (decision.label, decision.n_votes, decision.state) == (None, 1, "not asked")


def test_one_vote_beside_one_who_cannot_tell_is_too_few() -> None:
    [decision] = decide_votes(made(Kind.ORDINAL, [("u", "a", "1"), ("u", "b", "?")])).every
    assert (decision.state, decision.n_votes, decision.n_cannot_tell) == ("too few", 1, 1)


def test_a_majority_needs_more_than_half_of_the_votes_only_where_it_is_strict() -> None:
    table = votes(Kind.NOMINAL, ("a a b", "a a b", "b a b", "c b b"), "abc")
    assert (agree(table).majority, agree(table).ties) == ({"a": 2, "b": 1, "c": 0}, 0)
    strict = agree(table, strict=True)
    assert (strict.majority, strict.ties) == ({"a": 1, "b": 1, "c": 0}, 1)
