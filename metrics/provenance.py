"""What a result was made from: it goes beside every table and every pool."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from metrics.files import sha256_of
from metrics.magnitude_store import Magnitudes
from metrics.queries import Queries
from metrics.ranked import Missing
from metrics.runs import Run
from metrics.version import VERSION

_OF_COLLECTION = (
    "tokenizer",
    "lexicon_name",
    "lexicon_sha256",
    "collection_name",
    "collection_sha256",
)


def provenance(
    runs: Iterable[Run],
    magnitudes: Magnitudes,
    queries: Queries | None,
    missing: Missing,
    backgrounds: Iterable[Run] = (),
) -> dict[str, Any]:
    """Files with their SHA-256, tokeniser, word list, rules and version; ready for JSON."""
    runs = list(runs)
    made_from = vars(magnitudes.metadata)
    return {
        "fairpool": VERSION,
        "magnitudes": {
            **_file(magnitudes.path, sha256_of(magnitudes.path)),
            **{name: made_from[name] for name in _OF_COLLECTION},
        },
        "queries": None if queries is None else _of_queries(queries),
        "runs": {run.name: _file(run.path, run.sha256) for run in runs},
        "backgrounds": {run.name: _file(run.path, run.sha256) for run in backgrounds},
        "order": runs[0].order if runs else "default",
        "missing": missing,
    }


def _of_queries(queries: Queries) -> dict[str, Any]:
    return {
        **_file(queries.path, queries.sha256),
        "layout": queries.layout,
        "n_queries": len(queries),
    }


def _file(path: str | Path, sha256: str) -> dict[str, str]:
    # The name without its folder: the same files give the same bytes wherever they lie.
    return {"file": Path(path).name, "sha256": sha256}
