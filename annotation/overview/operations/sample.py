"""The project's sample as a study of a running site."""

import csv
from collections.abc import Collection, Iterator
from itertools import count
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import transaction

from annotation.core.operations import Actor, Operation, Result, Run
from annotation.core.parameters import NoParameters
from annotation.core.perform import perform, perform_here
from annotation.labels.operations.decide import batch_label
from annotation.labels.operations.votes_import import import_votes
from annotation.models import Batch, Study
from annotation.overview.operations.simulation import crowd_of, given_answers, read_truth
from annotation.reports.operations.create import CREATE_REPORT
from annotation.schemes import built_in_scheme
from annotation.studies.file_store import workplace
from annotation.studies.operations.create import CREATE_STUDY
from annotation.studies.operations.files import add_study_file
from annotation.studies.operations.pool import BUILD_POOL
from annotation.vocabulary import CATEGORY_QUESTION, FileKind, TaskKind, WorkerKind
from metrics.runs.queries import read_queries
from metrics.texts.collection import read_collection

_NAME = "Sample study"
_DESCRIPTION = (
    "The sample that ships with Fairpool, as a finished study: 7 retrieval models on invented "
    "passages, labelled by 5 simulated workers."
)
_FILES = {
    FileKind.COLLECTION: "collection.tsv",
    FileKind.QUERIES: "queries.tsv",
    FileKind.QRELS: "qrels.txt",
}
#: At most a tenth of the sample's queries, so that pooling selects.
POOL_CUTOFF = 38
#: The baseline of the report.
BASELINE = "BM25"
_N_MODELS = 7
_DEPTH = 100
_N_WORKERS = 5
_ACCURACY = 0.9
_SEED = 3


class PrepareSample(Operation[Study, NoParameters]):
    """Make a study of the sample: runs, scores, pool, simulated votes, labels; a report follows.

    Results of an interrupted job stay, and are not stored twice.
    """

    name = "prepare sample"
    title = "Prepare the sample"
    button = "Try the sample"
    queued = "The sample is being prepared, from its runs to its report. It takes about a minute."
    subject = Study
    parameters = NoParameters
    job = TaskKind.SAMPLE
    unit = "steps"

    def units(self, subject: Study, parameters: NoParameters) -> int:
        del subject
        return _N_MODELS + 2

    def run(self, subject: Study, parameters: NoParameters, run: Run) -> Result:
        del parameters
        for _ in _add_runs(subject, run.actor.name):
            run.advance(1)
        if not subject.pools.exists():
            perform_here(BUILD_POOL, subject, {"cutoff": POOL_CUTOFF}, run.actor)
        run.advance(1)
        batch = subject.batches.first() or _add_votes(subject, run.actor.name)
        run.advance(1)
        if not subject.reports.exists():
            perform(CREATE_REPORT, subject, _report_terms(subject, batch), run.actor)
        return Result({"batch": batch.pk}, "The sample is ready.")


PREPARE_SAMPLE = PrepareSample()


def create_sample_study(*, actor: Actor) -> Study:
    """A new study with the sample's collection and queries; a job adds the rest."""
    with transaction.atomic():
        terms = {"name": _free_name(Study, _NAME), "description": _DESCRIPTION}
        created = perform_here(CREATE_STUDY, None, terms, actor)
        study: Study = created.made
        for kind, name in _FILES.items():
            with _sample(name).open("rb") as stream:
                add_study_file(
                    study=study, kind=kind, stream=stream, filename=name, actor=actor.name
                )
        perform(PREPARE_SAMPLE, study, {}, actor)
    return study


def _add_runs(study: Study, actor: str) -> Iterator[str]:
    """Rank with one model after another, and yield its name once its run is stored."""
    # Imported here, as it takes seconds that no other work of a site should wait for.
    from rankers.registry import DEFAULT  # noqa: PLC0415
    from rankers.runs import write_runs  # noqa: PLC0415

    collection = list(read_collection(_sample("collection.tsv")))
    queries = list(read_queries(_sample("queries.tsv"), "all").texts.items())
    stored = set(study.files.filter(kind=FileKind.RUN).values_list("name", flat=True))
    for ranker in DEFAULT:
        if ranker.name not in stored:
            with workplace() as folder:
                path = write_runs([ranker], collection, queries, folder, depth=_DEPTH)[ranker.name]
                with path.open("rb") as stream:
                    add_study_file(
                        study=study,
                        kind=FileKind.RUN,
                        stream=stream,
                        filename=path.name,
                        name=ranker.name,
                        actor=actor,
                    )
        yield ranker.name


@transaction.atomic
def _add_votes(study: Study, actor: str) -> Batch:
    """The votes of simulated workers on the pooled queries, as a batch with decided labels."""
    name = _free_name(Batch, "Sample votes")
    pool = study.pools.get().pool
    with workplace() as folder:
        path = folder / "simulated_votes.csv"
        _write_votes(path, set(pool.queries.values_list("qid", flat=True)))
        who = Actor(actor)
        import_votes(paths=[path], name=name, voters=WorkerKind.SIMULATED, actor=who, study=study)
    batch = study.batches.get(name=name)
    batch.pool = pool
    batch.save(update_fields=["pool"])
    batch_label(batch=batch, actor=actor)
    return batch


def _report_terms(study: Study, batch: Batch) -> dict[str, Any]:
    """Terms of a report on all runs, by the labels of `batch` and the judgments of the sample."""
    runs = study.files.filter(kind=FileKind.RUN).order_by("name")
    return {
        "runs": list(runs.values_list("name", flat=True)),
        "scored": study.files.get(kind=FileKind.MAGNITUDES).name,
        "batches": [batch.pk],
        "baseline": BASELINE,
        "with_qrels": True,
    }


def _write_votes(path: Path, pooled: Collection[str]) -> None:
    scheme = built_in_scheme(CATEGORY_QUESTION)
    truth = read_truth(_sample("truth.csv"), scheme)
    texts = read_queries(_sample("queries.tsv"), "all").texts
    crowd = crowd_of(seed=_SEED, n_workers=_N_WORKERS, accuracy=_ACCURACY)
    with path.open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["query_id", "query", "worker", "label"])
        for qid, label in truth.items():
            if qid not in pooled:
                continue
            for worker in crowd.error_rates:
                answers = given_answers(crowd, worker, qid, scheme, label)
                rows.writerow([qid, texts[qid], worker, *answers[CATEGORY_QUESTION]])


def _free_name(kind: type[Study | Batch], name: str) -> str:
    """Return `name`, with the first number that makes it unique, if needed."""
    names = (name if number == 1 else f"{name} {number}" for number in count(1))
    return next(free for free in names if not kind.objects.filter(name=free).exists())


def _sample(name: str) -> Path:
    return Path(settings.BASE_DIR) / "sample" / name
