"""Waiting for workers to score a collection in shards, and telling how far they are."""

import sys
import time
from collections.abc import Callable
from pathlib import Path

from annotation.core.wake import tasks_wake_for
from annotation.models import Scoring, Task
from annotation.studies.operations.scorings import (
    REFUSED,
    NotScoredError,
    scoring_begin,
    scoring_discard,
    scoring_finish,
    scoring_stop,
)
from annotation.studies.queries.scoring_time import UNIT
from annotation.studies.queries.scorings import (
    ScoringProgress,
    scoring_is_worked_on,
    scoring_progress,
    scoring_tasks_due,
)
from annotation.vocabulary import TaskKind, TaskState
from metrics.texts.lexicon import Lexicon
from metrics.texts.magnitude_store import Metadata
from metrics.texts.shards import Plan
from metrics.vocabulary import Tokenizer

_SECONDS_BETWEEN_LOOKS = 0.2
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
    waiting = _Waiting(scoring, progress, tell)
    try:
        return scoring_finish(scoring=scoring, output=output, wait_for=waiting.for_task)
    except KeyboardInterrupt:
        scoring_stop(scoring=scoring)
        tell(f"The finished parts stay in {scoring.parts}; the same command goes on with them.")
        raise


def scoring_wait(
    *, scoring: Scoring, progress: Callable[[int], object], tell: Callable[[str], object]
) -> None:
    """Wait until every shard is scored, waking workers; `NotScoredError` if one will not be."""
    _Waiting(scoring, progress, tell).until(lambda at: at.is_done)


class _Waiting:
    """Waits for workers, and wakes them."""

    def __init__(
        self, scoring: Scoring, progress: Callable[[int], object], tell: Callable[[str], object]
    ) -> None:
        self._scoring, self._progress, self._teller = scoring, progress, _Teller(tell)
        self._woken: dict[int, int] = {}
        self._shown = 0

    def for_task(self, kind: TaskKind, part: int) -> None:
        """Wait until this one of the scoring's tasks is done."""
        self.until(lambda at: (kind, part) in at.finished)

    def until(self, is_there: Callable[[ScoringProgress], bool]) -> None:
        """Wait until it is there; `NotScoredError` if one of the tasks will not be done."""
        while True:
            at = self._look()
            if at.ended is not None:
                _give_up(self._scoring, at.ended)
            if is_there(at):
                return
            # A message for each attempt, also of what a dead worker left: nobody else may send one.
            tasks = scoring_tasks_due(scoring=self._scoring)
            due = [(task, n) for task, n in tasks if self._woken.get(task) != n]
            self._woken.update(due)
            tasks_wake_for(task for task, _ in due)
            time.sleep(_SECONDS_BETWEEN_LOOKS)

    def _look(self) -> ScoringProgress:
        at = scoring_progress(scoring=self._scoring)
        self._progress((at.done - self._shown) * UNIT)
        self._shown = at.done
        if not at.n_shards:
            raise NotScoredError(
                f"the scoring of {self._scoring} was finished by somebody else who asked for the "
                "same.",
                remedy="Its file is where that command was to write it.",
            )
        self._teller.look(at)
        return at


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
        raise NotScoredError(ended.error)
    why = "was cancelled." if ended.state == TaskState.CANCELLED else ended.error
    raise NotScoredError(
        f"{ended.subject}: {why}",
        remedy=f"The finished parts stay in {scoring.parts}; the same command goes on with them.",
    )
