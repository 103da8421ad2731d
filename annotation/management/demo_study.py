"""The steps of the demonstration: the same commands that a researcher types, one after another."""

import contextlib
import io
import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management import call_command

from annotation.accounts.queries.members import get_study
from annotation.batches.queries.batches import get_batch
from annotation.core.origin import actor
from annotation.core.perform import queue_job
from annotation.labels.queries.corrected import FigureParameters, corrected_figures
from annotation.labels.queries.corrected_table import (
    ENDINGS,
    FORMATS,
    figure_rows,
    figures_text,
)
from annotation.language_models.double import ModelDouble, four_in_five, serving
from annotation.overview.operations.demo import sample_name
from annotation.overview.operations.sample import BASELINE, POOL_CUTOFF
from annotation.reports.operations.reports import create_report
from annotation.reports.operations.request import ReportRequest
from annotation.vocabulary import Category, FileKind, TaskKind
from metrics.cli.command import Command
from metrics.cli.parser import parse
from metrics.cli.score import Score
from metrics.io.files import write_text
from metrics.runs.queries import read_queries
from rankers.cli.rank import Rank

NAME = "demo"
#: The queries that are drawn for corrected figures, and the batch that asks for them.
SAMPLE, N_DRAWN = sample_name(NAME), 60
MODEL = "made-up-model"
ACCURACY = "0.9"
RUNS = "runs"
MAGNITUDES = "magnitudes.parquet"


@dataclass(frozen=True)
class Study:
    """Paths of the sample and of the results, and the seed."""

    sample: Path
    output: Path
    seed: int

    def runs(self) -> list[str]:
        """`--run NAME=PATH` for every run that the rankers wrote."""
        paths = sorted((self.output / RUNS).glob("*.run"))
        return [argument for path in paths for argument in ("--run", f"{path.stem}={path}")]


def result_of(command: str, *arguments: str | Path) -> dict[str, Any]:
    """Output of a command under `--json`."""
    printed = io.StringIO()
    call_command(*command.split(), *map(str, arguments), "--json", "--quiet", stdout=printed)
    result: dict[str, Any] = json.loads(printed.getvalue())
    return result


def result_of_files(command: Command, *arguments: str | Path) -> dict[str, Any]:
    """Output of a command of `fairpool` under `--json`."""
    options = parse("", command, [*map(str, arguments), "--json", "--quiet"])
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        command.handle(**options)
    result: dict[str, Any] = json.loads(printed.getvalue())
    return result


def rank(study: Study) -> str:
    result_of_files(
        Rank(),
        *("--collection", study.sample / "collection.tsv"),
        *("--queries", study.sample / "queries.tsv", "--output", study.output / RUNS),
    )
    return f"{len(study.runs()) // 2} retrieval models ranked the passages of the sample"


def score(study: Study) -> str:
    collection = study.sample / "collection.tsv"
    result = result_of_files(Score(), collection, "--output", study.output / MAGNITUDES)
    return f"{result['n_documents']:,} passages scored for female and male words"


def pool(study: Study) -> str:
    _file(study)
    result = result_of(
        *("pool build", "--name", NAME, "--study", NAME, "--scores", study.output / MAGNITUDES),
        *("--queries", study.sample / "queries.tsv"),
        *study.runs(),
        *("--cutoff", str(POOL_CUTOFF), "--output", study.output / "pool.csv"),
    )
    return (
        f"{result['n_pooled']} of {result['n_queries']} queries pooled: "
        f"the first {result['cutoff']} of each of {result['n_lists']} lists "
        f"({result['n_zero_bias']} places without any bias)"
    )


def _file(study: Study) -> None:
    """Let the site show the same as a study."""
    result_of("study create", NAME, "--description", "The sample that ships with the project.")
    result_of(
        *("study add-files", NAME, "--collection", study.sample / "collection.tsv"),
        *("--queries", study.sample / "queries.tsv"),
        *("--magnitudes", study.output / MAGNITUDES, "--qrels", study.sample / "qrels.txt"),
        *study.runs(),
    )


def publish(study: Study) -> str:
    created = result_of("batch create", "--name", NAME, "--pool", NAME, "--seed", str(study.seed))
    result_of("batch publish", NAME, "--yes")
    return (
        f"{created['n_hits']} HITs published to the crowd service ({created['cost']} USD if real)"
    )


def answer(study: Study) -> str:
    result = result_of(
        *("batch simulate", NAME, "--truth", study.sample / "truth.csv"),
        *("--seed", str(study.seed), "--accuracy", ACCURACY),
    )
    return f"{result['n_workers']} simulated workers handed in {result['n_assignments']} HITs"


def collect(_study: Study) -> str:
    result_of("batch collect", NAME)
    status = result_of("batch show", NAME)
    return f"{status['n_votes']} votes collected, all marked as simulated"


def agree(study: Study) -> str:
    result = result_of("batch agreement", NAME)
    write_text(study.output / "agreement.json", json.dumps(result, indent=2) + "\n")
    alpha = result["krippendorff_alpha"]
    return (
        f"Krippendorff's alpha {alpha['value']:.3f} "
        f"[{alpha['low']:.3f}, {alpha['high']:.3f}], {result['ties']} ties"
    )


def label(study: Study) -> str:
    result_of("label decide", NAME)
    for category, file in (("n", "non_gendered.csv"), ("all", "labels.csv")):
        result_of(
            *("label export", NAME, "--category", category),
            *("--format", "csv", "--output", study.output / file),
        )
    majority = result_of("batch agreement", NAME)["majority"]
    counts = ", ".join(f"{majority[category]} {category.label.lower()}" for category in Category)
    return f"{counts}; exported"


def ask(study: Study) -> str:
    """Let a made-up model label: right for four queries of five."""
    truth = read_queries(study.sample / "truth.csv", "all")
    right = {truth.texts[qid]: category for qid, category in truth.labels.items()}
    double = ModelDouble()
    double.models = {MODEL}
    double.rule = lambda text, _draw: four_in_five(right[text], text)
    with serving(double) as address:
        settings.MODEL_KEYS[address] = ""
        try:
            result = result_of("batch ask-model", NAME, "--address", address, "--model", MODEL)
        finally:
            del settings.MODEL_KEYS[address]
    return (
        f"{result['labels']} queries labelled by a made-up model that is right four times in five"
    )


def correct(study: Study) -> str:
    """Draw a sample of the pool, let the workers label it, and correct the model's figures."""
    seed, truth = str(study.seed), study.sample / "truth.csv"
    result_of(
        *("study draw-sample", NAME, "--pool", NAME, "--name", SAMPLE),
        *("--size", str(N_DRAWN), "--seed", seed),
    )
    result_of(
        *("batch create", "--name", SAMPLE, "--pool", SAMPLE, "--study", NAME, "--seed", seed),
        *("--queries-per-hit", str(N_DRAWN // 3), "--reward", "0.50"),
    )
    result_of("batch publish", SAMPLE, "--yes")
    result_of(*("batch simulate", SAMPLE, "--truth", truth, "--seed", seed, "--accuracy", ACCURACY))
    result_of("batch collect", SAMPLE)
    result_of("label decide", SAMPLE)
    figures = corrected_figures(batch=get_batch(name=SAMPLE), parameters=FigureParameters())
    for layout, _ in FORMATS:
        path = study.output / f"corrected_figures.{ENDINGS.get(layout, layout)}"
        write_text(path, figures_text(figures, layout))
    row = figure_rows(figures)[0]
    return (
        f"{N_DRAWN} queries drawn and labelled: {row['corrected']:.2f} "
        f"[{row['corrected_low']:.2f}, {row['corrected_high']:.2f}] of the pool are non-gendered, "
        f"by the model alone {row['models']:.2f}"
    )


def report(study: Study) -> str:
    result_of(
        *("report make", NAME, "--scores", study.output / MAGNITUDES),
        *study.runs(),
        *("--baseline", BASELINE, "--qrels", study.sample / "qrels.txt"),
        *("--output", study.output),
    )
    _ask_for_report()
    return f"tables, figure and index.html written to {study.output}"


def _ask_for_report() -> None:
    """Queue the same report for the site's pages, which the worker makes."""
    study = get_study(name=NAME)
    request = ReportRequest(
        runs=[run.name for run in study.files.filter(kind=FileKind.RUN).order_by("name")],
        scored=study.files.get(kind=FileKind.MAGNITUDES).name,
        batches=[get_batch(name=NAME).pk],
        baseline=BASELINE,
        with_qrels=True,
    )
    report = create_report(study=study, request=request, actor=actor())
    queue_job(kind=TaskKind.REPORT, subject=study, actor=actor(), arguments={"report": report.pk})


STEPS: tuple[Callable[[Study], str], ...] = (
    rank,
    score,
    pool,
    publish,
    answer,
    collect,
    agree,
    label,
    ask,
    correct,
    report,
)
