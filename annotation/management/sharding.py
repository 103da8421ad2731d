"""Waiting for workers to score a collection in shards, and telling how far they are."""

import sys
import time
from collections.abc import Callable
from pathlib import Path

from annotation.core.queue import tasks_wake_for
from annotation.jobs.scoring_work import REFUSED
from annotation.models import Scoring, Task
from annotation.studies.operations.score import UNIT
from annotation.studies.operations.scorings import (
    scoring_begin,
    scoring_discard,
    scoring_finish,
    scoring_stop,
)
from annotation.studies.queries.scorings import (
    ScoringProgress,
    scoring_is_worked_on,
    scoring_progress,
    scoring_tasks_due,
)
from annotation.vocabulary import TaskState
from metrics.errors import InputError
from metrics.texts.lexicon import Lexicon
from metrics.texts.magnitude_store import Metadata
from metrics.texts.shards import Plan
from metrics.vocabulary import Tokenizer

_SECONDS_BETWEEN_LOOKS = 0.5
_SECONDS_WITHOUT_WORKERS = 15


def score_with_workers(
    plan: Plan,
    output: str | Path,
    *,
    lexicon: Lexicon,
    tokenizer: Tokenizer,
    parts: str,
    actor: str,
    progress: Callable[[int], object],
    tell: Callable[[str], object],
) -> Metadata:
    """Let workers score all shards and join the parts into `output`.

    `progress` is called with bytes, fewer than none where a worker was lost; `tell` with what a
    person should know meanwhile. Raises `InputError` for what is wrong with the collection.
    """
    scoring = scoring_begin(
        plan=plan, lexicon=lexicon, tokenizer=tokenizer, parts=parts, actor=actor
    )
    try:
        scoring_wait(scoring=scoring, progress=progress, tell=tell)
    except KeyboardInterrupt:
        scoring_stop(scoring=scoring)
        tell(f"The finished parts stay in {scoring.parts}; the same command goes on with them.")
        raise
    return scoring_finish(scoring=scoring, output=output)


def scoring_wait(
    *, scoring: Scoring, progress: Callable[[int], object], tell: Callable[[str], object]
) -> None:
    """Wait until every shard is scored, waking workers; `InputError` if one will not be."""
    woken: dict[int, int] = {}
    teller = _Teller(tell)
    shown = 0
    while True:
        at = scoring_progress(scoring=scoring)
        progress((at.done - shown) * UNIT)
        shown = at.done
        if not at.n_shards:
            raise InputError(
                f"the scoring of {scoring} was finished by somebody else who asked for the same.",
                remedy="Its file is where that command was to write it.",
            )
        teller.look(at)
        if at.is_done:
            return
        if at.ended is not None:
            _give_up(scoring, at.ended)
        # A message for each attempt, also of what a dead worker left: nobody else may send one.
        due = [(task, n) for task, n in scoring_tasks_due(scoring=scoring) if woken.get(task) != n]
        woken.update(due)
        tasks_wake_for(task for task, _ in due)
        time.sleep(_SECONDS_BETWEEN_LOOKS)


class _Teller:
    """Says what a person should know, once."""

    def __init__(self, tell: Callable[[str], object]) -> None:
        self._tell = tell
        self._before: ScoringProgress | None = None
        self._idle_since = time.monotonic()

    def look(self, at: ScoringProgress) -> None:
        before, self._before = self._before, at
        if before is None or at.is_worked_on:
            self._idle_since = time.monotonic()
        elif time.monotonic() - self._idle_since > _SECONDS_WITHOUT_WORKERS:
            self._tell("No worker is at it: start some with deploy/worker.sh.")
            self._idle_since = sys.maxsize
        if before is None:
            return
        if at.n_lost > before.n_lost:
            self._tell("A worker was lost; another one scores its shard again.")
        if at.trouble and at.trouble != before.trouble:
            self._tell(f"A shard waits: {at.trouble}")


def _give_up(scoring: Scoring, ended: Task) -> None:
    """Stop the others, and raise why this one ended."""
    scoring_stop(scoring=scoring)
    refused = ended.result.get(REFUSED)
    if refused:
        while scoring_is_worked_on(scoring=scoring):
            time.sleep(_SECONDS_BETWEEN_LOOKS)
        # Another worker may have come upon an earlier line meanwhile.
        ended = scoring_progress(scoring=scoring).ended or ended
        scoring_discard(scoring=scoring)
        raise InputError(ended.error)
    why = "was cancelled." if ended.state == TaskState.CANCELLED else ended.error
    raise InputError(
        f"{ended.subject}: {why}",
        remedy=f"The finished parts stay in {scoring.parts}; the same command goes on with them.",
    )
