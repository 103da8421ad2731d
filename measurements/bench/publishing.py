"""Publishing 4,000 queries to the crowd service: HITs per second, statements per HIT.

The service runs in a process of its own, on SQLite and on PostgreSQL; both the platform and the
service keep their tables there. `python -m measurements.bench --only publishing` shows both.
"""

import json
import subprocess
import sys
from pathlib import Path

import psycopg

from measurements.bench.projects import databases, project_on
from tests.project import ROOT, Project

QUERIES = 4_000


def publishing(*, queries: int = QUERIES, postgres: bool = False) -> dict[str, float]:
    """Publish `queries` once with a tenth of them and once with all; figures of the second.

    `statements_per_hit_of_a_tenth` equals `statements_per_hit` where the number is constant.
    """
    with project_on(postgres=postgres) as project:
        project.prepare()
        project.run("crowd", "key", "--quiet")
        with project.site():
            few = _in_process(project, "few", queries // 10)
            many = _in_process(project, "many", queries)
    return {**many, "statements_per_hit_of_a_tenth": few["statements_per_hit"]}


def _in_process(project: Project, name: str, queries: int) -> dict[str, float]:
    done = subprocess.run(
        [sys.executable, "-m", "measurements.bench.publish_once", name, str(queries)],
        cwd=ROOT,
        env=project.environment,
        check=True,
        capture_output=True,
        text=True,
    )
    result: dict[str, float] = json.loads(done.stdout)
    return result


def run(_folder: Path, *, quick: bool = False) -> str:
    """A section in Markdown: one row per database that is there."""
    queries = QUERIES // 10 if quick else QUERIES
    lines = [
        "## Publishing a batch to the crowd service",
        "",
        f"{queries:,} queries, ten to a HIT, over real HTTP, in one round. Statements are those",
        "of the platform's database; the last column is the same for a tenth of the queries.",
        "",
        "| database | HITs/s | statements per HIT | for a tenth |",
        "|---|---:|---:|---:|",
    ]
    for name in databases(quick=quick):
        try:
            rates = publishing(queries=queries, postgres=name == "PostgreSQL")
        except psycopg.OperationalError:
            lines.append(f"| {name} | no server | | |")
            continue
        lines.append(
            f"| {name} | {rates['hits_per_second']:.0f} | {rates['statements_per_hit']:.2f} "
            f"| {rates['statements_per_hit_of_a_tenth']:.2f} |"
        )
    return "\n".join(lines)
