"""Fairpool as its deployment runs it, with a published batch; and the proof that no answer was
lost, doubled or put in the wrong place.
"""

import contextlib
import json
import os
import re
import signal
import sqlite3
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg
from defusedxml.ElementTree import fromstring

from measurements.load.journal import Answer
from measurements.load.people import PANEL, PASSWORD, category, name_of
from tests.ports import free_port
from tests.project import ROOT, _wait_for
from tests.site.faults.links import Link
from tests.site.workers.profiles import Embedded, Server

QUERIES_PER_HIT = 10
ASSIGNMENTS = 5
_BROKER = "redis://127.0.0.1:6379/15"
_ANSWERS = """
    SELECT w.username, w.person, a.assignment_id, a.answer, h.question
    FROM mturk_local_assignment a
    JOIN mturk_local_worker w ON w.id = a.worker_id JOIN mturk_local_hit h ON h.id = a.hit_id
    WHERE a.state IN ('Submitted', 'Approved', 'Rejected') AND w.entry_channel <> 'simulated'"""
_VOTES = """
    SELECT w.worker_id, q.qid, c.option FROM annotation_vote v
    JOIN annotation_choice c ON c.vote_id = v.id
    JOIN annotation_worker w ON w.id = v.worker_id
    JOIN annotation_batchquery q ON q.id = v.query_id WHERE w.kind = 'human'"""


@dataclass(frozen=True)
class Checked:
    """Comparison of the databases with what the annotators were told."""

    stored: int
    lost: int
    unasked: int
    doubled: int
    misplaced: int
    votes: int
    votes_wrong: int
    broken: list[str]

    @property
    def clean(self) -> bool:
        wrong = self.lost + self.unasked + self.doubled + self.misplaced + self.votes_wrong
        return wrong == 0 and not self.broken and self.votes == self.stored * QUERIES_PER_HIT


@contextlib.contextmanager
def prepared(folder: Path, port: int, *, postgres: bool) -> Iterator["Embedded | Server"]:
    """An empty project, on PostgreSQL or on SQLite."""
    data_dir = folder / "var"
    data_dir.mkdir(parents=True)
    if not postgres:
        embedded = Embedded(data_dir=data_dir, port=port)
        embedded.prepare()
        yield embedded
        return
    server = Server(data_dir=data_dir, port=port, broker=_BROKER)
    with server.databases():
        server.prepare()
        yield server


@contextlib.contextmanager
def serving(project: "Embedded | Server", machines: int = 1) -> Iterator[None]:
    """The site: with PostgreSQL `deploy/web.sh`, once for each machine; with SQLite `serve`."""
    if isinstance(project, Embedded):
        with project.site():
            yield
        return
    with contextlib.ExitStack() as stack:
        ports = [project.port] if machines == 1 else [free_port() for _ in range(machines)]
        for port in ports:
            stack.enter_context(_web_server(project, port))
        if machines > 1:
            stack.enter_context(contextlib.closing(Link(*ports, port=project.port)))
        yield


@contextlib.contextmanager
def _web_server(project: Server, port: int) -> Iterator[None]:
    log = project.data_dir / "site.log"
    environment = project.environment | {
        "BIND": f"127.0.0.1:{port}",
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
    }
    with log.open("ab") as output:
        process = subprocess.Popen(
            [ROOT / "deploy" / "web.sh"], cwd=ROOT, env=environment, stdout=output, stderr=output
        )
    try:
        _wait_for(f"http://127.0.0.1:{port}/readyz", process, log)
        yield
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(timeout=120)


def furnish(project: "Embedded | Server", *, annotators: int, hits: int) -> None:
    """Accounts, a panel, and a published batch; the site must be up."""
    project.run("crowd", "key", "--quiet")
    project.run(
        *("crowd", "channel", "panel", PANEL, "--provider", "load", "--completion-code", "C1"),
        *("--tasks", "1000"),
    )
    names = [name_of(number) for number in range(1, annotators + 1, 2)]
    project.run("shell", "--command", _ACCOUNTS.format(names=names, password=PASSWORD))
    queries = project.data_dir / "queries.tsv"
    queries.write_text(
        "".join(f"q{n}\tquery number {n}\n" for n in range(hits * QUERIES_PER_HIT)), "utf-8"
    )
    project.run(
        *("batch", "create", "--name", "load", "--queries", queries, "--quiet"),
        *("--queries-per-hit", str(QUERIES_PER_HIT), "--assignments", str(ASSIGNMENTS)),
    )
    project.run("batch", "publish", "load", "--yes", "--quiet")


_ACCOUNTS = """
from mturk_local.workers import worker_create
for name in {names!r}:
    worker_create(entry_channel="account", username=name, password={password!r})
"""


def check(project: "Embedded | Server", answers: list[Answer]) -> Checked:
    """Collect, and compare every stored answer and vote with what it has to be."""
    rows = _rows(project, _ANSWERS, crowd=True)
    stored = Counter(str(row[2]) for row in rows)
    told_of = Counter(answer.task for answer in answers)
    expected, misplaced = _expected_votes(rows)
    project.run("batch", "collect", "load", "--quiet")
    person = {
        str(worker): str(username or who.partition(":")[2])
        for worker, username, who in _rows(
            project, "SELECT worker_id, username, person FROM mturk_local_worker", crowd=True
        )
    }
    votes = Counter(
        (person[str(worker)], str(qid), str(code))
        for worker, qid, code in _rows(project, _VOTES, crowd=False)
    )
    wrong = sum((votes - expected).values()) + sum((expected - votes).values())
    return Checked(
        stored=len(rows),
        lost=sum((told_of - stored).values()),
        unasked=sum((stored - told_of).values()),
        doubled=sum(n - 1 for n in stored.values()) + sum(n - 1 for n in told_of.values()),
        misplaced=misplaced,
        votes=sum(votes.values()),
        votes_wrong=wrong,
        broken=_broken(project),
    )


def _expected_votes(rows: list[tuple[Any, ...]]) -> tuple[Counter[tuple[str, str, str]], int]:
    """The votes that follow from the stored answers, and how many of these are not as they must."""
    expected: Counter[tuple[str, str, str]] = Counter()
    misplaced = 0
    for username, who, _assignment, xml, question in rows:
        person = str(username or str(who).partition(":")[2])
        answer = {field[0].text: field[1].text for field in fromstring(str(xml))}
        qids = re.findall(r'data-qid="([^"]+)"', str(question))
        right = {f"q-{place}-gender": category(person, qid) for place, qid in enumerate(qids)}
        right |= dict(re.findall(r'name="(v)" value="([^"]+)"', str(question)))
        misplaced += answer != right
        expected.update((person, qid, category(person, qid)) for qid in qids)
    return expected, misplaced


def _broken(project: "Embedded | Server") -> list[str]:
    broken = project.json("site", "check", "--reconcile", "load")["broken"]
    crowd = json.loads(project.run("crowd", "invariants").stdout)["broken"]
    return [*broken, *crowd]


def _rows(project: "Embedded | Server", statement: str, *, crowd: bool) -> list[tuple[Any, ...]]:
    """All rows of a statement, past Django."""
    if isinstance(project, Server):
        url = project.environment["CROWD_DATABASE_URL" if crowd else "DATABASE_URL"]
        with psycopg.connect(url, autocommit=True) as database:
            return list(database.execute(statement.encode()).fetchall())
    file = project.data_dir / ("crowd.sqlite3" if crowd else "fairpool.sqlite3")
    with contextlib.closing(sqlite3.connect(file)) as lite:
        return list(lite.execute(statement).fetchall())
