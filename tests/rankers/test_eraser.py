"""Linear erasure: nothing that a linear model reads is left, and no more is taken than needed."""

import numpy as np
import pytest

from metrics.errors import InputError
from rankers.eraser import leace, pair_subspace
from rankers.grepbias import CATEGORIES, Pair
from rankers.grepbias.dataset import Gender
from rankers.grepbias.erasure import erasure_rows


def test_leace_leaves_no_covariance_with_the_concept() -> None:
    rng = np.random.default_rng(0)
    concept = rng.integers(2, size=(400, 1)).astype(float)
    vectors = rng.normal(size=(400, 6)) @ rng.normal(size=(6, 6)) + concept * rng.normal(size=6)

    erased = leace(vectors, concept)(vectors)

    covariance = (erased - erased.mean(axis=0)).T @ (concept - concept.mean())
    np.testing.assert_allclose(covariance / 400, 0, atol=1e-12)
    # One direction is gone, and vectors that tell nothing are hardly touched.
    assert np.linalg.matrix_rank(erased - erased.mean(axis=0), tol=1e-6) == 5
    np.testing.assert_allclose(erased.mean(axis=0), vectors.mean(axis=0))


def test_leace_copes_with_directions_that_no_vector_has() -> None:
    vectors = np.array([[1.0, 0.0, 2.0], [3.0, 0.0, 1.0], [0.0, 0.0, 5.0], [2.0, 0.0, 2.0]])
    concept = np.array([[1.0], [0.0], [1.0], [0.0]])

    erased = leace(vectors, concept)(vectors)

    assert np.isfinite(erased).all()
    np.testing.assert_allclose((erased - erased.mean(axis=0)).T @ concept, 0, atol=1e-9)


def test_the_subspace_of_pairs_is_where_they_differ() -> None:
    first = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    second = first + np.array([[0.0, 0.0, 1.0], [0.0, 0.0, -2.0]])

    erase = pair_subspace(first, second, 1)

    np.testing.assert_allclose(erase(first), [[1, 2, 0], [4, 5, 0]], atol=1e-12)
    with pytest.raises(InputError):
        pair_subspace(first, second, 3)


def test_a_gap_that_all_categories_share_goes_and_relevance_stays() -> None:
    rng = np.random.default_rng(1)
    pairs, queries, documents = [], [], []
    signs: dict[Gender, float] = {"M": 1.0, "F": -1.0, "N": 0.0}
    for category in CATEGORIES:
        for number in range(4):
            query = np.append(rng.normal(size=5), 1.0)
            for relevant in (True, False):
                document = query + rng.normal(scale=0.1 if relevant else 2.0, size=6)
                for gender, sign in signs.items():
                    pairs.append(
                        Pair(category, f"{category}{number}", "d", gender, relevant, "", "")
                    )
                    queries.append(query)
                    documents.append(document + np.array([0, 0, 0, 0, 0, 0.5 * sign]))

    *rows, mean = erasure_rows(pairs, np.array(queries), np.array(documents), "subspace", 1)

    assert len(rows) == 7
    assert float(str(mean["gap_after"])) < 1e-9 < float(str(mean["gap_before"]))
    assert float(str(mean["auc_after"])) > 0.9
    assert mean["n_pairs"] == 7 * 4 * 2
