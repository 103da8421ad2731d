"""Progress on standard error: a bar on a terminal, a line every few seconds elsewhere."""

import sys
import time
from types import TracebackType
from typing import TYPE_CHECKING, Never, Self

from ..kernels import BEFORE_COMPILING

if TYPE_CHECKING:
    from tqdm import tqdm as TerminalBar  # noqa: N812 - it is a class

_SECONDS_BETWEEN_LINES = 5.0
_COMPILING = "Compiling for this processor, once after each installation. It takes some seconds."


class Progress:
    """Counts `unit`s of work done; call it with each advance. Used as a context manager."""

    def __init__(self, label: str, *, total: int | None, unit: str, quiet: bool) -> None:
        self._label, self._total, self._unit = label, total, unit
        self._done = 0
        self._note = ""
        self._quiet = quiet
        self._bar: TerminalBar[Never] | None = None
        if not quiet and sys.stderr.isatty():
            from tqdm import tqdm

            self._bar = tqdm(total=total, desc=label, unit=unit, unit_scale=True, file=sys.stderr)
            BEFORE_COMPILING.append(self._say_that_it_compiles)
        self._start = time.monotonic()
        self._next_line = self._start + _SECONDS_BETWEEN_LINES

    def __call__(self, advance: int = 1, note: str = "") -> None:
        """Count `advance` more; `note` is shown behind the numbers."""
        self._done += advance
        self._note = note
        if self._bar is not None:
            self._bar.set_postfix_str(note, refresh=False)
            self._bar.update(advance)
        elif not self._quiet and time.monotonic() >= self._next_line:
            print(self._line(), file=sys.stderr, flush=True)  # noqa: T201 - a command may speak
            self._next_line = time.monotonic() + _SECONDS_BETWEEN_LINES

    def _say_that_it_compiles(self) -> None:
        if self._bar is not None:
            self._bar.write(_COMPILING, file=sys.stderr)

    def _line(self) -> str:
        """Format the work done, its speed, and the seconds left at that speed."""
        speed = self._done / (time.monotonic() - self._start)
        if self._unit == "B":
            line = f"{self._label}: {self._done / 1e6:,.0f}"
            line += f" of {self._total / 1e6:,.0f} MB" if self._total else " MB"
            line += f", {speed / 1e6:,.0f} MB/s"
        else:
            line = f"{self._label}: {self._done:,}"
            line += f" of {self._total:,} {self._unit}" if self._total else f" {self._unit}"
            line += f", {speed:,.0f} {self._unit}/s"
        if self._total and speed:
            line += f", {max(0, self._total - self._done) / speed:,.0f} s left"
        return f"{line}, {self._note}" if self._note else line

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._bar is not None:
            self._bar.close()
            if self._say_that_it_compiles in BEFORE_COMPILING:
                BEFORE_COMPILING.remove(self._say_that_it_compiles)
