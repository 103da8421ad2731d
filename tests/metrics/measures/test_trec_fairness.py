"""AWRF-TREC, EE-L, EE-D, EE-R, NDKL and ExposureRatio against workings and a second programme."""

import itertools
import math
from collections.abc import Mapping

import numpy as np
import pytest

from metrics.api import evaluate
from metrics.errors import InputError
from metrics.measures import Inputs, available, get
from metrics.measures.awrf_trec import awrf_trec
from metrics.measures.expected_exposure import expected_exposure, target_exposure
from metrics.measures.exposure_ratio import exposure_ratio
from metrics.measures.ndkl import ndkl
from metrics.runs import Run
from metrics.runs.ranked import join
from metrics.texts.in_memory import score_in_memory
from metrics.texts.labels import labels_of

#: Europe, Asia, unknown of four ranks; the worked example of the fair ranking tracks' code.
_EUROPE, _ASIA = (1, 0.5, 0, 0), (0, 0.5, 0, 1)
_LABELS = {
    "d1": {"geo": {"europe": 1.0}, "age": {"old": 1.0}},
    "d2": {"geo": {"europe": 0.5, "asia": 0.5}, "age": {"new": 1.0}},
    "d3": {"age": {"old": 1.0}},
    "d4": {"geo": {"asia": 1.0}, "age": {"old": 0.5, "new": 0.5}},
}
_RUN = {"q": {"d1": 4.0, "d2": 3.0, "d3": 2.0, "d4": 1.0}}
_QRELS = {"q": {"d1": 1, "d2": 1, "d3": 0, "d4": 2}}


def _inputs(
    run: Mapping[str, Mapping[str, float]] = _RUN, qrels: Mapping[str, Mapping[str, int]] = _QRELS
) -> Inputs:
    ranked = join(Run.from_dict(run, "A"), None, 10)
    return Inputs(ranked, qrels=qrels, labels=labels_of(_LABELS))


def _value(name: str, inputs: Inputs | None = None) -> float:
    return float(get(name).compute(inputs or _inputs()).value[0])


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        # Worked by hand with e = .479091 .319394 .201515 and t = (.4, .6): known .6, .4, so
        # 1 - (.6 ln 1.2 + .4 ln .8).
        ("AWRF-TREC(attributes=geo,target=asia:0.6/europe:0.4)@4", 0.979864),
        ("EE-L(attributes=geo,target=asia:0.6/europe:0.4)@4", 0.833184),
        ("EE-D(attributes=geo,target=asia:0.6/europe:0.4)@4", 3.25),
        ("EE-R(attributes=geo,target=asia:0.6/europe:0.4)@4", 3.757116),
    ],
)
def test_the_worked_example_of_the_tracks_comes_out_to_all_its_digits(
    name: str, expected: float
) -> None:
    assert round(_value(name), 6) == expected


def test_groups_a_b_b_a_have_the_divergence_and_the_ratio_worked_by_hand() -> None:
    weights = np.array([[[1.0, 0, 0, 1]], [[0, 1.0, 1, 0]]])
    present = np.ones((1, 4), dtype=bool)
    # KL of (1,0), (.5,.5), (1/3,2/3), (.5,.5) from halves, by 1/log2(i+1).
    assert round(float(ndkl(weights, np.array([0.5, 0.5]), present, 4)[0]), 6) == 0.281645
    # (1 + 1/log2(5)) / 2 = .715338 and (1/log2(3) + 1/2) / 2 = .565465.
    assert round(float(exposure_ratio(weights, present, 4)[0]), 6) == 0.790486


def test_two_attributes_are_the_outer_product_of_their_groups() -> None:
    # Exposure by TREC's discounts over 2.5 + 1/log2(3): .319394 .159697 / .079848 .239545 /
    # .201515 0, worked by hand; the target is equal over the four known pairs.
    europe_old, europe_new, asia_old, asia_new = 0.319394, 0.159697, 0.079848, 0.239545
    shown = np.array([europe_old, europe_new, asia_old, asia_new])
    shown /= shown.sum()
    middle = (shown + 0.25) / 2
    divergence = ((shown * np.log(shown / middle)) + 0.25 * np.log(0.25 / middle)).sum() / 2
    assert _value("AWRF-TREC(attributes=geo+age)@4") == pytest.approx(1 - divergence, abs=1e-5)


def test_what_is_unknown_is_left_out_a_group_or_shrinks_the_distance() -> None:
    left_out = _value("AWRF-TREC(attributes=geo,target=asia:0.6/europe:0.4)@4")
    discounted = _value("AWRF-TREC(attributes=geo,target=asia:0.6/europe:0.4,unknown=discount)@4")
    assert discounted == pytest.approx(1 - (1 - left_out) * (1 - 0.201515), abs=1e-6)
    target = "asia:0.4/europe:0.4/unknown:0.2"
    grouped = _value(f"AWRF-TREC(attributes=geo,target={target},unknown=group)@4")
    shown, goal = np.array([0.319394, 0.479091, 0.201515]), np.array([0.4, 0.4, 0.2])
    middle = (shown + goal) / 2
    divergence = (shown * np.log(shown / middle) + goal * np.log(goal / middle)).sum() / 2
    assert grouped == pytest.approx(1 - divergence, abs=1e-6)
    with pytest.raises(InputError, match="unknown=group"):
        _value(f"AWRF-TREC(attributes=geo,target={target})@4")


def test_the_target_may_be_that_of_the_relevant_documents_or_of_all() -> None:
    # Relevant: d1, d2, d4: europe 1.5, asia 1.5 of 3, so halves.
    relevant = _value("AWRF-TREC(attributes=geo,target=relevant)@4")
    assert relevant == pytest.approx(_value("AWRF-TREC(attributes=geo)@4"), abs=1e-12)
    # Of grade 2 only d4: asia alone.
    alone = _value("AWRF-TREC(attributes=geo,target=relevant,relevant=2)@4")
    assert alone == pytest.approx(_value("AWRF-TREC(attributes=geo,target=asia:1/europe:0)@4"))
    background = _value("AWRF-TREC(attributes=geo,target=background)@4")
    assert background == pytest.approx(relevant, abs=1e-12)


def test_words_align_documents_too_and_together_with_labels() -> None:
    magnitudes = score_in_memory({"d1": "he", "d2": "she", "d3": "rain", "d4": "he and she"})
    ranked = join(Run.from_dict(_RUN, "A"), magnitudes, 10)
    inputs = Inputs(ranked, magnitudes, qrels=_QRELS, labels=labels_of(_LABELS))
    # f: 1 + .25, m: 1 + .25: as equal as the target.
    assert _value("AWRF-TREC@4", inputs) == pytest.approx(1.0, abs=1e-12)
    assert 1 - math.log(2) < _value("AWRF-TREC(attributes=words+geo)@4", inputs) < 1
    assert get("AWRF-TREC(attributes=words+geo,target=relevant)").needs == {
        "magnitudes", "labels", "qrels",
    }  # fmt: skip


def test_relevant_documents_of_no_group_expose_none_unless_they_are_one() -> None:
    neutral, male = np.zeros((3, 1, 10)), np.zeros((3, 1, 10))
    neutral[2], male[1] = 1, 1  # f, m, and unknown
    relevant, goal = np.ones((1, 10), bool), target_exposure(np.array([[0.5, 0.5]]), 10)
    losses = [
        ((expected_exposure(weights[:2], relevant, 10) - goal) ** 2).sum()
        for weights in (neutral, male)
    ]
    assert losses[0] == pytest.approx(losses[1])
    for name in ("EE-L", "EE-D", "EE-R"):
        assert get(name).definition.params["unknown"].default == "left-out"


def test_ranks_before_the_first_document_with_a_group_count_where_it_is_asked_for() -> None:
    weights = np.zeros((2, 1, 20))
    weights[0, 0, -1] = 1
    present, goal = np.ones((1, 20), bool), np.array([0.5, 0.5])
    assert ndkl(weights, goal, present, 20)[0] == pytest.approx(math.log(2))
    share = (1 / math.log2(21)) / sum(1 / math.log2(rank + 1) for rank in range(1, 21))
    counted = ndkl(weights, goal, present, 20, before="counted")[0]
    assert counted == pytest.approx(math.log(2) * share)
    weights[0, 0, 0] = 1  # from the first rank on
    assert ndkl(weights, goal, present, 20) == ndkl(weights, goal, present, 20, before="counted")


def test_a_query_without_relevant_documents_in_its_list_has_zero_exposure() -> None:
    inputs = _inputs(qrels={"q": {"d3": 0, "d9": 1}})
    assert _value("EE-D(attributes=geo)@4", inputs) == 0
    whole = 2.5 + 1 / math.log2(3)
    assert _value("EE-L(attributes=geo)@4", inputs) == pytest.approx(whole**2 / 2)


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        ({"d1": {"geo": {"asia": -0.5}}}, "above 0"),
        ({"d1": {"geo": {"asia": 0.7, "europe": 0.4}}}, "add up to 1.1"),
        ({}, "label"),
    ],
)
def test_weights_that_are_no_shares_are_refused(labels: object, message: str) -> None:
    with pytest.raises(InputError, match=message):
        labels_of(labels)


@pytest.mark.parametrize(
    "name",
    [
        "AWRF-TREC(attributes=colour)@4",
        "AWRF-TREC(attributes=geo,target=asia:1)@4",
        "AWRF-TREC(attributes=geo,target=asia:0.6/europe:0.6)@4",
        "AWRF-TREC(attributes=geo+age,target=asia:0.6/europe:0.4)@4",
        "AWRF-TREC(attributes=geo+geo)@4",
        "LabelAWRF@4",
    ],
)
def test_attributes_and_targets_that_do_not_fit_are_refused_with_a_remedy(name: str) -> None:
    with pytest.raises(InputError) as caught:
        _value(name)
    assert caught.value.remedy


def _divergence_of(shown: list[float], target: list[float]) -> float:
    return sum(s * math.log(s / t) for s, t in zip(shown, target, strict=True) if s > 0)


def _second_opinion(documents: list[list[float]], target: list[float], cutoff: int) -> list[float]:
    """AWRF-TREC, EE-L, NDKL and the ratio of one list in plain Python, one rank after another."""
    groups = range(len(target))
    trec = [1 / math.log2(max(rank, 2)) for rank in range(1, cutoff + 1)]
    exposed = [sum(w * d[g] for w, d in zip(trec, documents, strict=False)) for g in groups]
    shown = [e / sum(exposed) for e in exposed]
    middle = [(s + t) / 2 for s, t in zip(shown, target, strict=True)]
    awrf = 1 - (_divergence_of(shown, middle) + _divergence_of(target, middle)) / 2
    loss = sum((e - t * sum(trec)) ** 2 for e, t in zip(exposed, target, strict=True))
    total = norm = 0.0
    for i in range(1, min(cutoff, len(documents)) + 1):
        so_far = [sum(d[g] for d in documents[:i]) for g in groups]
        known = sum(so_far)
        if known > 0:
            norm += 1 / math.log2(i + 1)
            total += _divergence_of([s / known for s in so_far], target) / math.log2(i + 1)
    mean = []
    for g in groups:
        number = sum(d[g] for d in documents[:cutoff])
        weighted = sum(
            d[g] / math.log2(rank + 1) for rank, d in enumerate(documents[:cutoff], start=1)
        )
        mean.append(weighted / number if number else 0.0)
    return [awrf, loss, total / norm, min(mean) / max(mean)]


def test_fifty_generated_rankings_agree_with_a_second_programme() -> None:
    rng = np.random.default_rng(20261127)
    for _, n_groups in itertools.product(range(17), (2, 3, 5)):
        depth, cutoff = int(rng.integers(1, 30)), int(rng.integers(1, 30))
        documents = rng.dirichlet(np.full(n_groups, 0.4), size=depth)
        documents[rng.random(depth) < 0.2] = 0.0
        documents[0] = 1 / n_groups
        target = rng.dirichlet(np.ones(n_groups))
        weights, present = documents.T[:, None, :], np.ones((1, depth), dtype=bool)
        exposed = expected_exposure(weights, present, cutoff)
        computed = [
            awrf_trec(weights, target, present, cutoff)[0],
            ((exposed - target_exposure(target, cutoff)) ** 2).sum(),
            ndkl(weights, target, present, cutoff)[0],
            exposure_ratio(weights, present, cutoff)[0],
        ]
        expected = _second_opinion(documents.tolist(), target.tolist(), cutoff)
        assert computed == pytest.approx(expected, abs=1e-12, rel=1e-12)


def test_every_value_lies_between_its_floor_and_its_ideal() -> None:
    texts = {f"d{i}": "he " * (i % 3) + "she " * (i % 5) + "rain" for i in range(40)}
    rng = np.random.default_rng(7)
    runs = {
        name: {
            f"q{q}": {f"d{d}": float(s) for d, s in enumerate(rng.random(40))} for q in range(30)
        }
        for name in ("A", "B")
    }
    qrels = {f"q{q}": {f"d{d}": int(d % 4 == 0) for d in range(40)} for q in range(30)}
    measures = [d.name for d in available() if "magnitudes" in d.needs or d.needs == {"qrels"}]
    table = evaluate(
        runs, measures, texts, qrels=qrels, background="collection", cutoffs=10, scale=True
    )
    assert set(table["measure"]) == {str(get(name)) for name in measures}
    for row in table.to_dict("records"):
        ends = [end for end in (row["floor"], row["ideal"]) if end == end]  # noqa: PLR0124 - NaN
        if len(ends) == 2:
            assert min(ends) - 1e-12 <= row["value"] <= max(ends) + 1e-12
            assert min(ends) - 1e-12 <= row["random"] <= max(ends) + 1e-12
        # A random run is as good as its own documents in a random order, but for chance.
        spread = 0.35 * max(1.0, abs(row["random"]))
        assert row["value"] == pytest.approx(row["random"], abs=spread)


def test_the_scale_of_a_run_is_the_same_whatever_other_runs_are_measured() -> None:
    texts = {"d1": "he", "d2": "she", "d3": "he and she", "d4": "rain"}
    alone = evaluate({"A": _RUN}, "AWRF-TREC@2", texts, scale=True)
    both = evaluate({"B": {"q": {"d4": 1.0}}, "A": _RUN}, "AWRF-TREC@2", texts, scale=True)
    of_a = both[both["run"] == "A"].reset_index(drop=True)
    assert of_a.equals(alone)
    # Of two equal groups the worst shows one: 1 - (ln(4/3) + ln(2/3)/2 + ln(2)/2) / 2.
    assert alone["floor"][0] == pytest.approx(1 - (math.log(4 / 3) + math.log(4 / 3) / 2) / 2)
