"""`python -m tests.compare_versions CHECKOUT`: what differs in a study made by another version.

Both make the demonstration, in data folders of their own. Its tables and labels, and every answer
of the API that the other version describes, are compared by the names of columns and members: what
was there must be there, with numbers within 1e-9. `EXPECTED` names the differences that are meant,
with their reasons. Exit status 1 if there are others.
"""

import argparse
import csv
import json
import math
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import requests

from tests.integration.ports import free_port
from tests.integration.project import Project

_NOT_STATED = "(not there)"
#: One of these heads a column of every table with names.
_NAMED = {"run", "first", "measure", "qid", "measure_name", "cutoff"}
#: Patterns of `file or address: path of the value`, and why the demonstration of 0.1 has another.
EXPECTED = {
    r"(\bat|_at|expir\w+|created|finished|started|seconds\w*|duration|version)\b": "when, by what",
    r"/(speed|usd_per_hour|next)$|/size$": "how long a simulated worker took; a port; a path",
    r"/events/: /(count|results)": "the log has requests beside what came of them",
    r"warnings": "few votes for a category are told",
    r"/may/": "paying and creating studies are permissions of their own",
    r"(_id|/id|token|digest|sha256|arn|url|hash|actor|\bkey)\b": "chance and addresses name it",
    r"agreement.*(low|high|interval)": "intervals of alpha of one category allow for rare ones",
    r"pool.*/(lists|best_rank|places)\b": "ties stay ties whatever the order of sums",
    r"kendall|spearman|permutation_p": "values within 1e-12 of each other are ties",
    r"^significance.*: .*/(t|effect|low|high|t_p\w*)$": "of differences that are rounding alone",
    r"/notes/|/note$|/columns/": "texts and columns of tables: columns were added",
}


def study_of(project: Project, addresses: list[str] | None = None) -> dict[str, Any]:
    """The tables of the demonstration by file, and what the API answers to GET by address.

    Asked are the `addresses`, or by default all that the version describes.
    """
    output = project.data_dir / "output"
    project.migrate()
    project.run("demo", "--output", output)
    project.run("createsuperuser", "--noinput", "--username", "ada", "--email", "a@example.org")
    token = project.json("create_token", "ada")["token"]
    with project.site() as site, requests.Session() as session:
        session.headers.update(Authorization=f"Bearer {token}", Accept="application/json")
        asked = addresses or _described(session.get(f"{site}/api/v1/schema/", timeout=120).json())
        answers = {one: _answer(session.get(f"{site}{one}", timeout=120)) for one in asked}
    return files_of(output) | answers


def _described(schema: dict[str, Any]) -> list[str]:
    """The addresses that can be read, of the first row of each kind."""
    known = [path for path, acts in schema["paths"].items() if "get" in acts]
    filled = [re.sub(r"\{(batch|pool|study|report)\}", "1", path) for path in known]
    return [path for path in filled if "{" not in path]


def _answer(reply: requests.Response) -> Any:
    if "json" in reply.headers.get("Content-Type", ""):
        return reply.json()
    return {"status": reply.status_code, "rows": _rows(reply.text)}


def _rows(text: str) -> list[Any]:
    """The rows of a table by the names of its columns; the released layout has none."""
    rows = list(csv.reader(text.splitlines()))
    if not rows or not _NAMED & set(rows[0]):
        return rows
    return [dict(zip(rows[0], row, strict=True)) for row in rows[1:]]


def files_of(folder: Path) -> dict[str, Any]:
    """The tables and labels of a demonstration."""
    return {
        path.name: json.loads(text) if path.suffix == ".json" else _rows(text)
        for path in sorted(folder.iterdir())
        if path.suffix in {".json", ".csv"} and (text := path.read_text(encoding="utf-8"))
    }


def differences(before: Any, after: Any, path: str = "") -> Iterator[tuple[str, Any, Any]]:
    """What `before` has and `after` has not, or has otherwise."""
    if isinstance(before, dict) and isinstance(after, dict):
        for name, value in before.items():
            yield from differences(value, after.get(name, _NOT_STATED), f"{path}/{name}")
    elif isinstance(before, list) and isinstance(after, list):
        before, after = _by_qid(before), _by_qid(after)
        if isinstance(before, dict):
            yield from differences(before, after, path)
            return
        if len(before) != len(after):
            yield f"{path}/number", len(before), len(after)
        for i, (one, other) in enumerate(zip(before, after, strict=False)):
            yield from differences(one, other, f"{path}/{i}")
    elif not _equal(before, after):
        yield path, before, after


def _by_qid(rows: list[Any]) -> Any:
    """Rows about one query each under its id: ties put them in another order."""
    ids = [row.get("qid") for row in rows if isinstance(row, dict)]
    is_unique = ids and None not in ids and len(set(ids)) == len(rows)
    return dict(zip(ids, rows, strict=True)) if is_unique else rows


def _equal(one: Any, other: Any) -> bool:
    try:
        return one == other or math.isclose(float(one), float(other), rel_tol=1e-9, abs_tol=1e-12)
    except (TypeError, ValueError):
        return False


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.compare_versions", description=__doc__)
    parser.add_argument("checkout", type=Path, help="Of the other version.")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="versions-") as name:
        old, new = (Path(name) / which for which in ("before", "after"))
        for folder in (old, new):
            folder.mkdir()
        before = study_of(Project(old, free_port(), options.checkout, checkout=options.checkout))
        addresses = [one for one in before if one.startswith("/")]
        after = study_of(Project(new, free_port()), addresses)
    meant: Counter[str] = Counter()
    others = 0
    for where, value in before.items():
        for path, one, other in differences(value, after.get(where, _NOT_STATED)):
            place = f"{where}: {path}"
            reason = next((why for known, why in EXPECTED.items() if re.search(known, place)), None)
            if reason:
                meant[reason] += 1
                continue
            others += 1
            say(f"{place}: {str(one)[:80]!r}, now {str(other)[:80]!r}")
    n_values = sum(1 for value in before.values() for _ in _values(value))
    say(
        f"{n_values:,} values in {len(before)} tables and answers; {others} differ without a reason"
    )
    for reason, number in meant.most_common():
        say(f"  {number:,} differ: {reason}")
    return 1 if others else 0


def _values(value: Any) -> Iterator[Any]:
    if isinstance(value, dict | list):
        for one in value.values() if isinstance(value, dict) else value:
            yield from _values(one)
    else:
        yield value


def say(text: str) -> None:
    print(text, flush=True)  # noqa: T201 - a program for the terminal


if __name__ == "__main__":
    sys.exit(main())
