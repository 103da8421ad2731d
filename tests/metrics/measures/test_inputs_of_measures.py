"""Measures on joined runs: backgrounds, groups, judgements, and what they refuse."""

from pathlib import Path

import numpy as np
import pytest

from metrics.errors import InputError
from metrics.measures import Inputs, fairr, get, nfairr
from metrics.results.evaluation import all_measures, requests_of
from metrics.runs import read_run
from metrics.runs.ranked import Ranked, join
from metrics.texts.lexicon import read_lexicon
from metrics.texts.magnitude_store import Magnitudes, open_magnitudes
from metrics.texts.scoring import score_collection

TEXTS = {
    "d1": "he saw his son",
    "d2": "she saw her",
    "d3": "nothing",
    "d4": "he and she",
    "d5": "he he he her",
}


@pytest.fixture
def magnitudes(tmp_path: Path) -> Magnitudes:
    return scored(tmp_path)


def scored(folder: Path, lexicon: Path | None = None) -> Magnitudes:
    collection, output = folder / "collection.tsv", folder / "m.parquet"
    collection.write_text("".join(f"{d}\t{t}\n" for d, t in TEXTS.items()), encoding="utf-8")
    score_collection(collection, output, lexicon=read_lexicon(lexicon))
    return open_magnitudes(output)


def ranked(folder: Path, magnitudes: Magnitudes, name: str, lists: dict[str, str]) -> Ranked:
    """A run of `lists` (query to document ids), joined for the queries q1 and q2."""
    path = folder / f"{name}.run"
    path.write_text(
        "".join(
            f"{qid} Q0 {docno} {rank} {9 - rank} x\n"
            for qid, docnos in lists.items()
            for rank, docno in enumerate(docnos.split())
        ),
        encoding="utf-8",
    )
    return join(read_run(path, name), magnitudes, 5, "zero", queries=["q1", "q2"])


@pytest.fixture
def run(tmp_path: Path, magnitudes: Magnitudes) -> Ranked:
    return ranked(tmp_path, magnitudes, "A", {"q1": "d1 d3 d5", "q2": "d2 d4 d3"})


def test_fairr_of_a_run_is_that_of_its_counts(run: Ranked) -> None:
    found = get("FaiRR@3").compute(Inputs(run)).value

    np.testing.assert_allclose(found, fairr(run.tc["f"], run.tc["m"], 3, run.present))


def test_nfairr_reorders_the_documents_of_the_background_of_each_query(
    tmp_path: Path, magnitudes: Magnitudes, run: Ranked
) -> None:
    background = ranked(tmp_path, magnitudes, "B", {"q1": "d5 d1 d4", "q2": "d2"})

    found = get("NFaiRR(background=B)@2").compute(Inputs(run, backgrounds={"B": background}))

    # q1: d1 (0), d3 (1 / log2 3); best of d5 (1/2), d1 (0), d4 (1): 1 + 1/2 / log2 3.
    # q2: the only background document is wholly female: undefined.
    w2 = 0.6309297535714575
    assert found.value[0] == pytest.approx(w2 / (1 + w2 / 2))
    assert np.isnan(found.value[1])


def test_the_depth_of_a_background_can_be_cut(
    tmp_path: Path, magnitudes: Magnitudes, run: Ranked
) -> None:
    background = ranked(tmp_path, magnitudes, "B", {"q1": "d5 d1 d4", "q2": "d4 d2"})

    found = get("NFaiRR(background=B,depth=1)@1").compute(
        Inputs(run, backgrounds={"B": background})
    )

    assert found.value.tolist() == [0, 0]  # d1 over d5; d2 over d4


def test_nfairr_over_the_whole_collection_knows_no_query(
    run: Ranked, magnitudes: Magnitudes
) -> None:
    found = get("NFaiRR(background=collection)@3").compute(Inputs(run, magnitudes)).value

    counts = [np.tile(magnitudes.tc[group], (2, 1)) for group in "fm"]
    expected = nfairr(
        run.tc["f"], run.tc["m"], 3, background=(counts[0], counts[1]), present=run.present
    )
    np.testing.assert_allclose(found, expected)


def test_a_query_without_a_background_is_an_error_that_names_it(
    tmp_path: Path, magnitudes: Magnitudes, run: Ranked
) -> None:
    background = ranked(tmp_path, magnitudes, "B", {"q1": "d4"})

    with pytest.raises(InputError, match=r"'B'.* 1 .*'q2'") as caught:
        get("NFaiRR(background=B)@2").compute(Inputs(run, backgrounds={"B": background}))
    assert caught.value.path == str(tmp_path / "B.run")


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("NFaiRR@5", "NFaiRR"),
        ("NFaiRR(background=C)@5", "NFaiRR .*'C'"),
        ("nDCG@5", "qrels="),
        ("TExFAIR(target=f:0.5/m:0.6)@5", "f, m"),
        ("AWRF(target=f:1)@5", "f, m"),
        ("AWRF(distance=cosine)@5", "'cosine'"),
    ],
)
def test_what_is_missing_or_wrong_is_said(run: Ranked, name: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        get(name).compute(Inputs(run))


def test_three_groups_are_an_error_for_fairr_and_fine_for_texfair(tmp_path: Path) -> None:
    words = tmp_path / "words.csv"
    words.write_text("he,a\nshe,b\nson,c\n", encoding="utf-8")
    magnitudes = scored(tmp_path, words)
    run = ranked(tmp_path, magnitudes, "A", {"q1": "d1", "q2": "d4"})

    with pytest.raises(InputError, match=r"3 \(a, b, c\)"):
        get("FaiRR@1").compute(Inputs(run))
    # d1: he, son: shares 1/2, 0, 1/2 against 1/3 each: TED 2/3; the most is 4/3.
    assert get("TExFAIR@1").compute(Inputs(run)).value[0] == pytest.approx(4 / 3 - 2 / 3)


def test_adjusted_rab_takes_off_the_bias_of_the_collection(
    run: Ranked, magnitudes: Magnitudes
) -> None:
    plain, adjusted = (
        get(f"{name}(magnitude=tc)@3").compute(Inputs(run, magnitudes)).value
        for name in ("RaB", "RaB-adjusted")
    )

    # Male words 3 0 0 1 3, female words 0 2 0 1 1 over the five documents: (7 - 4) / 5.
    np.testing.assert_allclose(plain - adjusted, 3 / 5)


def test_effectiveness_by_hand_and_a_query_that_nobody_judged(run: Ranked) -> None:
    qrels = {"q1": {"d3": 1, "d4": 1}}

    values = {
        name: get(f"{name}@3").compute(Inputs(run, qrels=qrels)).value
        for name in ("MRR", "Recall", "nDCG")
    }

    # q1 ranks d1, d3, d5: the relevant d3 stands second, d4 is not found.
    assert values["MRR"][0] == pytest.approx(1 / 2)
    assert values["Recall"][0] == pytest.approx(1 / 2)
    assert values["nDCG"][0] == pytest.approx(0.6309297536 / (1 + 0.6309297536))
    assert all(np.isnan(column[1]) for column in values.values())


def test_a_judged_query_that_a_run_does_not_answer_counts_as_nothing_found(
    tmp_path: Path, magnitudes: Magnitudes
) -> None:
    run = ranked(tmp_path, magnitudes, "A", {"q1": "d1"})
    qrels = {"q1": {"d1": 1}, "q2": {"d2": 1}}

    assert get("MRR@5").compute(Inputs(run, qrels=qrels)).value.tolist() == [1, 0]


def test_all_measures_are_those_that_groups_and_judgements_allow() -> None:
    assert {"RaB", "NFaiRR", "nDCG"} <= set(all_measures(2, with_qrels=True))
    assert not {"MRR", "Recall", "nDCG"} & set(all_measures(2, with_qrels=False))
    three = all_measures(3, with_qrels=False)
    assert set(three) == {
        *("AWRF", "AWRF-TREC", "NDKL", "ExposureRatio"),
        *("TED", "TED-noRBDF", "TExFAIR", "TExFAIR-noRBDF"),
    }
    assert requests_of(three)
