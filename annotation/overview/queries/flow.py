"""How studies stand: their files, pools, batches, tasks and labels.

All studies are read at once, in a number of statements that depends on nothing. What a person makes
of it is in `annotation.overview.queries.steps`.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from django.db.models import Count, Max

from annotation.batches.queries.batches import BatchProgress, batch_progress_list
from annotation.batches.queries.study_queries import new_queries_counts
from annotation.core.task_progress import live_kinds
from annotation.models import Batch, Label, Study, StudyFile, StudyPool, StudyReport, Task
from annotation.models.tasks import LIVE_STATES
from annotation.studies.queries.scored import scored_now
from annotation.vocabulary import BatchState, FileKind
from pooling.models import Pool


@dataclass(frozen=True)
class Flow:
    """A study with all that its steps stand on; what is archived is not there.

    `pools` and `batches` have the latest first, `tasks` the latest one of each kind. `n_new` counts
    the queries of the latest pool that are in no batch, `labels` the labels that stand, by value;
    `is_measured` says whether a bias report was made.
    """

    study: Study
    files: list[StudyFile] = field(default_factory=list)
    pools: list[Pool] = field(default_factory=list)
    batches: list[BatchProgress] = field(default_factory=list)
    tasks: Mapping[str, Task] = field(default_factory=dict)
    n_new: int = 0
    labels: Mapping[str, int] = field(default_factory=dict)
    is_measured: bool = False

    @property
    def running(self) -> list[Task]:
        """The tasks that are being done or to be done, in order of kind."""
        live = (task for task in self.tasks.values() if task.state in LIVE_STATES)
        return sorted(live, key=lambda task: task.kind)

    @property
    def running_kinds(self) -> str:
        """Version of the steps that a page shows: it comes anew when that changes."""
        return live_kinds(self.tasks.values())

    @property
    def drafts(self) -> list[BatchProgress]:
        return [batch for batch in self.batches if batch.state == BatchState.DRAFT]

    @property
    def next_batch(self) -> BatchProgress | None:
        """The batch to go on with: the latest draft, or else the latest."""
        return next(iter([*self.drafts, *self.batches]), None)

    def of_kind(self, kind: str) -> list[StudyFile]:
        return [file for file in self.files if file.kind == kind]

    @property
    def warned(self) -> list[StudyFile]:
        """The files in which something is odd."""
        return [file for file in self.files if file.warnings]

    @property
    def scored(self) -> list[StudyFile]:
        """The scored collections, the latest first."""
        return sorted(self.of_kind(FileKind.MAGNITUDES), key=lambda file: -file.pk)

    @property
    def magnitudes(self) -> StudyFile | None:
        """The scored collection that is pooled with, if there is one yet."""
        return scored_now(self.files)

    @property
    def is_poolable(self) -> bool:
        """Whether there is all that a pool is made of; scores are made on the way."""
        kinds = FileKind.QUERIES, FileKind.RUN
        texts = self.magnitudes or self.of_kind(FileKind.COLLECTION)
        return bool(texts and all(map(self.of_kind, kinds)))

    @property
    def runs_to_pool(self) -> list[str]:
        """The runs that the latest pool does not have."""
        known = self.pools[0].inputs.get("runs", {}) if self.pools else {}
        runs = self.of_kind(FileKind.RUN)
        return [run.name for run in runs if known.get(run.name, {}).get("digest") != run.digest]


def study_flow(*, study: Study) -> Flow:
    """How one study stands."""
    return study_flows(studies=[study])[0]


def study_flows(*, studies: Sequence[Study]) -> list[Flow]:
    """How each of `studies` stands, in their order."""
    ids = [study.pk for study in studies]
    files = _grouped(
        StudyFile.objects.filter(study__in=ids, archived_at=None).order_by("kind", "name")
    )
    pools = _pools(ids)
    new = new_queries_counts(pools=[of_study[0].pk for of_study in pools.values()])
    batches = _progress(ids)
    tasks = _latest_tasks(ids)
    labels = _labels_counted(ids)
    reports = StudyReport.objects.filter(study__in=ids, made_at__isnull=False, archived_at=None)
    measured = set(reports.order_by().values_list("study_id", flat=True))
    return [
        Flow(
            study=study,
            files=files[study.pk],
            pools=pools.get(study.pk, []),
            batches=batches[study.pk],
            tasks=tasks[study.pk],
            n_new=new.get(pools[study.pk][0].pk, 0) if study.pk in pools else 0,
            labels=labels[study.pk],
            is_measured=study.pk in measured,
        )
        for study in studies
    ]


def _grouped(rows: Iterable[StudyFile]) -> defaultdict[int, list[StudyFile]]:
    grouped = defaultdict(list)
    for row in rows:
        grouped[row.study_id].append(row)
    return grouped


def _pools(ids: list[int]) -> dict[int, list[Pool]]:
    """The pools of each study that has any, the latest first; none of the samples drawn."""
    found: dict[int, list[Pool]] = {}
    belong = StudyPool.objects.filter(
        study__in=ids, pool__archived_at=None, pool__drawn=None
    ).select_related("pool")
    for row in belong.order_by("-pool__pk"):
        found.setdefault(row.study_id, []).append(row.pool)
    return found


def _progress(ids: list[int]) -> defaultdict[int, list[BatchProgress]]:
    batches = Batch.objects.filter(study__in=ids, archived_at=None)
    study_of = dict(batches.values_list("pk", "study_id"))
    grouped = defaultdict(list)
    for progress in batch_progress_list(batches=batches):
        grouped[study_of[progress.number]].append(progress)
    return grouped


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


def _labels_counted(ids: list[int]) -> defaultdict[int, dict[str, int]]:
    """How many labels of each value stand in each study."""
    rows = (
        Label.objects.standing()
        .filter(
            query__batch__study__in=ids,
            query__batch__archived_at=None,
            query__batch__removed_at=None,
        )
        .order_by()
        .values_list("query__batch__study", "value")
        .annotate(n=Count("pk"))
    )
    grouped: defaultdict[int, dict[str, int]] = defaultdict(dict)
    for study, value, n in rows:
        grouped[study][value] = n
    return grouped
