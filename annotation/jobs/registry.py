"""All operations: each that a file in `operations` of a noun makes."""

from collections.abc import Iterator, Mapping
from importlib import import_module
from pkgutil import walk_packages

from annotation.accounts import operations as of_accounts
from annotation.batches import operations as of_batches
from annotation.core.operations import AnyOperation, Operation
from annotation.labels import operations as of_labels
from annotation.overview import operations as of_overview
from annotation.reports import operations as of_reports
from annotation.studies import operations as of_studies
from annotation.workers import operations as of_workers

_PACKAGES = (of_accounts, of_studies, of_labels, of_batches, of_reports, of_workers, of_overview)


def _operations() -> Iterator[AnyOperation]:
    for package in _PACKAGES:
        for module in walk_packages(package.__path__, f"{package.__name__}."):
            for value in vars(import_module(module.name)).values():
                if isinstance(value, Operation):
                    yield value


#: A file may use what another has made.
OPERATIONS: tuple[AnyOperation, ...] = tuple(dict.fromkeys(_operations()))

#: By the kind of job, as stored.
JOBS: Mapping[str, AnyOperation] = {
    operation.job: operation for operation in OPERATIONS if operation.job is not None
}
