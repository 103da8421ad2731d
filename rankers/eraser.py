"""Linear erasure in closed form: vectors from which a linear model cannot read a concept.

Belrose et al. *LEACE: Perfect Linear Concept Erasure in Closed Form*, NeurIPS 2023; and the
subspace of pairs that differ in the concept alone, as in Bolukbasi et al., NeurIPS 2016.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from metrics.errors import InputError

Matrix = NDArray[np.float64]
_SMALLEST = 1e-9  # singular values relative to the largest, below which there is no direction


@dataclass(frozen=True, eq=False)
class Eraser:
    """x - M (x - mean) for vectors x (H,): M (H, H) takes what tells the concept."""

    mean: Matrix
    removed: Matrix

    def __call__(self, vectors: Matrix) -> Matrix:
        """The vectors (N, H) without the concept."""
        erased: Matrix = vectors - (vectors - self.mean) @ self.removed.T
        return erased


def leace(vectors: Matrix, concept: Matrix) -> Eraser:
    """The smallest change of the vectors (N, H) that leaves no covariance with `concept` (N, K).

    M = W+ P W, W the whitening of the vectors and P the projection on the columns of W Cov(x, z).
    """
    centred = vectors - vectors.mean(axis=0)
    crossed = centred.T @ (concept - concept.mean(axis=0)) / len(vectors)
    values, rotation = np.linalg.eigh(centred.T @ centred / len(vectors))
    kept = values > values.max(initial=0) * _SMALLEST
    rotation, scale = rotation[:, kept], np.sqrt(values[kept])
    directions = _basis((rotation / scale) @ rotation.T @ crossed)
    whitened = directions @ (directions.T @ ((rotation / scale) @ rotation.T))
    return Eraser(vectors.mean(axis=0), (rotation * scale) @ rotation.T @ whitened)


def pair_subspace(first: Matrix, second: Matrix, n_directions: int) -> Eraser:
    """Removes the `n_directions` in which pairs of vectors (N, H) differ most."""
    differences = first - second
    if not 0 < n_directions <= min(differences.shape):
        raise InputError(
            f"{len(differences)} pairs have no {n_directions} directions.",
            remedy="Use fewer directions or more pairs.",
        )
    _, _, directions = np.linalg.svd(differences, full_matrices=False)
    removed = directions[:n_directions].T @ directions[:n_directions]
    return Eraser(np.zeros(differences.shape[1]), removed)


def _basis(columns: Matrix) -> Matrix:
    """Return an orthonormal basis of the span of the columns."""
    basis, values, _ = np.linalg.svd(columns, full_matrices=False)
    spanned: Matrix = basis[:, values > values.max(initial=0) * _SMALLEST]
    return spanned
