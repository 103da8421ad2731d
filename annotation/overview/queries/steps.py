"""The steps of a study, in the order in which people take them, and how each one stands."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from django.db.models import TextChoices

from annotation.batches.queries.batches import votes_in_words
from annotation.models import Task
from annotation.models.tasks import LIVE_STATES
from annotation.overview.queries.flow import Flow
from annotation.vocabulary import (
    TIE,
    Category,
    FileKind,
    TaskKind,
    TaskState,
    VoteState,
)
from pooling.pool import ties_in_words


class StepState(TextChoices):
    WAITING = "waiting", "Not started"
    READY = "ready", "To do"
    RUNNING = "running", "Running"
    DONE = "done", "Done"
    FAILED = "failed", "Failed"


@dataclass(frozen=True)
class Step:
    """One step. `said` tells how it stands and what to do; `task` is what runs or failed."""

    key: str
    title: str
    state: StepState
    said: str
    task: Task | None = None

    def as_dict(self) -> dict[str, Any]:
        task = self.task
        return {
            "step": self.key,
            "state": str(self.state),
            "said": self.said,
            "done": task.done if task else None,
            "total": task.total if task else None,
        }


def steps_of(flow: Flow) -> list[Step]:
    """Every step, in order."""
    return [
        Step("files", "Files", *_files(flow)),
        _of_task(flow, TaskKind.SCORE, "score", "Score", _score),
        _of_task(flow, TaskKind.POOL, "pool", "Pool", _pool),
        Step("batches", "Batches", *_batches(flow)),
        Step("labels", "Labels", *_labels(flow)),
        _of_task(flow, TaskKind.REPORT, "report", "Bias report", _report),
    ]


def next_step(steps: Iterable[Step]) -> Step | None:
    """The step to look at first: one that failed, then a running one, then one to do."""
    order = (StepState.FAILED, StepState.RUNNING, StepState.READY)
    return next((step for state in order for step in steps if step.state == state), None)


Stand = tuple[StepState, str]


def _of_task(
    flow: Flow, kind: TaskKind, key: str, title: str, otherwise: Callable[[Flow], Stand]
) -> Step:
    """A step that a background task takes: while it runs and where it failed, that is told."""
    task = flow.tasks.get(kind)
    if task is not None and task.state in LIVE_STATES:
        text = task.error or (
            "Waiting for a worker."
            if task.state == TaskState.QUEUED
            else "Running in the background."
        )
        return Step(key, title, StepState.RUNNING, text, task)
    state, text = otherwise(flow)
    if task is not None and task.state == TaskState.FAILED and state != StepState.DONE:
        return Step(key, title, StepState.FAILED, task.error, task)
    return Step(key, title, state, text)


def _files(flow: Flow) -> Stand:
    has_texts = flow.of_kind(FileKind.COLLECTION) or flow.of_kind(FileKind.MAGNITUDES)
    runs = flow.of_kind(FileKind.RUN)
    lacking = [
        what
        for what, there in (
            ("a collection", has_texts),
            ("queries", flow.of_kind(FileKind.QUERIES) or flow.labels),  # imported ones suffice
            ("a run of each model", runs),
        )
        if not there
    ]
    if lacking:
        return StepState.READY, f"Still needed: {', '.join(lacking)}."
    warned = f" {len(flow.warned):,} with warnings." if flow.warned else ""
    return StepState.DONE, f"{len(flow.files):,} files, {_count(len(runs), 'run')}.{warned}"


def _score(flow: Flow) -> Stand:
    scored = flow.magnitudes
    if scored is not None:
        of = scored.summary["made_from"]
        text = (
            f"{of['n_documents']:,} passages scored: word list {of['lexicon_name']}, "
            f"tokenizer {of['tokenizer']}."
        )
        return StepState.DONE, text
    pooling = flow.tasks.get(TaskKind.POOL)
    if pooling is not None and pooling.state in LIVE_STATES:
        return StepState.RUNNING, "Before the queries are pooled."
    if not flow.of_kind(FileKind.COLLECTION):
        return StepState.WAITING, "Counts the gender words of every passage of the collection."
    again = " Its files have changed since." if flow.of_kind(FileKind.MAGNITUDES) else ""
    return StepState.READY, f"The collection can be scored.{again}"


def _pool(flow: Flow) -> Stand:
    usable = flow.magnitudes and flow.is_poolable
    new_runs = flow.runs_to_pool
    if flow.pools and not new_runs:
        summary = flow.pools[0].summary
        text = (
            f"{summary['n_pooled']:,} of {summary['n_queries']:,} queries, from "
            f"{summary['n_lists']} lists of {_count(summary['n_runs'], 'run')}."
        )
        return StepState.DONE, f"{text} {ties_in_words(summary)}".rstrip()
    if not usable:
        return StepState.WAITING, "Takes the most biased queries of every run."
    if flow.pools:
        return StepState.READY, f"Not in the latest pool: {', '.join(new_runs)}. Pool again."
    return StepState.READY, f"{_count(len(new_runs), 'run')} can be pooled."


def _batches(flow: Flow) -> Stand:
    if not flow.pools and not flow.batches:
        return StepState.WAITING, "Puts the pooled queries to annotators."
    if flow.drafts:
        return StepState.READY, f"Not published yet: {', '.join(one.name for one in flow.drafts)}."
    if flow.n_new:
        in_none = "is in no batch yet." if flow.n_new == 1 else "are in no batch yet."
        return StepState.READY, f"{_count(flow.n_new, 'pooled query', 'pooled queries')} {in_none}"
    return StepState.DONE, f"{_count(len(flow.batches), 'batch', 'batches')}; no query is left."


def _labels(flow: Flow) -> Stand:
    votes = f"{votes_in_words(flow.batches)}."
    labelled = sum(flow.labels.values())
    has_votes = any(batch.n_votes or batch.n_hits_published for batch in flow.batches)
    if not (has_votes or labelled):
        return StepState.WAITING, "Decides a label for each query from its votes."
    if any(batch.votes[VoteState.UNVERIFIED] and not batch.is_awaited for batch in flow.batches):
        return StepState.READY, f"{votes} Import the panel's list before you decide."
    if flow.labels.get(TIE):
        return StepState.READY, f"{votes} {_count(flow.labels[TIE], 'tie')} to adjudicate."
    if any(batch.is_awaited for batch in flow.batches):
        return StepState.RUNNING, votes
    if labelled:
        neutral = flow.labels.get(Category.NON_GENDERED, 0)
        return StepState.DONE, f"{votes} {labelled:,} labels, {neutral:,} of them non-gendered."
    return _to_decide(flow, votes)


def _to_decide(flow: Flow, votes: str) -> Stand:
    if any(batch.has_scheme and batch.n_votes for batch in flow.batches):
        return StepState.DONE, f"{votes} Each question of a scheme is decided by its kind."
    if any(batch.n_votes for batch in flow.batches):
        return StepState.READY, f"{votes} Labels can be decided."
    return StepState.WAITING, f"{votes} There is nothing to decide a label from."


def _report(flow: Flow) -> Stand:
    if flow.is_measured:
        return StepState.DONE, "Measured."
    if flow.labels.get(Category.NON_GENDERED) and flow.magnitudes:
        return StepState.READY, "The runs can be measured on the non-gendered queries."
    if flow.magnitudes and any(batch.has_scheme and batch.n_votes for batch in flow.batches):
        return StepState.READY, "The runs can be measured on the subset of the scheme."
    if flow.batches and all(batch.has_scheme for batch in flow.batches):
        return StepState.WAITING, "Measures the runs on the subset of the scheme."
    return StepState.WAITING, "Measures the runs on the non-gendered queries."


def _count(n: int, one: str, many: str = "") -> str:
    return f"{n:,} {one if n == 1 else many or one + 's'}"
