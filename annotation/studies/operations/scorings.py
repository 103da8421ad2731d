"""Scoring a collection on several machines: shards as tasks, their parts joined in the end."""

import hashlib
import json
import socket
from abc import abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any, cast

from django.db import transaction
from django.utils import timezone

from annotation.core.operations import Operation, Result, Run
from annotation.core.parameters import NoParameters
from annotation.core.perform import queue_job
from annotation.models import Part, Scoring, Task
from annotation.models.tasks import LIVE_STATES
from annotation.studies.operations.score import Kilobytes
from annotation.studies.queries.scoring_time import UNIT
from annotation.vocabulary import TaskKind, TaskState
from metrics.errors import InputError
from metrics.io import storage as places
from metrics.texts.lexicon import Lexicon
from metrics.texts.magnitude_store import Metadata
from metrics.texts.shards import File, Plan, Shard, checksum_of, join_parts, score_shard
from metrics.version import VERSION
from metrics.vocabulary import Tokenizer

#: In the result of a task that failed because of the collection: no other worker would do better.
REFUSED = "refused"


class StorageAwayError(Exception):
    """The source of a shard, or the place of its part, cannot be reached now."""


class NotScoredError(InputError):
    """The workers will not score all shards."""


def scoring_begin(
    *, plan: Plan, lexicon: Lexicon, tokenizer: Tokenizer, parts: str, actor: str
) -> Scoring:
    """Ask for all shards that are not scored yet, and for the checksum of the collection.

    `parts` is a folder or URL that all workers reach; in it the parts get a folder of their own.
    Who asks for the same of the same files again goes on with what is there.
    """
    words = {"name": lexicon.name, "groups": lexicon.groups, "words": lexicon.words}
    what = {"plan": asdict(plan), "lexicon": words, "tokenizer": tokenizer, "parts": parts}
    key = hashlib.sha256(json.dumps([VERSION, what], sort_keys=True).encode()).hexdigest()
    folder = f"{parts.rstrip('/')}/fairpool-parts-{key[:16]}"
    places.make_folder(folder)
    scoring, _made = Scoring.objects.get_or_create(
        key=key, defaults={**what, "parts": folder, "actor": actor}
    )
    # Who was interrupted, and asks again before the workers have noticed, wants them to go on.
    Task.objects.filter(scoring=scoring, state=TaskState.RUNNING).update(cancel_requested=False)
    shards = [(TaskKind.SHARD, number) for number in range(len(plan.shards))]
    there = set(_there(scoring))
    for kind, number in [(TaskKind.CHECKSUM, 0), *shards]:
        if (kind, number) not in there:
            queue_job(kind=kind, subject=Part(scoring, number), actor=actor)
    return scoring


def _there(scoring: Scoring) -> list[tuple[str, int]]:
    """Parts that need no new job: still to be done, or done and not lost since."""
    found = []
    for task in scoring.tasks.filter(state__in=(*LIVE_STATES, TaskState.DONE)):
        is_part = task.state == TaskState.DONE and task.kind == TaskKind.SHARD
        if not is_part or places.exists(Part(scoring, task.part).path):
            found.append((task.kind, task.part))
    return found


def scoring_finish(
    *,
    scoring: Scoring,
    output: str | Path,
    wait_for: Callable[[TaskKind, int], object] = lambda _kind, _part: None,
) -> Metadata:
    """Join the parts into the file `output`, then forget the parts and the scoring.

    `wait_for` is called before each part, and before the checksum, is taken; it returns when that
    is there. The parts stay where writing fails, as on a full disk, and where it raises
    `NotScoredError`; where the collection itself is at fault, as with a docno that repeats, there
    is nothing to go on with, and they go too.
    """
    plan = _plan(scoring)

    def parts() -> Iterator[str]:
        for number in range(len(plan.shards)):
            wait_for(TaskKind.SHARD, number)
            yield Part(scoring, number).path

    def digest() -> str:
        wait_for(TaskKind.CHECKSUM, 0)
        checksum = scoring.tasks.filter(kind=TaskKind.CHECKSUM, state=TaskState.DONE).latest("pk")
        return str(checksum.result["digest"])

    try:
        metadata = join_parts(
            plan,
            parts(),
            output,
            lexicon=_lexicon(scoring),
            tokenizer=_tokenizer(scoring),
            collection_digest=digest,
        )
    except NotScoredError:
        raise
    except InputError:
        scoring_discard(scoring=scoring)
        raise
    scoring_discard(scoring=scoring)
    return metadata


def scoring_stop(*, scoring: Scoring) -> None:
    """Cancel what is still to be done. Finished parts stay for who asks for the same again."""
    with transaction.atomic():
        tasks = Task.objects.filter(scoring=scoring)
        tasks.filter(state=TaskState.QUEUED).update(
            state=TaskState.CANCELLED, cancel_requested=True, finished_at=timezone.now()
        )
        tasks.filter(state=TaskState.RUNNING).update(cancel_requested=True)


def scoring_discard(*, scoring: Scoring) -> None:
    """Forget the scoring, its tasks and its parts. Workers that are at it notice and end."""
    scoring.delete()
    places.remove_folder(scoring.parts)


class _OfPart(Operation[Part, NoParameters]):
    """Base of the work on one part of a scoring; queued by programs only."""

    command = None
    subject = Part
    parameters = NoParameters
    permission = None

    def run(self, subject: Part, parameters: NoParameters, run: Run) -> Result:
        try:
            return Result(self.result(subject, Kilobytes(run.advance)))
        except OSError as error:
            raise StorageAwayError(str(error)) from error
        except InputError as error:
            return Result({REFUSED: True}, problem=str(error))

    @abstractmethod
    def result(self, part: Part, progress: Kilobytes) -> dict[str, Any]:
        """Do it; what the row of the task keeps of it."""


class ScoreShard(_OfPart):
    """Score one shard into its part; doing it twice gives the same bytes at the same place."""

    name = "score shard"
    job = TaskKind.SHARD

    def units(self, subject: Part, parameters: NoParameters) -> int:
        shard = _plan(subject.scoring).shards[subject.number]
        return (shard.end - shard.begin) // UNIT

    def result(self, part: Part, progress: Kilobytes) -> dict[str, Any]:
        plan = _plan(part.scoring)
        _check_in_sight(part.scoring, plan.files[plan.shards[part.number].file])
        metadata = score_shard(
            plan,
            part.number,
            part.path,
            lexicon=_lexicon(part.scoring),
            tokenizer=_tokenizer(part.scoring),
            progress=progress,
        )
        return {"n_documents": metadata.n_documents}


class TakeChecksum(_OfPart):
    """The checksum of the whole collection, which is that of its bytes in their order."""

    name = "take checksum"
    job = TaskKind.CHECKSUM

    def units(self, subject: Part, parameters: NoParameters) -> int:
        return sum(file.size for file in _plan(subject.scoring).files) // UNIT

    def result(self, part: Part, progress: Kilobytes) -> dict[str, Any]:
        plan = _plan(part.scoring)
        _check_in_sight(part.scoring, *plan.files)
        return {"digest": checksum_of(plan, progress)}


def _check_in_sight(scoring: Scoring, *files: File) -> None:
    """Another worker may well see what this one does not: then its mount is missing."""
    absent = [file.path for file in files if not places.exists(file.path)]
    if not places.is_url(scoring.parts) and not Path(scoring.parts).is_dir():
        absent.append(scoring.parts)
    if absent:
        raise StorageAwayError(f"{absent[0]} is not in sight of {socket.gethostname()}.")


def _plan(scoring: Scoring) -> Plan:
    return Plan(
        tuple(File(**file) for file in scoring.plan["files"]),
        tuple(Shard(**shard) for shard in scoring.plan["shards"]),
    )


def _lexicon(scoring: Scoring) -> Lexicon:
    words = scoring.lexicon
    return Lexicon(words["name"], tuple(words["groups"]), tuple(map(tuple, words["words"])))


def _tokenizer(scoring: Scoring) -> Tokenizer:
    return cast(Tokenizer, scoring.tokenizer)


SCORE_SHARD = ScoreShard()
TAKE_CHECKSUM = TakeChecksum()
