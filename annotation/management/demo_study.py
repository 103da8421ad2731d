"""The steps of the demonstration: the same commands that a researcher types, one after another."""

import io
import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.core.management import call_command

from annotation.accounts.queries.members import study_get
from annotation.batches.queries.batches import batch_get
from annotation.core.commands import actor
from annotation.core.queue import task_send
from annotation.reports.operations.material import ReportRequest
from annotation.reports.operations.reports import report_create
from annotation.vocabulary import Category, FileKind, TaskKind
from metrics.io.files import write_text

NAME = "demo"
#: At most a tenth of the sample's queries, so that pooling selects.
POOL_CUTOFF = 38
ACCURACY = "0.9"
RUNS = "runs"
MAGNITUDES = "magnitudes.parquet"


@dataclass(frozen=True)
class Study:
    """Where the sample lies, where the results go, and what makes them repeatable."""

    sample: Path
    output: Path
    seed: int

    def runs(self) -> list[str]:
        """`--run NAME=PATH` for every run that the rankers wrote."""
        paths = sorted((self.output / RUNS).glob("*.run"))
        return [argument for path in paths for argument in ("--run", f"{path.stem}={path}")]


def result_of(command: str, *arguments: str | Path) -> dict[str, Any]:
    """What a command prints under `--json`."""
    printed = io.StringIO()
    call_command(command, *map(str, arguments), "--json", "--quiet", stdout=printed)
    result: dict[str, Any] = json.loads(printed.getvalue())
    return result


def rank(study: Study) -> str:
    result_of(
        *("rank_collection", "--collection", study.sample / "collection.tsv"),
        *("--queries", study.sample / "queries.tsv", "--output-dir", study.output / RUNS),
    )
    return f"{len(study.runs()) // 2} retrieval models ranked the passages of the sample"


def score(study: Study) -> str:
    result = result_of(
        *("score_collection", study.sample / "collection.tsv"),
        *("--output", study.output / MAGNITUDES),
    )
    return f"{result['n_documents']:,} passages scored for female and male words"


def pool(study: Study) -> str:
    result = result_of(
        *("build_pool", "--name", NAME, "--magnitudes", study.output / MAGNITUDES),
        *("--queries", study.sample / "queries.tsv"),
        *study.runs(),
        *("--cutoff", str(POOL_CUTOFF), "--output", study.output / "pool.csv"),
    )
    _file(study)
    return (
        f"{result['n_pooled']} of {result['n_queries']} queries pooled: "
        f"the first {result['cutoff']} of each of {result['n_lists']} lists "
        f"({result['n_zero_bias']} places without any bias)"
    )


def _file(study: Study) -> None:
    """Let the site show the same as a study: its files and its pool."""
    result_of("create_study", NAME, "--description", "The sample that ships with the project.")
    result_of(
        *("add_files", NAME, "--collection", study.sample / "collection.tsv"),
        *("--queries", study.sample / "queries.tsv"),
        *("--magnitudes", study.output / MAGNITUDES),
        *study.runs(),
    )
    result_of("adopt", NAME, "--pool", NAME)


def publish(study: Study) -> str:
    created = result_of("create_batch", "--name", NAME, "--pool", NAME, "--seed", str(study.seed))
    result_of("publish_batch", NAME, "--yes")
    return (
        f"{created['n_hits']} HITs published to the crowd service ({created['cost']} USD if real)"
    )


def answer(study: Study) -> str:
    result = result_of(
        *("simulate_workers", NAME, "--truth", study.sample / "truth.csv"),
        *("--seed", str(study.seed), "--accuracy", ACCURACY),
    )
    return f"{result['n_workers']} simulated workers handed in {result['n_assignments']} HITs"


def collect(_study: Study) -> str:
    result_of("sync_batch", NAME)
    status = result_of("batch_status", NAME)
    return f"{status['n_votes']} votes collected, all marked as simulated"


def agree(study: Study) -> str:
    result = result_of("agreement", NAME)
    write_text(study.output / "agreement.json", json.dumps(result, indent=2) + "\n")
    alpha = result["krippendorff_alpha"]
    return (
        f"Krippendorff's alpha {alpha['value']:.3f} "
        f"[{alpha['low']:.3f}, {alpha['high']:.3f}], {result['ties']} ties"
    )


def label(study: Study) -> str:
    result_of("label_batch", NAME)
    for category, file in (("n", "non_gendered.csv"), ("all", "labels.csv")):
        result_of(
            *("export_queries", NAME, "--category", category),
            *("--format", "csv", "--output", study.output / file),
        )
    majority = result_of("agreement", NAME)["majority"]
    counts = ", ".join(f"{majority[one]} {one.label.lower()}" for one in Category)
    return f"{counts}; exported"


def report(study: Study) -> str:
    result_of(
        *("report", NAME, "--magnitudes", study.output / MAGNITUDES),
        *study.runs(),
        *("--output", study.output),
    )
    _ask_for_report()
    return f"tables, figure and index.html written to {study.output}"


def _ask_for_report() -> None:
    """The same report on the site's pages: the worker beside it makes it."""
    study = study_get(name=NAME)
    request = ReportRequest(
        runs=[run.name for run in study.files.filter(kind=FileKind.RUN).order_by("name")],
        scored=study.files.get(kind=FileKind.MAGNITUDES).name,
        batches=[batch_get(name=NAME).pk],
    )
    report = report_create(study=study, request=request, actor=actor())
    task_send(kind=TaskKind.REPORT, study_id=study.pk, actor=actor(), report=report.pk)


STEPS: tuple[Callable[[Study], str], ...] = (
    rank,
    score,
    pool,
    publish,
    answer,
    collect,
    agree,
    label,
    report,
)
