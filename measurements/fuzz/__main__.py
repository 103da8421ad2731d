"""Feeds every parser with input made up for it: `python -m measurements.fuzz --runs 100000`.

Coverage decides which inputs are changed further. An input that does harm is kept under
`var/fuzz/`, and the exit status is 1. The same seed and number of runs try the same inputs.
"""

import argparse
import re
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from measurements.fuzz.targets import TARGETS, Target

ROOT = Path(__file__).resolve().parents[2]
KEPT = ROOT / "var" / "fuzz"
MOST_MEGABYTES = 1024
#: Longer than anything but an endless loop takes on a busy machine.
ENDLESS_SECONDS = 120
LONGEST_INPUT = 4096


@dataclass(frozen=True)
class Outcome:
    """Outcome of one target."""

    executions: int
    megabytes: int
    seconds: float
    ok: bool
    output: str


def fuzzed(target: Target, runs: int, seed: int) -> Outcome:
    """Run one target in a process of its own."""
    KEPT.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as corpus:
        for number, content in enumerate(target.seeds):
            (Path(corpus) / f"seed-{number}").write_bytes(content)
        options = {
            "runs": runs,
            "seed": seed,
            "max_len": LONGEST_INPUT,
            "timeout": ENDLESS_SECONDS,
            "rss_limit_mb": MOST_MEGABYTES,
            "artifact_prefix": f"{KEPT}/{target.name.replace(' ', '-')}-",
            "print_final_stats": 1,
        }
        start = time.monotonic()
        done = subprocess.run(
            [
                *(sys.executable, "-m", "measurements.fuzz.one", target.name, corpus),
                *(f"-{name}={value}" for name, value in options.items()),
            ],
            cwd=ROOT,
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
        )
        output = done.stdout + done.stderr
        return Outcome(
            executions=_number(r"stat::number_of_executed_units:\s+(\d+)", output),
            megabytes=_number(r"stat::peak_rss_mb:\s+(\d+)", output),
            seconds=time.monotonic() - start,
            ok=done.returncode == 0,
            output=output,
        )


def _harm(output: str) -> str:
    """Where the harm was, and where the input is kept."""
    error = output[output.find("=== Uncaught Python exception") :][:3_000] or output[-3_000:]
    return "\n".join([error, *re.findall(r"^(?:SUMMARY|artifact_prefix).*$", output, re.MULTILINE)])


def _number(pattern: str, text: str) -> int:
    match = re.search(pattern, text)
    return int(match[1]) if match else 0


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m measurements.fuzz", description=__doc__)
    parser.add_argument("--runs", type=int, default=100_000, help="of all targets together")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", choices=TARGETS, help="one target, with its share of the runs")
    options = parser.parse_args()
    chosen = [TARGETS[options.only]] if options.only else list(TARGETS.values())
    print("| parser | executions | a second | memory, MB | harm |\n|---|---|---|---|---|")
    total = harmed = 0
    for target in chosen:
        outcome = fuzzed(target, -(-options.runs // len(TARGETS)), options.seed)
        total += outcome.executions
        harmed += not outcome.ok
        speed = outcome.executions / outcome.seconds
        print(
            f"| {target.name} | {outcome.executions:,} | {speed:,.0f} | {outcome.megabytes} | "
            f"{'none' if outcome.ok else 'found'} |",
            flush=True,
        )
        if not outcome.ok:
            print(_harm(outcome.output), file=sys.stderr, flush=True)
    print(f"\n{total:,} executions, {harmed} parsers harmed.")
    return 1 if harmed else 0


if __name__ == "__main__":
    sys.exit(main())
