"""Timing techniques against a reference, round by round."""

import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

MEGA = 1e6
ROUNDS = int(os.environ.get("ROUNDS", "5"))


@dataclass(frozen=True)
class Timing:
    """Seconds of one technique in each round, for `size` megabytes of work."""

    size: float
    seconds: tuple[float, ...]

    @property
    def speed(self) -> float:
        """Megabytes per second, the median of the rounds."""
        return self.size / statistics.median(self.seconds)

    def ratios(self, reference: "Timing") -> list[float]:
        """Speed as a multiple of the reference's in each round."""
        return [
            (self.size / own) / (reference.size / other)
            for own, other in zip(self.seconds, reference.seconds, strict=True)
        ]


# A technique: megabytes that one call works on, and the call.
Techniques = Mapping[str, tuple[float, Callable[[], object]]]


def time_rounds(techniques: Techniques, rounds: int) -> dict[str, Timing]:
    """Every technique in every round, in turn; one call of each before, to warm up."""
    seconds: dict[str, list[float]] = {name: [] for name in techniques}
    for name, (_, work) in techniques.items():
        say(f"  {name}")
        work()
    for _ in range(rounds):
        for name, (_, work) in techniques.items():
            start = time.perf_counter()
            work()
            seconds[name].append(time.perf_counter() - start)
    return {name: Timing(techniques[name][0], tuple(seconds[name])) for name in techniques}


def table(timings: Mapping[str, Timing], reference: str) -> str:
    """Markdown: speed, and the ratio to the reference with its smallest and largest round."""
    lines = ["| technique | MB/s | ratio (min - max) |", "|---|---|---|"]
    for name, timing in timings.items():
        ratios = timing.ratios(timings[reference])
        middle = statistics.median(ratios)
        lines.append(
            f"| {name} | {timing.speed:,.0f} | "
            f"{middle:.1f} ({min(ratios):.1f} - {max(ratios):.1f}) |"
        )
    return "\n".join(lines)


def run_module(
    module: str, arguments: Sequence[str], environment: Mapping[str, str] | None = None
) -> tuple[float, float]:
    """Seconds and peak memory in MB of `python -m module ...` as a process of its own."""
    return _run(["-m", module, *arguments], environment or {})


def _run(arguments: Sequence[str], environment: Mapping[str, str]) -> tuple[float, float]:
    launcher = [sys.executable, "-I", str(Path(__file__).with_name("launch.py"))]
    done = subprocess.run(
        [*launcher, sys.executable, *arguments],
        env={**os.environ, **environment},
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    )
    seconds, peak = done.stdout.split()
    return float(seconds), float(peak)


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)  # noqa: T201 - a program for the terminal
