"""Asking `driver.py` for what a person would type, and letting people answer what was published."""

from collections.abc import Mapping

from tests.conversation import Conversation
from tests.site.faults.people import Journal, Person

_WORKERS = ("ASIM1", "ASIM2", "ASIM3")


class Driver(Conversation):
    """Speaks with `driver.py`, which has the environment of the installation."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        super().__init__("tests.site.faults.driver", environment)


def begin_to_answer(url: str, driver: Driver, name: str, journal: Journal) -> list[Person]:
    """Three people begin to do what they can of a batch; `journal` gets what was taken of them."""
    hit_ids = driver("hit_ids", name)
    people = [Person(url, worker, driver("link", worker), hit_ids, journal) for worker in _WORKERS]
    for person in people:
        person.start()
    return people


def wait_for(people: list[Person]) -> None:
    """Until nothing is left for them to do."""
    for person in people:
        person.join()
        assert not person.gave_up, f"{person.name}: {person.gave_up}"
