"""`python -m measurements.counting_plans [BATCHES]`: how the database counts a batch's answers.

A database of its own, of the kind that `DATABASE_URL` names, gets BATCHES (5) of 4,000 queries with
12,000 answers each. A line for each kind of counting in one of them: its statements, their time,
and the tables of answers that the database reads from end to end.
"""

import os
import random
import re
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
django.setup()

from django.db import connection  # noqa: E402 - Django must be set up before models are imported
from django.test.utils import CaptureQueriesContext  # noqa: E402

from annotation.batches.queries.batches import batch_progress  # noqa: E402
from annotation.core.operations import Actor  # noqa: E402
from annotation.labels.operations.decide import batch_label  # noqa: E402
from annotation.labels.operations.votes_import import import_votes  # noqa: E402
from annotation.labels.queries.labels import standing_values  # noqa: E402
from annotation.labels.queries.questions import closed_question  # noqa: E402
from annotation.labels.queries.scheme_results import scheme_results  # noqa: E402
from annotation.labels.queries.votes import (  # noqa: E402
    voter_kinds,
    votes_on,
)
from annotation.labels.queries.votes_out import votes_out  # noqa: E402
from annotation.models import Batch  # noqa: E402

_N_BATCHES, _N_QUERIES, _N_WORKERS = 5, 4_000, 3
_TABLES = "vote|choice|label|batchquery"
#: A scan in the words of SQLite, and of PostgreSQL.
_SCAN = re.compile(rf"SCAN annotation_({_TABLES})\b(?! USING)|Seq Scan on annotation_({_TABLES})\b")


def _fill(folder: Path, n_batches: int) -> Batch:
    luck = random.Random(1)
    for number in range(n_batches):
        rows = [
            f"q{query},w{worker},{luck.choice('nnnfmou')},text of query {query}"
            for query in range(_N_QUERIES)
            for worker in range(_N_WORKERS)
        ]
        path = folder / f"{number}.csv"
        path.write_text("\n".join(["query_id,worker,label,query", *rows]))
        import_votes(paths=[path], name=f"batch {number}", actor=Actor("measurement"))
        batch_label(batch=Batch.objects.get(name=f"batch {number}"), actor="measurement")
    return Batch.objects.get(name="batch 0")


def _ways(batch: Batch) -> dict[str, Callable[[], object]]:

    question = closed_question(batch=batch)
    return {
        "progress of a batch": lambda: batch_progress(batch=batch),
        "votes as a table": lambda: votes_on(batch=batch, question=question),
        "labels by option": lambda: standing_values(batch=batch, question=question),
        "who voted": lambda: voter_kinds(batch=batch),
        "what came out": lambda: votes_out(batch=batch, question=question, by=None),
        "decisions": lambda: scheme_results(batch=batch).queries,
    }


def _scans(sql: str) -> set[str]:

    verb = "EXPLAIN QUERY PLAN" if connection.vendor == "sqlite" else "EXPLAIN"
    with connection.cursor() as cursor:
        # As text, without parameters: the statement has its values already.
        cursor.execute(f"{verb} {sql}".replace("%", "%%"), [])
        plan = "\n".join(" ".join(map(str, row)) for row in cursor.fetchall())
    return {sqlite or postgresql for sqlite, postgresql in _SCAN.findall(plan)}


def _lines(batch: Batch) -> Iterator[str]:

    yield f"| {connection.vendor} | statements | ms | read from end to end |"
    yield "|---|---:|---:|---|"
    for name, count in _ways(batch).items():
        count()
        start = time.perf_counter()
        count()
        passed = time.perf_counter() - start
        with CaptureQueriesContext(connection) as statements:
            count()
        selects = [row["sql"] for row in statements if row["sql"].startswith("SELECT")]
        scanned = set().union(*map(_scans, selects))
        yield (f"| {name} | {len(selects)} | {passed * 1_000:.0f} | {', '.join(sorted(scanned))} |")


def main(n_batches: int) -> None:
    connection.creation.create_test_db(verbosity=0)
    try:
        with tempfile.TemporaryDirectory() as folder:
            batch = _fill(Path(folder), n_batches)
        with connection.cursor() as cursor:
            cursor.execute("ANALYZE")
        for line in _lines(batch):
            sys.stdout.write(f"{line}\n")
    finally:
        connection.creation.destroy_test_db(connection.settings_dict["NAME"], verbosity=0)


if __name__ == "__main__":
    main(int(sys.argv[1]) if sys.argv[1:] else _N_BATCHES)
