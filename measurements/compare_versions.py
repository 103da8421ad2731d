"""`python -m measurements.compare_versions CHECKOUT`: what two versions write of the same study.

The other version makes the demonstration. Its database, row by row, and its files are then read by
both: exports of labels and votes, agreement, quality, bundle, release, a report, and every answer
of the API that the other version describes. They must be equal to the byte but for `ADDED` and
`OTHERWISE`, which name what is meant to differ with its reason. Exit status 1 if more does.
"""

import argparse
import json
import re
import shutil
import sqlite3
import sys
import tempfile
import zipfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import requests

from tests.ports import free_port
from tests.project import Project

NAME = "demo"
DATABASES = ("fairpool.sqlite3", "crowd.sqlite3")
#: Members that only this version has: `file or address: path`, and why.
ADDED = {
    r"/votes/left_out$": "queries of a scheme that annotators left out",
    r"/votes/\d+/words$": "what was answered to a scheme, empty elsewhere",
    r"/votes/\d+/is_right$": "whether what is known of a gold question was answered",
    r"/(prolific_currency|spent_here)$": "what a batch has cost here, and in what money elsewhere",
    r"/queue/+body/results/\d+/question$": "the question of a scheme that waits, empty elsewhere",
    r"/workers/\d+/+body/questions$": "quality by question of a scheme, none elsewhere",
    r"/has_scheme$": "whether a batch has a scheme",
    r"/scheme$": "the scheme of a batch",
    r"^/api/v1/pools/.*/(groups|n_by_group)(/|$)": "the groups of words that a pool was drawn by",
    r"^/api/v1/schema/": "addresses that were added",
}
#: What differs from one moment to the next whatever the version.
OTHERWISE = {
    r"(finished|started|created|made|at|as_of|version|next|previous|seconds_left)$": "when asked",
    r"/api/v1/(tasks|events|studies/1/events)": "the log and jobs of what was just written",
    r"^bundle/(manifest|ro-crate-metadata)\.json": "digests and sizes of the files of the bundle",
}


def outputs(project: Project, checkout: Path, addresses: list[str] | None = None) -> dict[str, Any]:
    """By name what the version writes, as far as that of `checkout` writes it, too."""
    folder = project.data_dir / "written"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    written: dict[str, Any] = {}
    for layout in ("csv", "tsv", "jsonl"):
        path = folder / f"labels.{layout}"
        project.run(
            *("label", "export", NAME, "--category", "all", "--format", layout, "--output", path)
        )
    for layout in ("plain", "mturk", "label-studio"):
        project.run("label", "export-votes", NAME, "--format", layout, "--output", folder / layout)
    written["agreement"] = project.json("batch", "agreement", NAME)
    written["quality"] = project.json("worker", "quality", NAME)
    project.run("study", "bundle", NAME, "--output", folder / "bundle.zip")
    if (checkout / "annotation/management/verbs/study/release.py").exists():
        terms = ("--creators", "Roe, Ada", "--license", "cc-by-4.0")
        project.run("study", "release", NAME, *terms, "--output", folder / "release")
    runs = sorted((project.data_dir / "output" / "runs").glob("*.run"))
    named = [part for run in runs for part in ("--run", f"{run.stem}={run}")]
    scores = project.data_dir / "output" / "magnitudes.parquet"
    report = folder / "report"
    project.run("report", "make", NAME, "--scores", scores, *named, "--output", report)
    with zipfile.ZipFile(folder / "bundle.zip") as bundle:
        bundle.extractall(folder / "bundle")
    (folder / "bundle.zip").unlink()
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            written[str(path.relative_to(folder))] = path.read_bytes()
    return written | _answers(project, addresses)


def _answers(project: Project, addresses: list[str] | None) -> dict[str, Any]:
    token = project.json("account", "create-token", "ada")["token"]
    with project.site() as site, requests.Session() as session:
        session.headers.update(Authorization=f"Bearer {token}", Accept="application/json")
        described = session.get(f"{site}/api/v1/schema/", timeout=120).json()
        known = addresses or list(_described(described))
        return {address: _answer(session.get(f"{site}{address}", timeout=120)) for address in known}


def _described(schema: dict[str, Any]) -> Iterator[str]:
    """The addresses that can be read, of the first row of each kind."""
    for path, methods in schema["paths"].items():
        filled = re.sub(r"\{(batch|pool|study|report|query|worker|assignment)\}", "1", path)
        if "get" in methods and "{" not in filled:
            yield filled


def _answer(reply: requests.Response) -> Any:
    is_json = "json" in reply.headers.get("Content-Type", "")
    return {"status": reply.status_code, "body": reply.json() if is_json else reply.content}


def copy_rows(before: Path, after: Path) -> None:
    """Copy every row of one database to another; columns that only this has are their default."""
    with sqlite3.connect(after) as database:
        database.execute("PRAGMA foreign_keys = OFF")
        database.execute("ATTACH ? AS before", (str(before),))
        tables = database.execute(
            "SELECT name FROM before.sqlite_master "
            "WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
        ).fetchall()
        for (table,) in tables:
            columns = ", ".join(
                f'"{row[1]}"'
                for row in database.execute(f"PRAGMA before.table_info('{table}')").fetchall()
            )
            database.execute(f'DELETE FROM main."{table}"')  # noqa: S608 - our own names
            database.execute(
                f'INSERT INTO main."{table}" ({columns}) SELECT {columns} FROM before."{table}"'  # noqa: S608
            )


def differences(before: Any, after: Any, path: str = "") -> Iterator[tuple[str, Any, Any]]:
    """Path and values wherever the two are not equal; None for what is not there."""
    if isinstance(before, dict) and isinstance(after, dict):
        for name in sorted(before.keys() | after.keys()):
            yield from differences(before.get(name), after.get(name), f"{path}/{name}")
    elif isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        for i, (first, other) in enumerate(zip(before, after, strict=True)):
            yield from differences(first, other, f"{path}/{i}")
    elif before != after:
        yield path, before, after


def compare(before: dict[str, Any], after: dict[str, Any]) -> int:
    """Print what differs without a reason, and count the rest by reason; how many have none."""
    reasons: Counter[str] = Counter()
    n_others = 0
    for name in sorted(before.keys() | after.keys()):
        first, other = before.get(name), after.get(name)
        if isinstance(first, bytes) and isinstance(other, bytes) and name.endswith("json"):
            first, other = json.loads(first), json.loads(other)
        for path, old, new in differences(first, other):
            place = f"{name}: {path}" if not name.startswith("/api") else f"{name}{path}"
            known = (ADDED if old is None else {}) | OTHERWISE
            reason = next((why for what, why in known.items() if re.search(what, place)), "")
            if reason:
                reasons[reason] += 1
                continue
            n_others += 1
            say(f"{place}: {str(old)[:90]!r}, now {str(new)[:90]!r}")
    n_bytes = sum(len(value) for value in before.values() if isinstance(value, bytes))
    n_files = sum(isinstance(value, bytes) for value in before.values())
    n_answers = sum(name.startswith("/api") for name in before)
    say(f"{n_files} files ({n_bytes:,} bytes), {n_answers} answers: {n_others} differences unnamed")
    for reason, number in reasons.most_common():
        say(f"  {number:,} named: {reason}")
    return n_others


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m measurements.compare_versions", description=__doc__
    )
    parser.add_argument("checkout", type=Path, help="Of the other version.")
    checkout = parser.parse_args().checkout.resolve()
    with tempfile.TemporaryDirectory(prefix="versions-") as name:
        data, kept = Path(name) / "data", Path(name) / "kept"
        data.mkdir()
        old = Project(data, free_port(), checkout, checkout=checkout)
        old.migrate()
        old.run("demo", "--output", data / "output")
        old.run("job", "work", "--once")
        old.run("createsuperuser", "--noinput", "--username", "ada", "--email", "a@example.org")
        shutil.copytree(data, kept)
        before = outputs(old, checkout)
        shutil.rmtree(data)
        shutil.copytree(kept, data, ignore=shutil.ignore_patterns("*.sqlite3*"))
        new = Project(data, old.port)
        new.migrate()
        for database in DATABASES:
            copy_rows(kept / database, data / database)
        after = outputs(new, checkout, [name for name in before if name.startswith("/")])
    return 1 if compare(before, after) else 0


def say(text: str) -> None:
    print(text, flush=True)  # noqa: T201 - a program for the terminal


if __name__ == "__main__":
    sys.exit(main())
