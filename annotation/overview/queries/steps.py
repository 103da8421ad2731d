"""The steps of a study, in order, with their states."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from annotation.batches.queries.batches import BatchProgress, votes_in_words
from annotation.batches.queries.next_action import NextStep
from annotation.core.counting import counted
from annotation.models import Task
from annotation.models.tasks import LIVE_STATES
from annotation.overview.queries.flow import Flow
from annotation.reports.queries.pair_labels import kind_of
from annotation.schemes import About, built_in_scheme
from annotation.vocabulary import (
    CATEGORY_QUESTION,
    TIE,
    FileKind,
    MarkedState,
    TaskKind,
    TaskState,
)
from pooling.pool import ties_in_words


class StepState(MarkedState):
    WAITING = "waiting", "circle", "none", "Not started"
    READY = "ready", "arrow-right", "accent", "To do"
    RUNNING = "running", "activity", "accent", "Running"
    DONE = "done", "circle-check", "good", "Done"
    FAILED = "failed", "circle-alert", "bad", "Failed"


@dataclass(frozen=True)
class Step:
    """One step.

    `sentence` describes its state and what to do; `task` runs or failed. `batch` is the one to
    continue with, where a step is about one of several.
    """

    key: str
    title: str
    state: StepState
    sentence: str
    task: Task | None = None
    batch: BatchProgress | None = None

    def as_dict(self) -> dict[str, Any]:
        task = self.task
        return {
            "step": self.key,
            "state": str(self.state),
            "said": self.sentence,
            "done": task.done if task else None,
            "total": task.total if task else None,
        }


def steps_of(flow: Flow) -> list[Step]:
    """Every step, in order."""
    return [
        Step("files", "Files", *_files(flow)),
        _of_task(flow, [TaskKind.SCORE], "score", "Score", _score),
        _of_task(flow, [TaskKind.POOL, TaskKind.POOL_PAIRS], "pool", "Pool", _pool),
        Step("batches", "Batches", *_batches(flow)),
        _labels(flow),
        _of_task(flow, [TaskKind.REPORT], "report", "Bias report", _report),
    ]


def next_step(steps: Iterable[Step], *, is_archived: bool = False) -> Step | None:
    """The step to look at first: one that failed, then a running one, then one to do.

    None of an archived study, from which nothing new is made.
    """
    if is_archived:
        return None
    order = (StepState.FAILED, StepState.RUNNING, StepState.READY)
    return next((step for state in order for step in steps if step.state == state), None)


Stand = tuple[StepState, str]


def _of_task(
    flow: Flow,
    kinds: Sequence[TaskKind],
    key: str,
    title: str,
    otherwise: Callable[[Flow], Stand],
) -> Step:
    """Return a step done by a background task of these kinds, with its progress or failure."""
    tasks = (flow.tasks[kind] for kind in kinds if kind in flow.tasks)
    # One that runs goes before a later one that has ended.
    task = max(tasks, key=lambda task: (task.state in LIVE_STATES, task.pk), default=None)
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
            ("queries", flow.of_kind(FileKind.QUERIES) or flow.labelled),  # imported ones suffice
            ("a run of each model", runs),
        )
        if not there
    ]
    if lacking and not flow.files and any(batch.is_imported for batch in flow.batches):
        return StepState.WAITING, f"Needed only to measure bias: {', '.join(lacking)}."
    if lacking:
        return StepState.READY, f"Still needed: {', '.join(lacking)}."
    warned = f" {len(flow.warned):,} with warnings." if flow.warned else ""
    return (
        StepState.DONE,
        f"{counted(len(flow.sources), 'file')}, {counted(len(runs), 'run')}.{warned}",
    )


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
        if flow.pools[0].of_pairs:
            pairs, runs = counted(summary["n_pooled"], "pair"), counted(summary["n_runs"], "run")
            return StepState.DONE, f"{pairs} of query and passage, from {runs}."
        text = (
            f"{summary['n_pooled']:,} of {summary['n_queries']:,} queries, from "
            f"{summary['n_lists']} lists of {counted(summary['n_runs'], 'run')}."
        )
        return StepState.DONE, f"{text} {ties_in_words(summary)}".rstrip()
    if not usable:
        return StepState.WAITING, "Takes the most biased queries of every run."
    if flow.pools:
        return StepState.READY, f"Not in the latest pool: {', '.join(new_runs)}. Pool again."
    return StepState.READY, f"{counted(len(new_runs), 'run')} can be pooled."


def _batches(flow: Flow) -> Stand:
    if not flow.pools and not flow.batches:
        return StepState.WAITING, "Puts the pooled queries to annotators."
    if flow.drafts:
        return (
            StepState.READY,
            f"Not published yet: {', '.join(draft.name for draft in flow.drafts)}.",
        )
    noun = f"pooled {flow.pools[0].item_noun}" if flow.pools else ""
    if flow.n_new:
        in_none = "is in no batch yet." if flow.n_new == 1 else "are in no batch yet."
        return StepState.READY, f"{counted(flow.n_new, noun)} {in_none}"
    batches = counted(len(flow.batches), "batch")
    if not flow.pools:
        return StepState.DONE, f"{batches}."
    return StepState.DONE, f"{batches}; every {noun} is in one."


def _labels(flow: Flow) -> Step:
    state, sentence, batch = _labels_stand(flow)
    return Step("labels", "Labels", state, sentence, batch=batch)


def _labels_stand(flow: Flow) -> tuple[StepState, str, BatchProgress | None]:
    """Return the state of the labels, and the first batch that needs somebody's attention."""
    has_votes = any(batch.n_votes or batch.n_hits_published for batch in flow.batches)
    if not (has_votes or flow.labelled):
        return StepState.WAITING, "Decides a label for each query from its votes.", None
    votes = f"{votes_in_words(flow.published)}."
    for batch in flow.batches:
        if todo := _to_do(flow, batch):
            return StepState.READY, f"{votes} {todo}", batch
    awaited = next((batch for batch in flow.batches if batch.is_awaited), None)
    if awaited is not None:
        return StepState.RUNNING, votes, awaited
    if flow.labelled:
        counts = "; ".join(_labels_of(flow, batch) for batch in flow.labelled)
        return StepState.DONE, f"{votes} {counts}.", None
    return StepState.WAITING, f"{votes} There is nothing to decide a label from.", None


def batches_in_words(flow: Flow) -> list[tuple[BatchProgress, str]]:
    """The published batches, each with its votes and labels in words."""
    return [(batch, _batch_in_words(flow, batch)) for batch in flow.published]


def _batch_in_words(flow: Flow, batch: BatchProgress) -> str:
    if batch.is_awaited and not batch.n_votes:
        return "no votes yet"
    votes = votes_in_words([batch])
    labels = flow.labels.get(batch.number, {})
    n_ties = labels.get(TIE, 0)
    if labels:
        n_labels = sum(labels.values()) - n_ties
        ties = f", {counted(n_ties, 'tie')} to adjudicate" if n_ties else ""
        return f"{votes}, {counted(n_labels, 'label')}{ties}"
    return f"{votes}, no labels yet"


def _to_do(flow: Flow, batch: BatchProgress) -> str:
    """Say what somebody has to do before the batch's labels are complete; empty if nothing."""
    of = f" of {batch.name}" if len(flow.batches) > 1 else ""
    on = f" for {batch.name}" if of else ""
    scheme = flow.schemes[batch.number]
    title = scheme.subset_question.title
    in_question = f" in “{title}”" if len(scheme.closed) > 1 else ""
    n_ties = flow.labels.get(batch.number, {}).get(TIE, 0)
    n_further = flow.n_to_ask.get(batch.number, 0)
    words = {
        NextStep.APPROVE_ON_PROLIFIC: f"Approve who took part on Prolific{on} before you decide.",
        NextStep.IMPORT_LIST: f"Import the panel's list{on} before you decide.",
        NextStep.ASK_FURTHER: f"The next round{of} is to ask about "
        f"{counted(n_further, batch.item_noun)}.",
        NextStep.ASK_AGAIN: f"{counted(batch.n_missing, 'answer')}{of} to request again.",
        NextStep.DECIDE_LABELS: f"Labels{of} can be decided.",
        NextStep.ADJUDICATE: f"{counted(n_ties, 'tie')}{in_question}{of} to adjudicate.",
    }
    return words.get(flow.due[batch.number], "")


def _labels_of(flow: Flow, batch: BatchProgress) -> str:
    labels = flow.labels[batch.number]
    words = flow.schemes[batch.number].subset.words
    name = f"{batch.name}: " if len(flow.labelled) > 1 else ""
    n_labels = counted(sum(labels.values()), "label")
    return f"{name}{n_labels}, {flow.n_in_subset(batch):,} of them of {words}"


def _report(flow: Flow) -> Stand:
    """Return the step of reports: done once a report uses the batch with the study's results."""
    batch = flow.result_batch
    if batch is None:
        return _report_without_labels(flow)
    if any(batch.number in batches for batches in flow.measured):
        return StepState.DONE, f"Measured on the results of {batch.name}."
    if flow.magnitudes and (can := _can_be_measured(flow, batch)):
        return StepState.READY, f"The runs can be measured {can}."
    return StepState.WAITING, _report_purpose(flow)


def _can_be_measured(flow: Flow, batch: BatchProgress) -> str:
    """Say with which labels of the batch; nothing where no measure reads them."""
    scheme = flow.schemes[batch.number]
    if scheme.about == About.PASSAGE:
        if kind_of(scheme.subset_question) is None:
            return ""
        n = sum(flow.labels[batch.number].values()) - flow.labels[batch.number].get(TIE, 0)
        return f"by the judgments of {counted(n, batch.item_noun)} in {batch.name}"
    n = flow.n_in_subset(batch)
    return f"on {counted(n, batch.item_noun)} of {batch.name}: {scheme.subset.words}" if n else ""


def _report_without_labels(flow: Flow) -> Stand:
    if not flow.measured:
        return StepState.WAITING, _report_purpose(flow)
    if flow.pools or flow.batches:
        sentence = f"Measured on every query so far, without labels. {_report_purpose(flow)}"
        return StepState.WAITING, sentence
    return StepState.DONE, "Measured on every query, without labels."


def _report_purpose(flow: Flow) -> str:
    usual = built_in_scheme(CATEGORY_QUESTION)
    words = {flow.schemes[batch.number].subset.words for batch in flow.batches}
    if len(words) > 1:
        return "Measures the runs on the queries of the subset."
    return f"Measures the runs on {next(iter(words), usual.subset.words)}."
