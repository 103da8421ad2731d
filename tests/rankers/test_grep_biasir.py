"""Grep-BiasIR: 117 queries with documents in male, female and neutral wording (CC0).

Swapping the genders of every document must negate RaB and ARaB for `tc` and `bool` and leave
NFaiRR and TExFAIR as they are, up to words whose counterpart is not in the word list. (`tf` may
move: `her` becomes `his` in one place and `him` in another, and the logarithm is per word.)
"""

import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from metrics.measures import arab, nfairr, rab, texfair
from metrics.results.preference import WORDINGS, Wordings, wording_preference
from metrics.runs import read_run
from metrics.texts import counterfactual
from metrics.texts.lexicon import read_lexicon
from metrics.texts.magnitude import Scores, score_texts
from rankers.bm25 import BM25
from rankers.grepbias.dataset import Pair, read_pairs
from rankers.runs import write_runs
from tests.program import run_json

pytestmark = pytest.mark.shared_data

Matrix = NDArray[np.float64]


@pytest.fixture(scope="module")
def folder(shared_data: Path) -> Path:
    return shared_data / "grepbias"


@pytest.fixture(scope="module")
def pairs(folder: Path) -> list[Pair]:
    return read_pairs(folder)


@pytest.fixture(scope="module")
def texts(pairs: list[Pair]) -> list[str]:
    """All 702 documents, of each category six of each query in a row."""
    return [pair.text for pair in pairs]


def wordings(pairs: Sequence[Pair]) -> list[Wordings]:
    """The documents that have all three wordings."""
    docnos: dict[tuple[str, bool], dict[str, str]] = {}
    for pair in pairs:
        if pair.gender in WORDINGS:
            docnos.setdefault((pair.query, pair.relevant), {})[pair.gender] = pair.document
    return [
        Wordings(query, by_gender)
        for (query, _), by_gender in docnos.items()
        if len(by_gender) == len(WORDINGS)
    ]


def bm25_run(pairs: Sequence[Pair], folder: Path) -> Path:
    """What BM25 makes of all documents for every query."""
    documents = [(pair.document, pair.text) for pair in pairs]
    queries = list({pair.query: pair.query_text for pair in pairs}.items())
    return write_runs([BM25], documents, queries, folder, depth=len(documents))["BM25"]


def scored(texts: list[str]) -> Scores:
    return score_texts(texts, read_lexicon())


def swapped(texts: list[str]) -> list[str]:
    swap = counterfactual.substitution(counterfactual.read_pairs())
    return [swap(text) for text in texts]


def mirrored(texts: list[str]) -> NDArray[np.bool_]:
    """Documents whose counts of the two groups change places when their genders are swapped."""
    before, after = (
        scored(texts),
        scored(swapped(texts)),
    )
    changed: NDArray[np.bool_] = (before.tc["f"] == after.tc["m"]) & (
        before.tc["m"] == after.tc["f"]
    )
    return changed


def lists_of(scores: Scores, kept: NDArray[np.bool_], depth: int = 8) -> dict[str, Matrix]:
    """The kept documents as ranked lists of `depth`: counts of each group and lengths."""
    whole = int(kept.sum()) // depth * depth
    columns = {"f": scores.tc["f"], "m": scores.tc["m"], "n": scores.n_tokens}
    return {
        name: column[kept][:whole].reshape(-1, depth).astype(float)
        for name, column in columns.items()
    }


@pytest.mark.long
def test_all_but_fourteen_documents_mirror_and_only_three_words_are_to_blame(
    texts: list[str],
) -> None:
    kept = mirrored(texts)
    pairs, in_list = counterfactual.read_pairs().words, read_lexicon().group_of
    blamed = Counter(
        word
        for text in np.array(texts)[~kept]
        for word in re.findall(r"\w+", text.lower())
        if (word in in_list) != (pairs.get(word, word) in in_list)
    )

    assert len(texts) == 702
    assert int(kept.sum()) == 688
    assert blamed == {"guys": 12, "gentlemen": 1, "ladies": 1}


@pytest.mark.long
def test_swapping_negates_the_bias_and_keeps_fairness(texts: list[str]) -> None:
    kept = mirrored(texts)
    before = lists_of(scored(texts), kept)
    after = lists_of(
        scored(swapped(texts)),
        kept,
    )

    assert before["f"].any()
    for boolean in (False, True):
        female, male = (before[g] > 0 if boolean else before[g] for g in "fm")
        her, his = (after[g] > 0 if boolean else after[g] for g in "fm")
        for measure in (rab, arab):
            for cutoff in (5, 8):
                expected = -measure(female, male, cutoff)
                np.testing.assert_allclose(measure(her, his, cutoff), expected, atol=1e-12)
    for lists in (before, after):
        lists["nfairr"] = nfairr(lists["f"], lists["m"], 5, background=(lists["f"], lists["m"]))
        lists["texfair"] = texfair([lists["f"], lists["m"]], lists["n"], 5)
    np.testing.assert_allclose(after["nfairr"], before["nfairr"], atol=1e-12)
    np.testing.assert_allclose(after["texfair"], before["texfair"], atol=1e-12)


@pytest.mark.parametrize(("names", "n_same"), [("representative", 158), ("common", 160)])
def test_the_data_set_itself_is_the_swap_of_most_of_its_232_pairs(
    pairs: list[Pair], names: str, n_same: int
) -> None:
    swap = counterfactual.substitution(counterfactual.read_pairs(names=names))
    texts, documents = {pair.document: pair.text for pair in pairs}, wordings(pairs)
    same = [
        swap(texts[d.docnos["M"]]) == texts[d.docnos["F"]]
        or swap(texts[d.docnos["F"]]) == texts[d.docnos["M"]]
        for d in documents
    ]

    assert (sum(same), len(same)) == (n_same, 232)


def test_a_model_prefers_some_wording_of_each_document(pairs: list[Pair], tmp_path: Path) -> None:
    documents = wordings([pair for pair in pairs if pair.relevant])

    found = wording_preference(read_run(bm25_run(pairs, tmp_path)), documents)

    assert found.n + found.n_tied + found.n_not_retrieved == len(documents) == 117
    assert found.male + found.female + found.neutral == pytest.approx(1)
    # BM25 knows no gender: where the wordings differ in nothing else it gives equal scores.
    assert found.n_tied > 0.2 * 117


def test_the_wordings_that_runs_prefer_are_a_table(
    pairs: list[Pair], folder: Path, tmp_path: Path
) -> None:
    run = bm25_run(pairs, tmp_path)
    documents = wordings([pair for pair in pairs if pair.relevant])
    call = ["grepbias", "report", "--run", f"BM25={run}", "--data", folder]

    (row,) = run_json(*call, "--depth", "50", "--output", tmp_path / "t")["table3_runs"]

    found = wording_preference(read_run(run), documents, 50)
    assert (row["male"], row["n"], row["n_tied"]) == (found.male, found.n, found.n_tied)
    assert (tmp_path / "t" / "table3_runs.csv").exists()
