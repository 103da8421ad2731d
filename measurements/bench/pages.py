"""Time and statements of each page of the site, in a study as large as the paper's.

`python -m measurements.bench --only pages` asks for every page through the WSGI application, on
SQLite and on PostgreSQL.
"""

import json
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import psycopg

from measurements.bench.measuring import say
from measurements.bench.projects import databases, project_on
from tests.project import ROOT

QUERIES, ROUNDS = 4_000, 9
#: What `pages_once` says of each page.
Asked = Mapping[str, Mapping[str, float]]


def pages(queries: int, rounds: int, *, postgres: bool) -> Asked:
    """Every page by name; in a process of its own."""
    with project_on(postgres=postgres) as project:
        project.prepare()
        done = subprocess.run(
            [sys.executable, "-m", "measurements.bench.pages_once", str(queries), str(rounds)],
            cwd=ROOT,
            env=project.environment,
            check=True,
            stdout=subprocess.PIPE,
            text=True,
        )
    pages_asked: Asked = json.loads(done.stdout)
    return pages_asked


def run(_folder: Path, *, quick: bool = False) -> str:
    """A section in Markdown: one row per page, the slowest first."""
    queries, rounds = (QUERIES // 40, 2) if quick else (QUERIES, ROUNDS)
    of_database: dict[str, Asked] = {}
    for name in databases(quick=quick):
        say(f"  {name}")
        try:
            of_database[name] = pages(queries, rounds, postgres=name == "PostgreSQL")
        except psycopg.OperationalError:
            say("    no server")
    lines = [
        "## Pages",
        "",
        f"A study of {queries:,} queries, {3 * queries:,} votes and seven runs, with pool, batch",
        "and bias report (`tests/large_study.py`). Each request goes through the WSGI",
        f"application, in one process: the median of {rounds} after a first, in milliseconds by",
        "the clock, and of processor time of that process, which other work on the machine",
        "changes less. Statements are of the database. Pages have their names of",
        "`annotation/urls.py`, calls of the API (`api-`) those of `annotation/api_urls.py`.",
        "",
        "| page |"
        + "".join(f" {name}, ms | processor | statements |" for name in of_database)
        + " KB |",
        "|---|" + "---:|---:|---:|" * len(of_database) + "---:|",
    ]
    first = next(iter(of_database.values()))
    for page in sorted(first, key=lambda name: -first[name]["cpu"]):
        cells = [
            cell
            for requests in of_database.values()
            for cell in (f"{requests[page][what]:.0f}" for what in ("ms", "cpu", "statements"))
        ]
        lines.append(f"| `{page}` | {' | '.join(cells)} | {first[page]['kb']:,.0f} |")
    return "\n".join(lines)
