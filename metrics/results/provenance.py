"""The provenance of a result, which goes beside every table and every pool."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from ..measures.sides import USUAL_SIDES
from ..runs import Run
from ..runs.queries import Queries
from ..runs.sidecar import model_sizes
from ..texts.document_numbers import DocumentNumbers
from ..texts.magnitude_store import Magnitudes
from ..version import VERSION
from ..vocabulary import Missing

_OF_COLLECTION = (
    "tokenizer",
    "repair",
    "lexicon_name",
    "lexicon_sha256",
    "collection_name",
    "collection_digest",
)


def provenance(
    runs: Iterable[Run],
    magnitudes: Magnitudes | None,
    queries: Queries | None,
    missing: Missing,
    backgrounds: Iterable[Run] = (),
    *,
    others: Mapping[str, DocumentNumbers | None] | None = None,
) -> dict[str, Any]:
    """Files with their digests, tokeniser, word list, rules and version; ready for JSON.

    `others` are the numbers of documents that do not come from the scored collection, by name.
    """
    runs = list(runs)
    return {
        "fairpool": VERSION,
        "magnitudes": None if magnitudes is None else _of_magnitudes(magnitudes),
        **{name: dict(numbers.origin) for name, numbers in (others or {}).items() if numbers},
        "queries": None if queries is None else _of_queries(queries),
        "runs": {
            run.name: {**_file(run.path, run.digest), **model_sizes(run.path)} for run in runs
        },
        "backgrounds": {run.name: _file(run.path, run.digest) for run in backgrounds},
        "order": runs[0].order if runs else "default",
        "missing": missing,
    }


def _of_magnitudes(magnitudes: Magnitudes) -> dict[str, Any]:
    made_from = vars(magnitudes.metadata)
    selected = magnitudes.metadata.selected_by
    groups = magnitudes.groups
    return {
        **_file(magnitudes.path, magnitudes.digest()),
        **{name: made_from[name] for name in _OF_COLLECTION},
        **({"selected_by": selected} if selected else {}),
        # The usual groups go without saying.
        **({} if groups == USUAL_SIDES else {"groups": list(groups)}),
    }


def _of_queries(queries: Queries) -> dict[str, Any]:
    return {
        **_file(queries.path, queries.digest),
        "layout": queries.layout,
        "n_queries": len(queries),
    }


def _file(path: str | Path, digest: str) -> dict[str, str]:
    # The name without its folder: the same files give the same bytes wherever they lie.
    return {"file": Path(path).name, "digest": digest}
