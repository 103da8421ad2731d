"""Batches from files: the common part of importing votes and importing labels."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from django.db import IntegrityError, transaction

from annotation.core.operations import Actor, AnyOperation, Result
from annotation.core.parameters import read_parameters
from annotation.core.perform import perform_here
from annotation.models import AuditEvent, Batch, BatchQuery, Choice, SchemeVersion, Study, Vote
from annotation.schemes import Scheme
from annotation.studies.archives import is_zip, unpack
from annotation.studies.file_checks import check_table, packing_of
from annotation.studies.file_store import Stream, receive, workplace
from annotation.studies.operations.files import in_words_of, shown_name, stored_name
from annotation.vocabulary import (
    LONGEST_OWN_NAME,
    AuditAction,
    BatchState,
    Environment,
)
from metrics.errors import InputError
from pooling.items import check_texts

#: Rows written by one statement.
CHUNK = 2_000


class ImportedQuery(NamedTuple):
    """A query of a file, or a pair with its passage; `gold` is its known category, or ""."""

    qid: str
    text: str
    gold: str = ""
    passage: str = ""


def check_batch_name(*, name: str) -> None:
    """Raise `InputError` for a name that cannot be given to a new batch."""
    if not name.strip() or len(name) > LONGEST_OWN_NAME or not name.isprintable() or "/" in name:
        raise InputError(
            f"{name!r} is not a name for a batch.",
            remedy=f"Use up to {LONGEST_OWN_NAME} printable characters without a slash.",
        )
    if Batch.objects.filter(name__iexact=name).exists():
        raise _name_taken(name)


def _name_taken(name: str) -> InputError:
    return InputError(f"a batch named {name!r} exists already.", remedy="Choose another name.")


def create_imported_batch(
    *,
    name: str,
    queries: Iterable[ImportedQuery],
    actor: str,
    action: AuditAction,
    detail: object,
    study: Study,
    queries_per_hit: int = 1,
    scheme: Scheme | None = None,
) -> tuple[Batch, Sequence[BatchQuery]]:
    """A batch of the queries of a file, in the order of the file. Call it inside a transaction.

    `queries_per_hit` is 1 where the HITs are not known. Without a `scheme` the votes are read as
    answers to the built-in one.
    """
    batch = Batch(
        name=name,
        study=study,
        environment=Environment.IMPORTED,
        state=BatchState.IMPORTED,
        queries_per_hit=queries_per_hit,
        **({"asks": scheme.as_json()} if scheme else {}),
    )
    try:
        with transaction.atomic():
            batch.save(force_insert=True)
    except IntegrityError:
        # Somebody took the name since it was checked.
        raise _name_taken(name) from None
    stored = store_queries(batch, queries)
    if scheme is not None:
        SchemeVersion.objects.create(batch=batch, number=1, content=batch.asks, created_by=actor)
    AuditEvent.objects.create(batch=batch, actor=actor, action=action, detail=detail)
    return batch, stored


def store_queries(
    batch: Batch, queries: Iterable[ImportedQuery], first: int = 0
) -> Sequence[BatchQuery]:
    """Store queries of a file in its order, at the places of the batch from `first` on."""
    listed = list(queries)
    for query in listed:
        check_texts(query.qid, query.text, query.passage)
    return BatchQuery.objects.bulk_create(
        (
            BatchQuery(
                batch=batch,
                qid=query.qid,
                text=query.text,
                passage=query.passage,
                gold=query.gold,
                position=position,
            )
            for position, query in enumerate(listed, first)
        ),
        batch_size=CHUNK,
    )


def record_votes(votes: Iterable[tuple[Vote, Iterable[Sequence[str]]]]) -> None:
    """Store new votes of a file, each with the questions and options that it chooses.

    After question and option there may be what was written about the choice.
    """
    rows = list(votes)
    Vote.objects.bulk_create((vote for vote, _ in rows), batch_size=CHUNK)
    Choice.objects.bulk_create(
        (
            Choice(vote=vote, question=question, option=option, text="".join(text))
            for vote, choices in rows
            for question, option, *text in choices
        ),
        batch_size=CHUNK,
    )


def uploaded(  # noqa: PLR0917
    operation: AnyOperation,
    kind: type[Any],
    subject: Any,
    stream: Stream,
    values: Mapping[str, Any],
    actor: Actor,
) -> Result:
    """Do an operation that takes a `file` with one that was uploaded.

    `kind` has its parameters with the `filename` in the place of the file; errors have that name.
    """
    terms = vars(read_parameters(kind, values))
    with workplace() as folder:
        display_name, arrived = shown_name(terms.pop("filename")), folder / "arrived"
        receive(stream, arrived)
        path = arrived.rename(folder / stored_name(display_name, packing_of(arrived)))
        try:
            check_table(path)
            return perform_here(operation, subject, {**terms, "file": path}, actor)
        except InputError as error:
            raise in_words_of(error, path, display_name) from error


@contextmanager
def unpacked(paths: Sequence[Path]) -> Iterator[list[Path]]:
    """Return the files, with those of a zip in its place; errors name them as the zip does."""
    with workplace() as folder:
        read: list[Path] = []
        display_names: dict[Path, str] = {}
        for number, path in enumerate(paths):
            if not path.is_file() or not is_zip(path):
                read.append(path)
                continue
            inside = folder / f"{number:03}"
            inside.mkdir()
            for name, place in unpack(path, inside):
                file = place.with_name(stored_name(name, packing_of(place)))
                if file.exists():
                    raise InputError(f"has two files called {name}.", path=path)
                place.rename(file)
                display_names[file] = f"{path}/{name}"
                read.append(file)
        try:
            yield read
        except InputError as error:
            for file, name in display_names.items():
                if error.path == str(file):
                    raise in_words_of(error, file, name) from error
            raise
