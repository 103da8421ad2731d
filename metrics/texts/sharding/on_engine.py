"""A collection scored on an engine: jobs that name files, parts that stay until all are joined."""

import json
import re
import socket
from collections.abc import Callable, Generator, Sequence
from contextlib import closing
from dataclasses import asdict
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from ...engines import SHARD_SIZE, Engine, opened
from ...errors import InputError
from ...io import storage as places
from ...io.digests import AND, digest_of
from ...io.file_kinds import MANIFEST
from ...io.files import write_text
from ...version import VERSION
from ...vocabulary import Format
from ..magnitude_store import Metadata
from .joining import check_parts, join_parts
from .parts import Scoring, Work, facts_of, is_done, score_shard
from .plan import Plan, plan_shards

_PART = re.compile(r"part-[0-9a-f]{16}-[0-9]{6}\.parquet")


def check_folder(folder: str) -> None:
    """Raise `InputError` where the folder holds other files than parts and a manifest."""
    others = [path for path in _files_in(folder) if not _is_ours(path)]
    if others:
        raise InputError(
            f"holds other files than parts of a scored collection: {places.name_of(others[0])}.",
            path=folder,
            remedy="Write to a new folder.",
        )


def _is_ours(path: str) -> bool:
    name = places.name_of(path)
    return name == MANIFEST or bool(_PART.fullmatch(name)) or name.startswith(".")


def _files_in(folder: str) -> list[str]:
    if places.is_url(folder):
        return places.files_below(folder) or []
    if Path(folder).is_file():
        raise InputError("is a file, not a folder.", path=folder)
    return [str(path) for path in Path(folder).iterdir()] if Path(folder).is_dir() else []


def write_manifest(folder: str, plan: Plan, parts: Sequence[str], metadata: Metadata) -> None:
    """Write, last of all, what the folder holds: only then it is a scored collection.

    Parts of other plans that lie there are removed.
    """
    for path in set(_files_in(folder)) - set(parts):
        if _PART.fullmatch(places.name_of(path)):
            places.remove(path)
    manifest = {
        "metadata": asdict(metadata),
        "inputs": [
            {"path": file.path, "size": file.size, "digest": digest}
            for file, digest in zip(plan.files, metadata.collection_digest.split(AND), strict=True)
        ],
        "parts": [{"name": places.name_of(part), "digest": digest_of(part)} for part in parts],
    }
    text = json.dumps(manifest, indent=1, ensure_ascii=False) + "\n"
    path = f"{folder}/{MANIFEST}"
    if not places.is_url(path):
        write_text(path, text)
        return
    with TemporaryDirectory(prefix="fairpool-out-") as here:
        write_text(Path(here) / MANIFEST, text)
        places.put(Path(here) / MANIFEST, path)


class EngineError(InputError):
    """The engine did not finish; the parts that are done stay."""


def score_on_engine(
    paths: Sequence[str | Path],
    output: str | Path,
    scoring: Scoring,
    *,
    engine: str | Engine = "processes",
    scheduler: str | None = None,
    workers: int | None = None,
    format: Format = "auto",  # noqa: A002 - the name of the command's option
    as_parts: bool = False,
    shard_size: int = SHARD_SIZE,
    progress: Callable[[int], object] = lambda _size: None,
) -> Metadata:
    """Score files (paths or URLs that all workers see) into `output`, a path or a URL.

    Parts are written beside it, into a folder that is named after all that they depend on: the
    same call goes on with those that are there, and removes the folder when the output is. With
    `as_parts` that output is the folder itself, with a manifest.
    """
    plan = plan_shards(paths, format, shard_size)
    digest = scoring.digest_of(plan)
    folder = places.absolute(output)
    if not as_parts:
        name = f"fairpool-parts-{digest.partition(':')[2][:16]}"
        folder = f"{folder.rpartition('/')[0]}/{name}"
    start = f"{folder}/part-{digest.partition(':')[2][:16]}"
    parts = [f"{start}-{number:06d}.parquet" for number in range(len(plan.shards))]
    jobs = [
        json.dumps(
            {
                "version": VERSION,
                "work": asdict(Work.of(plan, number, scoring)),
                "part": part,
                "packed": as_parts,
            }
        )
        for number, part in enumerate(parts)
    ]
    if as_parts:
        check_folder(folder)
    places.make_folder(folder)
    try:
        with (
            opened(engine, scheduler, workers) as over,
            closing(_done_parts(over, plan, jobs, parts, progress)) as done,
        ):
            if as_parts:
                metadata = check_parts(plan, done, f"{folder}/{MANIFEST}", scoring)
                write_manifest(folder, plan, parts, metadata)
                return metadata
            metadata = join_parts(plan, done, output, scoring)
    except EngineError as error:
        raise _with_parts(error, folder) from error.__cause__
    except InputError:
        if not as_parts:
            places.remove_folder(folder)
        raise
    except KeyboardInterrupt:
        raise KeyboardInterrupt(f"Interrupted. {_stay(folder)}") from None
    places.remove_folder(folder)
    return metadata


def _with_parts(error: EngineError, folder: str) -> EngineError:
    return EngineError(error.message, remedy=_stay(folder))


def _stay(folder: str) -> str:
    return f"Finished parts stay in {folder}; the same command goes on with them."


def _done_parts(
    over: Engine,
    plan: Plan,
    jobs: Sequence[str],
    parts: Sequence[str],
    progress: Callable[[int], object],
) -> Generator[str, None, None]:
    """Each part when it and those before it are done; the error of the first that is not."""
    with closing(_results(over, jobs)) as results:
        for shard, part, result in zip(plan.shards, parts, results, strict=True):
            outcome = json.loads(result)
            if "error" in outcome:
                raise InputError(**outcome["error"])
            progress(shard.size)
            yield part


def _results(over: Engine, jobs: Sequence[str]) -> Generator[str, None, None]:
    """Yield the results of the engine; its failures are `EngineError`."""
    n_results = 0
    try:
        for result in over(run_job, jobs):
            n_results += 1
            yield result
    except Exception as error:  # each engine has errors of its own
        what = " ".join(f"{type(error).__name__}: {error}".split())[:300]
        raise EngineError(f"the engine gave up ({what}).") from error
    if n_results < len(jobs):
        raise EngineError(f"the engine gave {n_results} results of {len(jobs)} jobs.")


def run_job(job: str) -> str:
    """Score one shard, on whichever machine; bad input is a result, as no engine garbles that."""
    values = json.loads(job)
    try:
        return json.dumps({"n_documents": _score(values)})
    except InputError as error:
        named = {name: getattr(error, name) for name in ("message", "path", "line", "remedy")}
        return json.dumps({"error": named})
    except OSError as error:
        place = error.filename or values["part"]
        named = {
            "message": f"{error.strerror or error}, on {socket.gethostname()}.",
            "path": str(place),
            "remedy": "Correct that, then run the same command again: it scores what is missing.",
        }
        return json.dumps({"error": named})


def _score(values: dict[str, Any]) -> int:
    if values["version"] != VERSION:
        raise InputError(
            f"the worker on {socket.gethostname()} has Fairpool {VERSION}, but the machine that "
            f"asks has {values['version']}.",
            remedy="Install the same version on all machines.",
        )
    work = Work.from_dict(values["work"])
    if is_done(values["part"], work):
        return sum(facts_of(values["part"]).n_rows)
    return score_shard(work, values["part"], packed=values["packed"]).n_documents
