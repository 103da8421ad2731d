"""The ways in which one table can be read: asked for where more than one is possible."""

from collections.abc import Sequence
from dataclasses import dataclass

from ...errors import InputError
from .mapping import names_option


@dataclass(frozen=True, kw_only=True)
class Reading:
    """One way to read a table: what it says in words, and the choices that make it."""

    words: str
    layout: str = ""
    people: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()

    @property
    def typed(self) -> str:
        """The choices as options of a command.

        >>> Reading(words="two people", people=("ann", "bob")).typed
        '--people ann,bob'
        """
        options = [f"--format {self.layout}"] if self.layout else []
        for name, columns in (("people", self.people), ("ignore", self.ignore)):
            options += [names_option(name, columns)] if columns else []
        return " ".join(options)


class ManyReadingsError(InputError):
    """A table that can be read in several ways; `readings` has them."""

    readings: Sequence[Reading] = ()


def ask(path: str, why: str, readings: Sequence[Reading]) -> ManyReadingsError:
    """The error that names each reading, and what to add for it."""
    ways = (f"{reading.typed} for {reading.words}" for reading in readings)
    error = ManyReadingsError(why, path=path, line=1, remedy=f"Add {', or '.join(ways)}.")
    error.readings = tuple(readings)
    return error
