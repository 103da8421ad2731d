"""Journal of the annotators: the time of every page, every error, every answer taken."""

import json
import math
import time
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple


class Page(NamedTuple):
    """One click: seconds since the start, what was asked for, milliseconds until all of it came."""

    at: float
    name: str
    milliseconds: float
    error: str


class Answer(NamedTuple):
    """An answer that the site said it had taken."""

    at: float
    annotator: str
    task: str
    qids: list[str]


class Journal:
    """Kept in memory while annotators work; written once, at the end."""

    def __init__(self) -> None:
        self.pages: list[Page] = []
        self.answers: list[Answer] = []
        self._start = time.monotonic()

    def page(self, name: str, milliseconds: float, error: str) -> None:
        self.pages.append(Page(self._now(), name, milliseconds, error))

    def answer(self, annotator: str, task: str, qids: list[str]) -> None:
        self.answers.append(Answer(self._now(), annotator, task, qids))

    def write(self, path: Path, **facts: Any) -> None:
        path.write_text(json.dumps({"pages": self.pages, "answers": self.answers, **facts}))

    def _now(self) -> float:
        return round(time.monotonic() - self._start, 4)


class Record(NamedTuple):
    """A journal read back, with the processor seconds of the annotators themselves."""

    pages: list[Page]
    answers: list[Answer]
    cpu_seconds: float


def read(path: Path) -> Record:
    stored = json.loads(path.read_text())
    return Record(
        [Page(*row) for row in stored["pages"]],
        [Answer(*row) for row in stored["answers"]],
        stored["cpu_seconds"],
    )


def percentile(values: Iterable[float], share: float) -> float:
    """The smallest value that `share` (0 to 1) of the values do not exceed (nearest rank)."""
    ordered = sorted(values)
    return ordered[max(0, math.ceil(share * len(ordered)) - 1)]


def table(pages: Iterable[Page]) -> str:
    """Markdown: per kind of page the number, and milliseconds at three percentiles."""
    kinds: dict[str, list[float]] = defaultdict(list)
    for page in pages:
        kinds[page.name].append(page.milliseconds)
        kinds["all pages"].append(page.milliseconds)
    lines = ["| page | number | p50 ms | p95 ms | p99 ms |", "|---|---:|---:|---:|---:|"]
    lines += [
        f"| {name} | {len(times):,} | "
        + " | ".join(f"{percentile(times, share):,.0f}" for share in (0.5, 0.95, 0.99))
        + " |"
        for name, times in sorted(kinds.items())
    ]
    return "\n".join(lines)
