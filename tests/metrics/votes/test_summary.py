from dataclasses import replace
from itertools import chain

import krippendorff  # noqa: TID251 - the oracle
import numpy as np
import numpy.typing as npt
import pytest

from measurements.worker_coverage import RARE, Study, drawn_votes
from metrics.votes.agreeing import agree
from metrics.votes.agreement import FURTHER_FIELDS, SUMMARY_FIELDS, Agreement, as_dict
from metrics.votes.estimates import narrowing_advice
from metrics.votes.intervals import IntervalMethod, bootstrap, wilson
from metrics.votes.majority import UNDECIDED, majority
from metrics.votes.patterns import Patterns, Weights
from metrics.votes.table import Origin, Votes


def table_of(*queries: str, labels: str = "nfmo") -> Votes:
    """A table from strings like "nnf": one query per string, its votes by workers 0, 1, 2."""
    votes = [
        (number, place, label)
        for number, text in enumerate(queries)
        for place, label in enumerate(text)
    ]
    query, worker, label = zip(*votes, strict=True) if votes else ((), (), ())
    return Votes.of(
        query, worker, label, options=list(labels), items=[str(n) for n in range(len(queries))]
    )


def test_the_promised_fields_and_nothing_else_are_printed() -> None:
    found = as_dict(agree(table_of("nnf", "fff", "nmo")))
    assert tuple(found) == SUMMARY_FIELDS + FURTHER_FIELDS
    assert set(found["gwet_ac1"]) == {"value", "low", "high", "level"}
    assert found["majority"] == {"n": 1, "f": 1, "m": 0, "o": 0}
    assert found["ties"] == 1
    assert found["categories"] == {"n": 3, "f": 4, "m": 1, "o": 1}
    assert found["votes_per_query"] == 3.0


def test_all_votes_equal_leaves_alpha_undefined_with_the_reason() -> None:
    found = agree(table_of("nnn", "nnn"))
    assert found.krippendorff_alpha.value is None
    assert found.krippendorff_alpha.low is None
    assert found.raw_agreement.value == 1.0
    assert found.gwet_ac1.value == 1.0
    assert any("every vote is 'n'" in warning for warning in found.warnings)


def test_no_votes_at_all_is_said_and_is_no_crash() -> None:
    found = agree(table_of())
    assert found.n_queries == 0
    assert found.votes_per_query is None
    assert found.raw_agreement.value is None
    assert found.warnings == ["There are no votes yet: every coefficient is undefined."]


def test_single_votes_are_undefined_with_the_reason() -> None:
    found = agree(table_of("n", "f"))
    assert found.raw_agreement.value is None
    assert any("no query has two votes" in warning for warning in found.warnings)


def test_prevalence_is_explained_in_words() -> None:
    found = agree(table_of(*["nnn"] * 95, *["nnf"] * 5))
    (words,) = [text for text in found.warnings if text.startswith("Prevalence")]
    assert "Raw agreement is 96.7%, alpha -0.014" in words
    assert "AC1" in words


def test_votes_that_no_person_gave_are_named() -> None:
    origin = np.array([Origin.HUMAN, Origin.SIMULATED, Origin.HUMAN, Origin.MODEL], np.int32)
    found = agree(replace(table_of("nn", "ff"), origin=origin))
    assert "1 of 4 votes were given by simulated workers, not by people." in found.warnings
    assert "1 of 4 votes were given by language models, not by people." in found.warnings


def test_a_worker_with_most_of_the_votes_is_named() -> None:
    query = [str(n) for n in range(40)] + [str(n) for n in range(40)]
    worker = ["busy"] * 40 + [f"w{n % 20}" for n in range(40)]
    found = agree(Votes.of(query, worker, ["n", "f"] * 40))
    assert any("One of 21 workers gave 50% of the votes" in text for text in found.warnings)


def test_the_same_seed_gives_the_same_intervals_for_every_order_of_votes() -> None:
    first, second = (
        agree(table_of(*queries), interval=IntervalMethod.QUERIES, seed=7)
        for queries in (("nnf", "fff", "nmo", "nnn"), ("nnn", "fnn", "omn", "fff"))
    )
    assert as_dict(first) == as_dict(second)


def test_another_seed_gives_other_intervals_around_the_same_value() -> None:
    queries = ["nnf", "fff", "nmo", "nnn", "mmf"] * 30
    first, second = (
        agree(table_of(*queries), interval=IntervalMethod.QUERIES, seed=seed) for seed in (1, 2)
    )
    assert first.krippendorff_alpha.value == second.krippendorff_alpha.value
    assert first.krippendorff_alpha != second.krippendorff_alpha


def test_values_of_every_coefficient_lie_inside_their_interval() -> None:
    found: Agreement = agree(table_of(*["nnf", "fff", "nnn", "mmm", "nmo"] * 20))
    for one in (found.raw_agreement, found.krippendorff_alpha, found.gwet_ac1, found.fleiss_kappa):
        assert one.low is not None
        assert one.value is not None
        assert one.high is not None
        assert one.low <= one.value <= one.high


def test_the_bootstrap_agrees_with_a_plain_loop_over_the_package() -> None:
    """Quantiles of 2,000 resamples against a loop of 400; three standard errors of the latter."""
    rng = np.random.default_rng(5)
    counts = rng.multinomial(3, [0.6, 0.2, 0.2], size=120)
    looped = [
        krippendorff.alpha(
            value_counts=counts[rng.integers(0, 120, 120)], level_of_measurement="nominal"
        )
        for _ in range(400)
    ]
    table = Votes.of(
        [q for q, row in enumerate(counts) for _ in range(3)],
        [w for _ in counts for w in range(3)],
        [label for row in counts for label, n in enumerate(row) for _ in range(n)],
    )
    resampled = agree(table, interval=IntervalMethod.QUERIES, resamples=2_000)
    found = resampled.krippendorff_alpha
    spread = float(np.std(looped))
    low, high = np.quantile(looped, [0.025, 0.975])
    assert found.low == pytest.approx(low, abs=0.3 * spread)
    assert found.high == pytest.approx(high, abs=0.3 * spread)


def test_many_patterns_are_resampled_in_parts_within_bounded_memory() -> None:
    rng = np.random.default_rng(1)
    counts = rng.multinomial(60, [0.25] * 4, size=3_000)
    patterns = Patterns.of(counts)
    seen: list[int] = []

    def widest(_: Patterns, weights: Weights) -> npt.NDArray[np.float64]:
        seen.append(weights.size)
        totals: npt.NDArray[np.float64] = weights.sum(axis=1)
        return totals

    totals = bootstrap(patterns, {"n": widest}, resamples=1_000)["n"]
    assert (totals == 3_000).all()
    # The last part is shorter: their step does not divide the resamples.
    assert len(totals) == 1_000
    assert len({*seen}) == 2
    assert max(seen) <= 4_000_000
    assert len(seen) > 1


def test_majority_needs_strictly_more_than_every_other() -> None:
    counts = np.array([[3, 0, 0], [2, 1, 0], [1, 1, 1], [2, 2, 0], [0, 0, 0], [2, 1, 1]])
    assert majority(counts).tolist() == [0, 0, UNDECIDED, UNDECIDED, UNDECIDED, 0]
    assert majority(counts, strict=True)[-1] == UNDECIDED


def test_too_few_queries_have_no_interval_for_other_workers_and_the_reason() -> None:
    few = agree(table_of(*["nnf", "fff"] * 20))
    assert few.krippendorff_alpha.value is not None
    assert few.krippendorff_alpha.low is None
    assert few.variance is None
    (words,) = [text for text in few.warnings if text.startswith("No interval")]
    assert words.endswith("; here are 3 and 40.")


def test_a_rare_category_has_no_interval_for_other_workers() -> None:
    found = agree(drawn(Study(400, 20, 10, shares=RARE), accuracy=0.97))
    assert found.per_category_alpha["0"].low is not None
    assert found.per_category_alpha["3"].value is not None
    assert found.per_category_alpha["3"].low is None
    assert found.confusion["3"]["0"].low is None
    assert any("3 (" in text for text in found.warnings if text.startswith("Rare"))


def test_what_narrows_the_interval_is_said() -> None:
    alike = agree(drawn(Study(400, 20, 10), accuracy=0.85))
    assert alike.variance is not None
    assert alike.variance.worker_share < 0.5
    assert "more queries would narrow its interval more than more workers" in alike.variance.advice
    assert alike.interval == IntervalMethod.QUERIES_AND_WORKERS


def test_every_number_of_many_votes_has_an_interval_around_it() -> None:
    found = as_dict(agree(drawn(Study(2_000, 20, 10), accuracy=0.85)), details=True)
    nested = (found[name].values() for name in ("per_category_alpha", "patterns"))
    confused = (share for row in found["confusion"].values() for share in row.values())
    for one in (found["krippendorff_alpha"], found["gwet_ac1"], *chain(*nested), *confused):
        assert one["low"] < one["value"] < one["high"]


def drawn(study: Study, accuracy: float) -> Votes:
    """Votes of workers who are all right equally often."""
    return drawn_votes(study, np.full(study.workers, accuracy), np.random.default_rng(0))


def test_wilson_interval_of_a_published_example() -> None:
    # 81 of 263: 0.2553 to 0.3662, Newcombe, Statistics in Medicine 17 (1998), Table I, method 3.
    found = wilson(81, 263)
    assert found.low == pytest.approx(0.2553, abs=5e-5)
    assert found.high == pytest.approx(0.3662, abs=5e-5)
    assert wilson(0, 0).value is None
    assert wilson(0, 20).low == 0.0


def test_few_degrees_of_freedom_are_said_to_make_an_interval_wide() -> None:
    # Student's t: 4.303 with two degrees of freedom, 3.182 with three, a quarter less.
    assert "narrow it by 26%" in narrowing_advice(0.0, 2.0)
    assert "more queries would narrow" in narrowing_advice(0.0, 30.0)
    assert narrowing_advice(0.7) == narrowing_advice(0.7, 100.0)


def test_spammers_are_said_beside_the_intervals() -> None:
    rng = np.random.default_rng(5)
    truth = rng.integers(2, size=100)
    rows = [
        (query, worker, int(true if worker < 6 and rng.random() < 0.9 else rng.integers(2)))
        for query, true in enumerate(truth)
        for worker in range(7)
    ]
    table = Votes.of(*zip(*rows, strict=True))
    assert any(words.startswith("1 of 7 workers agree") for words in agree(table).warnings)
    without = table.kept(table.worker != 6)
    assert not any("hardly beyond chance" in words for words in agree(without).warnings)


def in_few_hits(n_hits: int, per_hit: int = 5) -> Votes:
    """2,000 queries; two votes of each query of `n_hits` HITs say o, and stray ones of others."""
    hits = np.arange(2_000) // per_hit
    votes = np.zeros((2_000, 3), dtype=np.int32)
    votes[hits < n_hits, :2] = 1
    votes[hits < n_hits, 2] = np.arange(n_hits * per_hit) % 2
    votes[1_500:, 0] = 1
    worker = (hits[:, None] + np.arange(3)) % 30
    return Votes(
        item=np.repeat(np.arange(2_000, dtype=np.int32), 3),
        worker=worker.ravel().astype(np.int32),
        answer=votes.ravel(),
        items=tuple(map(str, range(2_000))),
        workers=tuple(map(str, range(30))),
        options=("n", "o"),
        clusters=hits.astype(np.int32),
    )


@pytest.mark.parametrize(("n_hits", "is_given"), [(14, False), (15, True)])
def test_a_category_of_few_hits_has_no_interval_however_many_stray_votes_it_has(
    n_hits: int, is_given: bool
) -> None:
    found = agree(in_few_hits(n_hits))
    # Half of all HITs are enough.
    assert agree(in_few_hits(10, 100)).per_category_alpha["o"].low is not None

    assert (found.per_category_alpha["o"].low is not None) is is_given
    words = [one for one in found.warnings if one.startswith("Clustered")]
    assert bool(words) is not is_given
    if words:
        # One more HIT of 14 that were found in 2,000 queries: 2,000 / 14, rounded up.
        assert "14 HITs" in words[0]
        assert "143 more queries" in words[0]
