"""Automatic labels with a promise: worked numbers, every sample of a small pool, files."""

from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from config.program import main
from measurements.automatic_labels import POOLS, one_look
from metrics import InputError, promise
from metrics.statistics.promises import (
    accepted_of_automatic,
    accepted_of_file,
    labels_without_error,
    sample_needed,
    wrong_allowed,
    wrong_at_most,
)
from metrics.votes.files.label_files import read_query_labels

FIRST_OF_MANY = 0.05 * 6 / np.pi**2


@pytest.mark.parametrize(
    ("error", "alpha", "labels"),
    [
        (0.05, 0.05, 59), (0.02, 0.05, 149), (0.1, 0.05, 29), (0.05, FIRST_OF_MANY, 69),
        (0.02, FIRST_OF_MANY, 173), (0.1, FIRST_OF_MANY, 34), (0.05, FIRST_OF_MANY / 4, 96),
        (0.02, FIRST_OF_MANY / 4, 242), (0.1, FIRST_OF_MANY / 4, 47),
    ],
)  # fmt: skip
def test_fewest_labels_without_an_error(error: float, alpha: float, labels: int) -> None:
    assert labels_without_error(error, alpha) == labels


def test_fewest_labels_with_errors() -> None:
    one = [labels_without_error(0.05, 0.05, wrong) for wrong in range(11)]
    assert one == [59, 93, 124, 153, 181, 208, 234, 260, 286, 311, 336]
    first = [labels_without_error(0.05, FIRST_OF_MANY, wrong) for wrong in range(11)]
    assert first == [69, 105, 137, 167, 196, 224, 252, 278, 305, 331, 356]


@pytest.mark.parametrize(
    ("accepted", "sampled", "wrong", "most"),
    [(400, 100, 2, 22), (1_000, 208, 5, 47), (200, 50, 0, 10)],
)
def test_upper_end_of_a_finite_pool(accepted: int, sampled: int, wrong: int, most: int) -> None:
    assert wrong_at_most(wrong, sampled, accepted, 0.05) == most


@pytest.mark.parametrize(
    "wrong_at", [(0, 1, 2), (5, 6, 7, 8), (1, 4, 7, 10), (11,), (0, 3, 11, 12)]
)
def test_every_sample_of_a_small_pool_keeps_the_promise(wrong_at: tuple[int, ...]) -> None:
    """Of the file: broken in at most a fifth of all samples, wherever the wrong labels stand."""
    size, n, alpha, error = 13, 5, 0.2, 0.16  # two of thirteen may be wrong
    is_wrong = np.isin(np.arange(size), wrong_at)
    confidence = np.linspace(1, 0.4, size)
    broken, accepted = 0, 0
    samples = list(combinations(range(size), n))
    for sample in samples:
        is_sampled = np.isin(np.arange(size), sample)
        chosen = accepted_of_file(
            confidence, is_sampled, is_wrong, error=error, alpha=alpha, lot=np.zeros(size)
        )
        accepted += bool(chosen.any())
        broken += int((chosen & ~is_sampled & is_wrong).sum()) > 2
    assert accepted > 0
    assert broken <= alpha * len(samples)


def test_the_automatic_ones_stop_at_the_first_threshold_that_fails() -> None:
    """A hundred sure labels without an error pass, the next hundred has too many."""
    confidence = np.repeat([1.0, 0.8, 0.6], 400)
    is_sampled = np.arange(1_200) % 4 == 0
    is_wrong = (confidence == 0.8) & (np.arange(1_200) % 5 == 0)
    chosen = accepted_of_automatic(confidence, is_sampled, is_wrong, error=0.05, alpha=0.05)
    assert chosen.tolist() == (confidence == 1.0).tolist()


def test_nothing_is_accepted_below_the_fewest_labels() -> None:
    confidence, is_wrong = np.ones(1_000), np.zeros(1_000, bool)
    for n, is_any in ((40, False), (70, True)):
        is_sampled = np.arange(1_000) < n
        chosen = accepted_of_automatic(confidence, is_sampled, is_wrong, error=0.05, alpha=0.05)
        assert chosen.any() == is_any


def test_wrong_labels_that_a_sample_may_show() -> None:
    assert wrong_allowed(1_000, 20, 0.05, 0.05) == -1
    assert wrong_allowed(1_000, 60, 0.05, 0.05) == 0
    # All but one were seen: a wrong label that nobody saw is one at most.
    assert wrong_allowed(1_000, 999, 0.05, 0.05) == 949
    with pytest.raises(InputError, match="share of wrong labels is 0"):
        wrong_allowed(1_000, 60, 0.0, 0.05)


def test_labels_needed_are_enough_and_one_less_is_not() -> None:
    for of_file in (True, False):
        n = sample_needed(1_000, 0.01, 0.05, 0.05, of_file=of_file)
        assert n is not None
        if of_file:
            assert wrong_allowed(1_000, n, 0.05, 0.05) >= round(0.01 * n)
            assert wrong_allowed(1_000, n - 1, 0.05, 0.05) < round(0.01 * (n - 1))
        assert sample_needed(1_000, 0.05, 0.05, 0.05, of_file=of_file) is None


@pytest.mark.parametrize("of", ["file", "automatic"])
def test_promises_hold_in_simulated_pools(of: str) -> None:
    """All pools of the measurement, fifty draws each: as often broken as five of a hundred are."""
    random = np.random.default_rng(5)
    outcomes = [
        one_look(make(random), 300, of, 0.05, random)  # type: ignore[arg-type]
        for make in POOLS.values()
        for _ in range(50)
    ]
    assert np.mean([outcome.is_broken for outcome in outcomes]) <= 0.05
    assert np.mean([outcome.automatic for outcome in outcomes]) > 0.2


QIDS = [f"q{number}" for number in range(600)]
TRUE = {qid: "nmf"[place % 3] for place, qid in enumerate(QIDS)}
WRONG = dict.fromkeys(QIDS[100:110], "o")
MODELS = dict.fromkeys(("a", "b", "c"), TRUE | WRONG)
SAMPLE = {qid: TRUE[qid] for qid in np.random.default_rng(2).choice(QIDS, 150, replace=False)}


def test_rows_say_whose_a_label_is() -> None:
    made = promise(MODELS, SAMPLE)
    frame = made.labels
    assert list(frame.qid) == QIDS
    of_people = frame[frame.origin == "people"].set_index("qid")
    assert of_people.label.to_dict() == SAMPLE
    automatic = frame[frame.origin == "automatic"].set_index("qid")
    assert len(automatic) == made.count("automatic") > 400
    assert (automatic.label == automatic.by_models).all()
    wrong = [qid for qid in automatic.index if automatic.label[qid] != TRUE[qid]]
    assert 0 < len(wrong) <= 30
    assert "at most 5.0% of the 600 labels of the file" in made.sentence
    frame = pd.DataFrame([(q, m, c) for m, of in MODELS.items() for q, c in of.items()])
    frame.columns = pd.Index(["task", "worker", "label"])
    assert promise(frame, SAMPLE) == made


def test_the_lot_depends_on_ids_and_seed_and_not_on_order() -> None:
    models = {"a": {**TRUE, **dict.fromkeys(QIDS[:120], "o")}}
    first = promise(models, SAMPLE)
    turned = promise({"a": dict(reversed(models["a"].items()))}, SAMPLE)
    assert 0 < first.count("automatic") < 450
    assert {row["qid"]: row for row in first.rows} == {row["qid"]: row for row in turned.rows}
    assert first.rows != promise(models, SAMPLE, seed=1).rows


def test_a_tie_of_models_and_what_no_model_labels_stay_with_people() -> None:
    models = {"a": TRUE, "b": TRUE | {"q599": "o"}, "c": TRUE | {"q598": None}}
    assert promise({name: models[name] for name in "ab"}, SAMPLE).rows[599]["origin"] == ""
    two_of_three = promise(models, SAMPLE).rows[598]
    assert two_of_three["confidence"] == pytest.approx(2 / 3)


def test_classes_and_looks_ask_for_more() -> None:
    one = promise(MODELS, SAMPLE)
    classes, looks = promise(MODELS, SAMPLE, per_class=True), promise(MODELS, SAMPLE, looks=5)
    assert classes.alpha == pytest.approx(one.alpha / 4)
    assert looks.alpha == pytest.approx(one.alpha / 5)
    assert looks.count("automatic") <= one.count("automatic")
    assert "5 looks" in looks.assumptions[3]
    larger = promise(MODELS, {qid: TRUE[qid] for qid in QIDS if int(qid[1:]) % 2}, per_class=True)
    assert "each class" in larger.sentence


def test_a_sample_that_was_not_drawn_is_promised_nothing() -> None:
    unsure = {qid: ("o" if place < 300 else TRUE[qid]) for place, qid in enumerate(QIDS)}
    sure_ones = {qid: TRUE[qid] for qid in QIDS[300:450]}
    made = promise({"a": TRUE, "b": unsure, "c": TRUE}, sure_ones)
    assert made.count("automatic") == 0
    assert "differs from the pool" in made.sentence


def test_labels_copied_from_the_models_are_promised_nothing() -> None:
    copied = {qid: MODELS["a"][qid] for qid in SAMPLE}
    made = promise(MODELS, copied)
    assert made.count("automatic") == 0
    assert "copied from the model" in made.sentence


def test_without_people_it_says_how_many_it_takes() -> None:
    made = promise(MODELS)
    assert made.count("") == 600
    assert made.needed == {0.01: 83, 0.02: 106, 0.05: None}


@pytest.mark.parametrize(
    ("terms", "words"),
    [
        ({"error": 5}, "error is 5"), ({"confidence": 95}, "confidence is 95"),
        ({"of": "all"}, "of='all' is not known"), ({"looks": 0}, "looks is 0"),
        ({"people": {"q600": "n"}}, "1 of 1 items that people labelled have no label"),
        ({"models": 3}, "are int"), ({"models": pd.DataFrame({"a": ["x"]})}, "no column 'qid'"),
    ],
)  # fmt: skip
def test_refusals(terms: dict[str, Any], words: str) -> None:
    with pytest.raises(InputError, match=words):
        promise(**dict[str, Any](models=MODELS, people=SAMPLE) | terms)


def test_the_command_writes_labels_that_figures_do_not_take_for_people_s(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    models, people, labels = (tmp_path / f"{name}.csv" for name in ("models", "people", "labels"))
    lines = [f"{qid},{name},{label}" for name, of in MODELS.items() for qid, label in of.items()]
    models.write_text("\n".join(["qid,model,label", *lines]))
    people.write_text("\n".join(["qid,label", *(f"{q},{label}" for q, label in SAMPLE.items())]))
    given = ["promise", "--model-labels", str(models)]
    assert main([*given, "--labels", str(people), "-o", str(labels)]) == 0
    made = promise(models, people)
    said = capsys.readouterr().err
    assert made.sentence in said
    assert "simple random sample" in said
    written = pd.read_csv(labels, keep_default_na=False)
    assert written.origin.tolist() == [row["origin"] for row in made.rows]
    assert read_query_labels(labels) == SAMPLE
    assert main([*given, "-o", str(tmp_path / "none.csv")]) == 0
    assert "If the models are wrong on 1%: 83 labels for all others." in capsys.readouterr().err


def test_ids_that_are_taken_for_others_are_named() -> None:
    models = {"m": {str(number): "f" for number in range(40)}}
    made = promise(models, {f"{number}.0": "f" for number in range(5)})
    assert made.notices == [
        "The things that people labelled are taken for those that are written otherwise, 0.0 for 0."
    ]
    assert made.count("people") == 5
    assert promise(models, {"1": "f"}).notices == []


def test_files_may_have_any_labels(tmp_path: Path) -> None:
    models, people = tmp_path / "models.csv", tmp_path / "people.csv"
    rows = [(f"q{number}", "relevant" if number % 2 else "off topic") for number in range(200)]
    lines = "".join(f"{qid},{label}\n" for qid, label in rows)
    models.write_text(f"qid,label\n{lines}")
    people.write_text("qid,label\n" + "".join(f"{qid},{label}\n" for qid, label in rows[:2]))
    made = promise(models, people)
    assert {row["by_models"] for row in made.rows} == {"relevant", "off topic"}
    assert [row["label"] for row in made.rows[:2]] == ["off topic", "relevant"]
