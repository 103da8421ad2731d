"""The four networks written out in NumPy, one pair at a time, after their papers."""

from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Weights = Mapping[str, Array]


def cosines(query: Array, document: Array) -> Array:
    def unit(rows: Array) -> Array:
        lengths = np.linalg.norm(rows, axis=1, keepdims=True)
        scaled: Array = rows / np.maximum(lengths, 1e-12)
        return scaled

    return unit(query) @ unit(document).T


def kernel_features(matrix: Array, n_query: int, n_document: int) -> Array:
    features = []
    for mean, width in [
        (1.0, 0.001),
        *((m / 10, 0.1) for m in (9, 7, 5, 3, 1, -1, -3, -5, -7, -9)),
    ]:
        total = 0.0
        for i in range(n_query):
            soft = sum(
                np.exp(-((matrix[i, j] - mean) ** 2) / (2 * width**2)) for j in range(n_document)
            )
            total += 0.01 * np.log(max(soft, 1e-10))
        features.append(total)
    return np.array(features)


def knrm(w: Weights, query: Array, document: Array, n_q: int, n_d: int, _idf: Array) -> float:
    return float(w["output.weight"][0] @ kernel_features(cosines(query, document), n_q, n_d))


def convknrm(w: Weights, query: Array, document: Array, n_q: int, n_d: int, _idf: Array) -> float:
    def ngrams(vectors: Array, width: int) -> Array:
        kernel = w[f"convolutions.{width - 1}.1.weight"]  # (filters, dimensions, width)
        bias = w[f"convolutions.{width - 1}.1.bias"]
        padded = np.vstack([vectors, np.zeros((width - 1, vectors.shape[1]))])
        rows = [
            np.einsum("fdw,wd->f", kernel, padded[i : i + width]) + bias
            for i in range(len(vectors))
        ]
        return np.maximum(np.array(rows), 0)

    features = [
        kernel_features(cosines(ngrams(query, a), ngrams(document, b)), n_q, n_d)
        for a in (1, 2, 3)
        for b in (1, 2, 3)
    ]
    return float(w["output.weight"][0] @ np.concatenate(features))


def convolve(image: Array, kernel: Array, bias: Array) -> Array:
    """(filters, H, W) of an image (channels, H, W) padded at the right and at the bottom."""
    size = kernel.shape[2]
    _, height, width = image.shape
    padded = np.zeros((image.shape[0], height + size - 1, width + size - 1))
    padded[:, :height, :width] = image
    out = np.zeros((len(kernel), height, width))
    for i in range(size):
        for j in range(size):
            out += np.einsum(
                "fc,chw->fhw", kernel[:, :, i, j], padded[:, i : i + height, j : j + width]
            )
    return out + bias[:, None, None]


def max_pool(image: Array, rows: int, columns: int) -> Array:
    _, height, width = image.shape
    out = np.zeros((len(image), rows, columns))
    for i in range(rows):
        top, bottom = i * height // rows, -(-(i + 1) * height // rows)
        for j in range(columns):
            left, right = j * width // columns, -(-(j + 1) * width // columns)
            out[:, i, j] = image[:, top:bottom, left:right].max(axis=(1, 2))
    return out


def dense(w: Weights, values: Array) -> float:
    hidden = np.maximum(w["hidden.weight"] @ values + w["hidden.bias"], 0)
    second = np.maximum(w["second.weight"] @ hidden + w["second.bias"], 0)
    return float(w["output.weight"][0] @ second)


def matchpyramid(
    w: Weights, query: Array, document: Array, _nq: int, _nd: int, _idf: Array
) -> float:
    image = cosines(query, document)[None]
    for level, size in enumerate(((36, 90), (18, 60), (9, 30), (6, 20), (3, 10))):
        kernel, bias = w[f"layers.{level}.1.weight"], w[f"layers.{level}.1.bias"]
        image = max_pool(np.maximum(convolve(image, kernel, bias), 0), *size)
    return dense(w, image.ravel())


def pacrr(w: Weights, query: Array, document: Array, n_q: int, _nd: int, idf: Array) -> float:
    matrix = cosines(query, document)
    signals = [matrix]
    for place in range(3):
        kernel = w[f"convolutions.{place}.1.weight"]
        convolved = convolve(matrix[None], kernel, w[f"convolutions.{place}.1.bias"])
        signals.append(np.maximum(convolved, 0).max(axis=0))
    weights = np.zeros(len(query))
    weights[:n_q] = np.exp(idf[:n_q]) / np.exp(idf[:n_q]).sum()
    strongest = [-np.sort(-one, axis=1)[:, :7] for one in signals]
    return dense(w, np.hstack([*strongest, weights[:, None]]).ravel())


DEFINITIONS: dict[str, Callable[[Weights, Array, Array, int, int, Array], float]] = {
    "knrm": knrm,
    "convknrm": convknrm,
    "matchpyramid": matchpyramid,
    "pacrr": pacrr,
}
