"""The systems that runs of a command are repetitions of."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ..results.repeats import Systems
    from ..runs import Run


class ChosenSystems:
    """The systems that runs are repetitions of; without `repeats` each run is one."""

    def __init__(self, repeats: Any) -> None:
        self._repeats = repeats
        self.is_asked = repeats is not None
        self.known: Systems = {}
        self.odd: Sequence[str] = ()

    def find(self, runs: "Sequence[Run]") -> None:
        """Look for the systems of the runs, and for what is odd about them."""
        from ..results.repeats import check_repetitions, systems_of

        names = [run.name for run in runs]
        self.known = {name: (name,) for name in names}
        if self.is_asked:
            self.known = systems_of(self._repeats, names)
            self.odd = check_repetitions(runs, self.known)

    def of_run(self, name: str) -> str:
        """The system of a run; the name itself where it is a system, or ""."""
        return next((system for system, runs in self.known.items() if name in runs), name)
