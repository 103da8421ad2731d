"""The documents behind a pool's queries: taken from the study's collection once, in one pass."""

import secrets
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from annotation.core.operations import Advance, checkpoint, no_progress
from annotation.models import Study, StudyFile, StudyPool
from annotation.studies.file_store import keep, local_path, store, workplace
from annotation.studies.queries.pool_documents import RANKINGS, TEXTS
from annotation.vocabulary import FileKind
from metrics.io.digests import digest_of
from metrics.runs import Run, read_run
from metrics.runs.documents import write_rankings, write_texts
from metrics.texts.collection import read_collection
from metrics.texts.lexicon import Lexicon, read_lexicon
from pooling.models import Pool

_PASSAGES_BETWEEN = 10_000


def keep_pool_documents(*, study: Study, pool: Pool, advance: Advance = no_progress) -> bool:
    """Store rankings and texts of the pooled queries down to the rank that the pool was sorted at.

    False where the study has no collection, or no longer the pool's runs or word list. Stored
    documents stay. `advance` is called with 0 while the collection streams by, so that a task can
    end.
    """
    place = StudyPool.objects.get(study=study, pool=pool)
    if place.documents:
        return True
    parts = list(study.files.filter(kind=FileKind.COLLECTION).order_by("pk"))
    runs, lexicon = _runs_of(study, pool), _lexicon_of(study, pool)
    if not parts or not runs or lexicon is None:
        return False
    with workplace() as folder:
        _write(folder, pool, runs, _passages(parts, advance))
        stored = _stored(folder, f"{study.pk}/pools/{secrets.token_hex(8)}")
    made_from = {
        "collection": [{"name": part.name, "digest": part.digest} for part in parts],
        "lexicon": {
            "name": lexicon.name,
            "words": dict(zip(lexicon.groups, lexicon.words, strict=True)),
        },
    }
    won = StudyPool.objects.filter(pk=place.pk, documents={}).update(documents=stored | made_from)
    if not won:
        for name in (RANKINGS, TEXTS):
            store().delete(stored[name]["path"])
    return True


def _runs_of(study: Study, pool: Pool) -> list[StudyFile]:
    """The runs that the pool was made from, as far as the study still has them."""
    pooled = pool.inputs.get("runs", {})
    return [
        file
        for file in study.files.filter(kind=FileKind.RUN).order_by("name")
        if pooled.get(file.name, {}).get("digest") == file.digest
    ]


def _lexicon_of(study: Study, pool: Pool) -> Lexicon | None:
    """The word list that the collection was scored with: the built-in one, or the study's."""
    own = study.files.filter(kind=FileKind.LEXICON)
    known = [read_lexicon(), *(read_lexicon(local_path(file)) for file in own)]
    digest = pool.inputs["magnitudes"]["lexicon_sha256"]
    return next((lexicon for lexicon in known if lexicon.sha256 == digest), None)


def _write(
    folder: Path, pool: Pool, files: Sequence[StudyFile], passages: Iterator[tuple[str, str]]
) -> None:
    qids = set(pool.queries.values_list("qid", flat=True))
    order = pool.inputs.get("order", "default")
    runs: list[Run] = [
        read_run(local_path(file), file.name, order, qids, pool.rank_cutoff) for file in files
    ]
    docnos = {docno for run in runs for qid in run.qids for docno in run.documents(qid)}
    rows = write_texts(passages, docnos, folder / TEXTS)
    write_rankings(runs, pool.rank_cutoff, rows, folder / RANKINGS)


def _passages(parts: Sequence[StudyFile], advance: Advance) -> Iterator[tuple[str, str]]:
    for part in parts:
        for number, passage in enumerate(read_collection(local_path(part))):
            if number % _PASSAGES_BETWEEN == 0:
                checkpoint(advance)
            yield passage


def _stored(folder: Path, place: str) -> dict[str, Any]:
    stored = {}
    for name in (RANKINGS, TEXTS):
        path = folder / name
        known = {"digest": digest_of(path), "size": path.stat().st_size}
        stored[name] = {**known, "path": keep(path, f"{place}/{name}")}
    return stored
