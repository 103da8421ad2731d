"""The pools and models of a bundle, read one by one."""

from collections.abc import Iterator, Mapping

from annotation.reports.bundle.archive import Archive
from annotation.reports.bundle.described import json_object
from annotation.reports.bundle.study import ModelBundle, PoolBundle
from annotation.reports.bundle.tables import (
    ModelLabelRow,
    PassageRow,
    PoolRow,
    QueryRow,
    rows_of,
)
from metrics.errors import InputError

#: Labels of all models of a bundle, which are held in memory.
_MOST_MODEL_LABELS = 500_000


class PoolFolders(Mapping[str, PoolBundle]):
    """The pools of a bundle by name, without their places; each is read whenever it is needed.

    So no more than a pool is held in memory. `name_of` maps a folder such as `pools/1` to a name.
    """

    def __init__(self, bundle: Archive) -> None:
        folders = bundle.folders("pools")
        names = [str(json_object(folder, "pool.json").get("name")) for folder in folders]
        self._folders = dict(zip(names, folders, strict=True))
        self.name_of = {
            folder.place("").rstrip("/"): name for name, folder in zip(names, folders, strict=True)
        }

    def __getitem__(self, name: str) -> PoolBundle:
        folder = self._folders[name]
        queries = list(rows_of(folder, QueryRow, "queries.csv"))
        return PoolBundle(name, json_object(folder, "pool.json"), queries, places=())

    def __contains__(self, name: object) -> bool:
        return name in self._folders

    def __iter__(self) -> Iterator[str]:
        return iter(self._folders)

    def __len__(self) -> int:
        return len(self._folders)


def whole_pools(bundle: Archive) -> Iterator[PoolBundle]:
    """The pools in their order, with the places of their queries."""
    for folder in bundle.folders("pools"):
        terms = json_object(folder, "pool.json")
        queries = list(rows_of(folder, QueryRow, "queries.csv"))
        places = list(rows_of(folder, PoolRow, "pool.csv"))
        has_passages = bool(terms.get("of_pairs"))
        passages = list(rows_of(folder, PassageRow, "passages.csv")) if has_passages else []
        yield PoolBundle(str(terms["name"]), terms, queries, places, passages)


def check_model_labels(n_labels: int) -> None:
    """Raise `InputError` for more labels of all models than a bundle has."""
    if n_labels > _MOST_MODEL_LABELS:
        raise InputError(
            f"{n_labels:,} labels of models are more than the {_MOST_MODEL_LABELS:,} of a bundle.",
            remedy="Remove models that are not to be published.",
        )


def bundle_models(bundle: Archive) -> Iterator[ModelBundle]:
    """Read the models that labelled queries, with their labels."""
    n_labels = 0
    for folder in bundle.folders("models"):
        terms = json_object(folder, "model.json")
        labels = list(rows_of(folder, ModelLabelRow, "model_labels.csv"))
        n_labels += len(labels)
        check_model_labels(n_labels)
        yield ModelBundle(str(terms.pop("name", "")), terms, labels)
