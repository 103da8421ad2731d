"""Importing a bundle: a published study, to view, measure and continue."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path

from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction

from annotation.core.counting import counted
from annotation.core.names import free_name
from annotation.core.operations import Actor, Operation, Result, Run
from annotation.core.parameters import HIDDEN, parameter
from annotation.core.perform import perform_here
from annotation.models import Batch, Study, StudyPool, StudyReport
from annotation.reports.bundle.described import InputFile
from annotation.reports.bundle.read import ReadBundle, read_bundle
from annotation.reports.bundle.study import PoolBundle
from annotation.reports.operations.imported_batch import store_published_batch
from annotation.reports.operations.imported_models import store_model
from annotation.reports.operations.imported_report import (
    store_published_report,
)
from annotation.reports.operations.imported_sample import store_samples
from annotation.studies.file_store import Stream, receive, store, workplace
from annotation.studies.operations.add_file import StreamField
from annotation.studies.operations.create import CREATE_STUDY
from annotation.studies.operations.files import add_study_file, in_words_of
from annotation.studies.queries.files_missing import files_missing
from annotation.vocabulary import LONGEST_OWN_NAME, FileKind, Permit
from metrics.errors import InputError
from metrics.io.digests import digest_of
from metrics.io.pair_ids import split_pair_id
from metrics.io.unseen import check_visible
from metrics.texts.lexicon import GROUP_NAME
from metrics.texts.magnitude import MAGNITUDES
from pooling import models
from pooling.items import list_name
from pooling.pool import Place, Pool, PooledQuery
from pooling.queries import pool_name_is_free
from pooling.store import pool_build

#: Errors of bundles that verify although we have not written them.
_UNSTORABLE = (
    AttributeError, LookupError, TypeError, ValueError, ValidationError,
    IntegrityError,
)  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class BundleParameters:
    filename: str = parameter(max_length=200, help_text="What the file is called.", style=HIDDEN)
    name: str = parameter(
        "",
        max_length=LONGEST_OWN_NAME,
        allow_blank=True,
        label="Name of the new study",
        help_text="Left out, the name that the bundle has.",
    )


@dataclass(frozen=True, kw_only=True)
class ImportBundleParameters(BundleParameters):
    stream: Stream = parameter(kind=StreamField, style=HIDDEN)


class ImportBundle(Operation[None, ImportBundleParameters]):
    """Make a study of a bundle: its pools, models, batches with votes and labels, reports, files.

    Everything in it is computed again first. Ids are new; money and personal data are in no bundle.
    A file that is not in the bundle, or that this site cannot use, can be added later.
    """

    name = "import bundle"
    command = "study import-bundle"
    title = "Import a bundle"
    button = "Import the bundle"
    subject = None
    parameters = ImportBundleParameters
    permission = None
    permit = Permit.CREATE_STUDIES

    def rehearse(self, subject: None, parameters: ImportBundleParameters, actor: Actor) -> Result:
        with _opened(parameters) as (bundle, path):
            study = _store_study(bundle, path, parameters, actor, stays=False)
        return Result(message=f"The bundle is valid, and would make the study {study.name}.")

    def run(self, subject: None, parameters: ImportBundleParameters, run: Run) -> Result:
        with _opened(parameters) as (bundle, path):
            study = _store_study(bundle, path, parameters, run.actor)
            _add_files(bundle, study, path.parent, run.actor.name)
        missing = files_missing(study=study)
        n_batches, n_reports = study.batches.count(), study.reports.count()
        values = {
            "name": study.name,
            "number": study.pk,
            "n_pools": study.pools.count(),
            "n_batches": n_batches,
            "n_reports": n_reports,
            "files_missing": missing,
        }
        text = f"Imported: {counted(n_batches, 'batch')} and {counted(n_reports, 'report')}."
        if missing:
            text += f" To measure it again, add {counted(len(missing), 'file')} first."
        return Result(values, text, made=study)


@contextmanager
def _opened(parameters: ImportBundleParameters) -> Iterator[tuple[ReadBundle, Path]]:
    """The bundle that was sent and its path, in a folder that goes afterwards."""
    with workplace() as folder:
        path = folder / "bundle.zip"
        receive(parameters.stream, path)
        try:
            with read_bundle(path) as bundle:
                yield bundle, path
        except InputError as error:
            raise in_words_of(error, path, parameters.filename) from error


def _store_study(
    bundle: ReadBundle,
    path: Path,
    parameters: ImportBundleParameters,
    actor: Actor,
    *,
    stays: bool = True,
) -> Study:
    """A new study of all that the bundle has but its files, whole or not at all.

    Unless it `stays`, all of it is taken back.
    """
    reports: list[StudyReport] = []
    is_stored = False
    try:
        with transaction.atomic(), _refused(path):
            study = _study_begin(bundle, parameters, actor)
            batches = _store_batches(bundle, study, path, parameters.filename, actor.name)
            for read in bundle.reports():
                store_published_report(
                    read=read,
                    study=study,
                    batches=batches,
                    actor=actor.name,
                    stored=reports.append,
                )
            transaction.set_rollback(not stays)
        is_stored = stays
    finally:
        for report in () if is_stored else reports:
            for file in report.files.values():
                store().delete(file["path"])
    return study


def _study_begin(bundle: ReadBundle, parameters: ImportBundleParameters, actor: Actor) -> Study:
    terms = {"name": parameters.name or bundle.name, "description": bundle.description}
    study: Study = perform_here(CREATE_STUDY, None, terms, actor).made
    for file in bundle.files:
        check_visible(file.name, "a file")
    known = ("kind", "name", "size", "digest")
    named = [asdict(file) for file in bundle.files if file.kind in FileKind.values]
    study.named_files = [{name: file[name] for name in known} for file in named]
    study.save(update_fields=["named_files"])
    return study


def _store_batches(
    bundle: ReadBundle, study: Study, path: Path, filename: str, actor: str
) -> dict[str, Batch]:
    """The pools, batches and models; the batches by their names in the bundle."""
    digest = digest_of(path)
    detail = {"file": filename, "digest": digest, "format": bundle.format}
    read_pools = list(bundle.pools())
    pools = [_store_pool(study, pool) for pool in read_pools]
    store_samples(zip(read_pools, pools, strict=True), actor=actor)
    batches = {
        read.name: store_published_batch(
            read=read,
            study=study,
            pool=None if read.pool is None else pools[read.pool],
            actor=actor,
            detail=detail,
        )
        for read in bundle.batches()
    }
    for model in bundle.models():
        store_model(model, study=study, actor=actor)
    return batches


@contextmanager
def _refused(path: Path) -> Iterator[None]:
    """Refuse a bundle that verifies and yet cannot be stored: another program wrote it."""
    try:
        yield
    except _UNSTORABLE as error:
        raise InputError(
            f"holds something that a study cannot have ({error}).", path=path
        ) from error


def _store_pool(study: Study, read: PoolBundle) -> models.Pool:
    if not read.of_pairs and read.terms["magnitude"] not in tuple(MAGNITUDES):
        raise ValueError(f"the magnitude {read.terms['magnitude']!r}")
    check_visible(read.name, "a pool")
    for run in {row.run for row in read.places}:
        check_visible(run, "a run")
    passages = {row.docno: row.passage for row in read.passages}
    ids = [row.qid for row in read.queries] if read.of_pairs else []
    pool = pool_build(
        name=free_name(read.name, pool_name_is_free),
        pool=_pool(read),
        texts={row.qid: row.query for row in read.queries},
        magnitude=read.terms["magnitude"],
        rank_cutoff=int(read.terms["rank_cutoff"]),
        inputs=read.terms["inputs"],
        summary=read.terms["summary"],
        biases=read.terms.get("biases", {}),
        passages={pair: passages[split_pair_id(pair)[1]] for pair in ids},
    )
    StudyPool.objects.create(study=study, pool=pool)
    return pool


def _pool(read: PoolBundle) -> Pool:
    places: dict[str, list[Place]] = {}
    lists: dict[str, list[tuple[int, str]]] = {}
    for row in read.places:
        places.setdefault(row.qid, []).append(
            Place(row.run, row.direction and _group(row.direction), row.place, row.bias)
        )
        name = list_name(row.run, row.direction)
        lists.setdefault(name, []).append((row.place, row.qid))
    return Pool(
        cutoff=int(read.terms["cutoff"]),
        lists={name: tuple(qid for _, qid in sorted(rows)) for name, rows in sorted(lists.items())},
        queries=tuple(PooledQuery(qid, tuple(sorted(places[qid]))) for qid in sorted(places)),
        of_pairs=read.of_pairs,
    )


def _group(name: str) -> str:
    if not GROUP_NAME.fullmatch(name):
        raise ValueError(f"the group {name!r}")
    return name


def _add_files(bundle: ReadBundle, study: Study, folder: Path, actor: str) -> None:
    """Add the included files one by one; those that this site cannot use stay missing."""
    included = [file for file in bundle.files if file.place and file.kind in FileKind.values]
    # Runs are compared with the queries, where these are there.
    for file in sorted(included, key=lambda file: file.kind == FileKind.RUN):
        path = bundle.extract(file, folder / "file")
        with suppress(InputError):
            _add_file(file, study, path, actor)
        path.unlink()


def _add_file(file: InputFile, study: Study, path: Path, actor: str) -> None:
    with path.open("rb") as stream:
        add_study_file(
            study=study,
            kind=file.kind,
            stream=stream,
            filename=Path(file.place).name,
            name=file.name if file.kind == FileKind.RUN else "",
            actor=actor,
            ranked=dict(file.sizes) or None,
        )


IMPORT_BUNDLE = ImportBundle()
