"""State of studies: files, pools, batches, tasks and labels.

All studies are read at once; the number of statements does not grow. The steps that follow are in
`annotation.overview.queries.steps`.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain

from django.db.models import Count, Max

from annotation.batches.queries.adaptive import n_to_ask
from annotation.batches.queries.batches import BatchProgress, batch_progress_list
from annotation.batches.queries.next_action import NextStep, due_step
from annotation.batches.queries.study_queries import new_queries_counts
from annotation.core.task_progress import live_kinds
from annotation.models import (
    Batch,
    Label,
    Labelling,
    Study,
    StudyFile,
    StudyPool,
    StudyReport,
    Task,
)
from annotation.models.tasks import LIVE_STATES
from annotation.reports.queries.reports import outdated_reports
from annotation.schemes import JOINED, About, Scheme
from annotation.studies.queries.scored import scored_now
from annotation.vocabulary import TIE, BatchState, FileKind
from pooling.models import Pool


@dataclass(frozen=True)
class Flow:
    """A study with everything that its steps need, without archived items.

    `pools` and `batches` have the latest first, `tasks` the latest one of each kind. `n_new` counts
    the queries of the latest pool that are in no batch. By number of the batch, `schemes` has
    what it asks, `labels` the labels that stand of the question that makes the subset, counted by
    value, `due` the step for which it waits, and `pool_names` the pool that its queries come from.
    `measured` has the batches, none for all queries, of each bias report whose labels stand, those
    that only judge passages included.
    """

    study: Study
    files: list[StudyFile] = field(default_factory=list)
    pools: list[Pool] = field(default_factory=list)
    batches: list[BatchProgress] = field(default_factory=list)
    tasks: Mapping[str, Task] = field(default_factory=dict)
    n_new: int = 0
    schemes: Mapping[int, Scheme] = field(default_factory=dict)
    labels: Mapping[int, Mapping[str, int]] = field(default_factory=dict)
    due: Mapping[int, NextStep] = field(default_factory=dict)
    n_to_ask: Mapping[int, int] = field(default_factory=dict)
    pool_names: Mapping[int, str] = field(default_factory=dict)
    measured: list[list[int]] = field(default_factory=list)

    @property
    def running(self) -> list[Task]:
        """The tasks that are being done or to be done, in order of kind."""
        live = (task for task in self.tasks.values() if task.state in LIVE_STATES)
        return sorted(live, key=lambda task: task.kind)

    @property
    def running_kinds(self) -> str:
        """Version of the steps on a page, which is reloaded when it changes."""
        return live_kinds(self.tasks.values())

    @property
    def drafts(self) -> list[BatchProgress]:
        return [batch for batch in self.batches if batch.state == BatchState.DRAFT]

    @property
    def published(self) -> list[BatchProgress]:
        """The batches that have been put to somebody, or have votes."""
        drafts = [batch for batch in self.drafts if not batch.n_votes]
        return [batch for batch in self.batches if batch not in drafts]

    @property
    def labelled(self) -> list[BatchProgress]:
        """The batches with standing labels: for each question the one with the most, then others.

        A study is about its queries: their question comes before one about passages.
        """
        labelled = [batch for batch in self.batches if self.labels.get(batch.number)]
        labelled.sort(key=lambda batch: -sum(self.labels[batch.number].values()))
        largest = {self._question(batch): batch for batch in reversed(labelled)}.values()

        def order(batch: BatchProgress) -> tuple[bool, bool]:
            return batch not in largest, self.schemes[batch.number].about == About.PASSAGE

        return sorted(labelled, key=order)

    @property
    def result_batch(self) -> BatchProgress | None:
        """The batch with the study's main results: the first of `labelled`."""
        return next(iter(self.labelled), None)

    def _question(self, batch: BatchProgress) -> tuple[About, str, tuple[str, ...]]:
        """The question that makes the subset, as what tells it from those of other batches."""
        scheme = self.schemes[batch.number]
        question = scheme.subset_question
        return scheme.about, question.name, question.codes

    def n_in_subset(self, batch: BatchProgress) -> int:
        """The number of queries whose label puts them into the subset of the batch's scheme."""
        subset = self.schemes[batch.number].subset
        return sum(
            n
            for value, n in self.labels.get(batch.number, {}).items()
            if value != TIE and subset.holds(frozenset(value.split(JOINED)))
        )

    @property
    def next_batch(self) -> BatchProgress | None:
        """The batch to continue with: the latest draft, or else the latest."""
        return next(iter([*self.drafts, *self.batches]), None)

    @property
    def sources(self) -> list[StudyFile]:
        """The uploaded files and the rankers' runs: all files but scored collections."""
        return [file for file in self.files if file.kind != FileKind.MAGNITUDES]

    def of_kind(self, kind: str) -> list[StudyFile]:
        return [file for file in self.files if file.kind == kind]

    @property
    def warned(self) -> list[StudyFile]:
        """The files with warnings."""
        return [file for file in self.files if file.warnings]

    @property
    def scored(self) -> list[StudyFile]:
        """The scored collections, the latest first."""
        return sorted(self.of_kind(FileKind.MAGNITUDES), key=lambda file: -file.pk)

    @property
    def magnitudes(self) -> StudyFile | None:
        """The scored collection used for pooling, if there is one."""
        return scored_now(self.files)

    @property
    def is_poolable(self) -> bool:
        """True if all that a pool needs is there; scores are made on the way."""
        kinds = FileKind.QUERIES, FileKind.RUN
        texts = self.magnitudes or self.of_kind(FileKind.COLLECTION)
        return bool(texts and all(map(self.of_kind, kinds)))

    @property
    def has_pairs(self) -> bool:
        """True if all that a pool of pairs needs is there."""
        return all(map(self.of_kind, (FileKind.COLLECTION, FileKind.QUERIES, FileKind.RUN)))

    @property
    def runs_to_pool(self) -> list[str]:
        """The runs that the latest pool lacks."""
        known = self.pools[0].inputs.get("runs", {}) if self.pools else {}
        runs = self.of_kind(FileKind.RUN)
        return [run.name for run in runs if known.get(run.name, {}).get("digest") != run.digest]


def study_flow(*, study: Study) -> Flow:
    """Return the state of one study."""
    return study_flows(studies=[study])[0]


def study_flows(*, studies: Sequence[Study]) -> list[Flow]:
    """Return the state of each of `studies`, in their order."""
    ids = [study.pk for study in studies]
    files = _grouped(
        StudyFile.objects.filter(study__in=ids, archived_at=None).order_by("kind", "name")
    )
    pools = _pools(ids)
    new = new_queries_counts(pools=[of_study[0].pk for of_study in pools.values()])
    batches, schemes, pool_names = _progress(ids)
    tasks = _latest_tasks(ids)
    labels = _labels_counted(ids, schemes)
    n_further = n_to_ask(chain(*batches.values()))
    decided = _decided(schemes)
    measured = _measured(ids)
    return [
        Flow(
            study=study,
            files=files[study.pk],
            pools=pools.get(study.pk, []),
            batches=batches[study.pk],
            tasks=tasks[study.pk],
            n_new=new.get(pools[study.pk][0].pk, 0) if study.pk in pools else 0,
            schemes=schemes,
            labels=labels[study.pk],
            due={
                batch.number: due_step(
                    batch,
                    is_decided=batch.number in decided,
                    n_ties=labels[study.pk].get(batch.number, {}).get(TIE, 0),
                    n_to_ask=n_further.get(batch.number, 0),
                )
                for batch in batches[study.pk]
            },
            n_to_ask=n_further,
            pool_names=pool_names,
            measured=measured[study.pk],
        )
        for study in studies
    ]


def _measured(studies: Sequence[int]) -> defaultdict[int, list[list[int]]]:
    made = StudyReport.objects.filter(study__in=studies, made_at__isnull=False, archived_at=None)
    reports = list(made.order_by().only("study_id", "parameters", "inputs", "made_at"))
    outdated = outdated_reports(reports)
    measured: defaultdict[int, list[list[int]]] = defaultdict(list)
    for report in reports:
        if report.pk not in outdated:
            terms = report.parameters
            measured[report.study_id].append([*terms["batches"], *terms.get("judgments", ())])
    return measured


def _grouped(rows: Iterable[StudyFile]) -> defaultdict[int, list[StudyFile]]:
    grouped = defaultdict(list)
    for row in rows:
        grouped[row.study_id].append(row)
    return grouped


def _pools(ids: list[int]) -> dict[int, list[Pool]]:
    """The pools of each study that has any, the latest first; none of the samples drawn."""
    pools_of: dict[int, list[Pool]] = {}
    belong = StudyPool.objects.filter(
        study__in=ids, pool__archived_at=None, pool__drawn=None
    ).select_related("pool")
    for row in belong.order_by("-pool__pk"):
        pools_of.setdefault(row.study_id, []).append(row.pool)
    return pools_of


def _progress(
    ids: list[int],
) -> tuple[defaultdict[int, list[BatchProgress]], dict[int, Scheme], dict[int, str]]:
    """The batches of each study; by number, what each asks, and the name of its pool, if any."""
    batches = Batch.objects.filter(study__in=ids, archived_at=None).select_related("pool")
    rows = list(batches.order_by().only("study", "asks", "pool__name"))
    study_of = {batch.pk: batch.study_id for batch in rows}
    grouped = defaultdict(list)
    # Of those batches alone: another may be added between the two readings.
    known = Batch.objects.filter(pk__in=study_of)
    for progress in batch_progress_list(batches=known):
        grouped[study_of[progress.number]].append(progress)
    names = {batch.pk: batch.pool.name for batch in rows if batch.pool}
    return grouped, {batch.pk: batch.scheme for batch in rows}, names


def _latest_tasks(ids: list[int]) -> defaultdict[int, dict[str, Task]]:
    latest = (
        Task.objects.filter(study__in=ids)
        .order_by()
        .values("study", "kind")
        .annotate(latest=Max("pk"))
        .values("latest")
    )
    grouped: defaultdict[int, dict[str, Task]] = defaultdict(dict)
    for task in Task.objects.filter(pk__in=latest, study__isnull=False):
        grouped[task.study_id or 0][task.kind] = task
    return grouped


def _decided(schemes: Mapping[int, Scheme]) -> set[int]:
    """The batches whose question that makes the subset has been labelled."""
    labelled = Labelling.objects.filter(batch__in=schemes).values_list("batch", "question")
    return {batch for batch, question in labelled if question == schemes[batch].subset.question}


def _labels_counted(
    ids: list[int], schemes: Mapping[int, Scheme]
) -> defaultdict[int, defaultdict[int, dict[str, int]]]:
    """Count the labels that stand of the subset's question, and ties, in each batch of a study."""
    rows = (
        Label.objects.standing()
        .filter(
            query__batch__study__in=ids,
            query__batch__archived_at=None,
            query__batch__removed_at=None,
        )
        .order_by()
        .values_list("query__batch__study", "query__batch", "question", "value")
        .annotate(n=Count("pk"))
    )
    grouped: defaultdict[int, defaultdict[int, dict[str, int]]] = defaultdict(
        lambda: defaultdict(dict)
    )
    for study, batch, question, value, n in rows:
        if batch in schemes and question == schemes[batch].subset.question:
            grouped[study][batch][value] = n
    return grouped
