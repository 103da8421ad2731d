"""Asking `driver.py` for what a person would type, and letting people answer what was published."""

import json
import subprocess
import sys
from collections.abc import Mapping
from typing import Any

from tests.integration.faults.people import Journal, Person
from tests.integration.project import ROOT

_WORKERS = ("ASIM1", "ASIM2", "ASIM3")


class Driver:
    """Speaks with `driver.py`, which has the environment of the installation."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.integration.faults.driver"],
            cwd=ROOT,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def __call__(self, *request: str | int) -> Any:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(request) + "\n")
        self._process.stdin.flush()
        return json.loads(self._process.stdout.readline())

    def close(self) -> None:
        self._process.kill()
        self._process.communicate()


def people_of(url: str, driver: Driver, name: str, journal: Journal) -> list[Person]:
    """Three people who do what they can of a batch; `journal` gets what was taken of them."""
    hit_ids = driver("hit_ids", name)
    return [Person(url, worker, driver("link", worker), hit_ids, journal) for worker in _WORKERS]


def answer(url: str, driver: Driver, name: str) -> Journal:
    """All that three people can answer, and what they were told was taken."""
    journal = Journal()
    people = people_of(url, driver, name, journal)
    for person in people:
        person.start()
    wait_for(people)
    return journal


def wait_for(people: list[Person]) -> None:
    """Until nothing is left for them to do."""
    for person in people:
        person.join()
        assert not person.gave_up, f"{person.name}: {person.gave_up}"
