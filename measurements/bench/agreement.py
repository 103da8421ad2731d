"""Intervals against a plain loop over `krippendorff.alpha`, and a million votes."""

import resource
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import krippendorff  # noqa: TID251 - the reference that we are measured against
import numpy as np

from metrics.votes.agreeing import agree
from metrics.votes.coefficients import krippendorff_alpha
from metrics.votes.intervals import bootstrap, percentile_interval
from metrics.votes.patterns import Patterns
from metrics.votes.table import Votes

QUERIES, VOTES, RESAMPLES = 4_000, 3, 1_000
_SHARES = (0.55, 0.2, 0.2, 0.05)
_WORKERS = 200


def table_of(n_queries: int, n_votes: int, *, seed: int = 0) -> Votes:
    """Votes of workers who are right four times in five."""
    rng = np.random.default_rng(seed)
    truth = rng.choice(4, n_queries, p=_SHARES)
    right = rng.random((n_queries, n_votes)) < 0.8
    label = np.where(right, truth[:, None], rng.integers(0, 4, (n_queries, n_votes)))
    # Neighbouring workers, so that nobody votes twice on a query.
    worker = (rng.integers(0, _WORKERS, n_queries)[:, None] + np.arange(n_votes)) % _WORKERS
    return Votes(
        item=np.repeat(np.arange(n_queries, dtype=np.int32), n_votes),
        worker=worker.ravel().astype(np.int32),
        answer=label.ravel().astype(np.int32),
        items=tuple(map(str, range(n_queries))),
        workers=tuple(map(str, range(_WORKERS))),
        options=("n", "f", "m", "o"),
    )


def seconds(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


def plain_loop(table: Votes, resamples: int) -> tuple[float | None, float | None]:
    """Resample alpha in a plain loop over the package."""
    counts, rng = table.counts(), np.random.default_rng(0)
    alphas = [
        krippendorff.alpha(
            value_counts=counts[rng.integers(0, len(counts), len(counts))],
            level_of_measurement="nominal",
        )
        for _ in range(resamples)
    ]
    return percentile_interval(np.array(alphas))


def alpha_alone(table: Votes, resamples: int) -> tuple[float | None, float | None]:
    """Compute the loop's interval our way, from the votes on."""
    patterns = Patterns.of(table.counts())
    sample = bootstrap(patterns, {"alpha": krippendorff_alpha}, resamples=resamples)["alpha"]
    return percentile_interval(sample)


def bootstrap_ratio(*, resamples: int = RESAMPLES) -> dict[str, float]:
    """All in one run: the loop, the same interval our way, and all coefficients our way."""
    table = table_of(QUERIES, VOTES)
    loop = seconds(lambda: plain_loop(table, resamples))
    alpha = min(seconds(lambda: alpha_alone(table, resamples)) for _ in range(3))
    everything = min(seconds(lambda: agree(table)) for _ in range(3))
    return {
        "loop_s": loop,
        "alpha_s": alpha,
        "everything_s": everything,
        "ratio": loop / alpha,
        "ratio_everything": loop / everything,
    }


def million() -> dict[str, float]:
    """One million votes in a process of their own: seconds and peak memory in GB."""
    code = "from measurements.bench.agreement import _million_here; _million_here()"
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    took, peak = done.stdout.split()
    return {"seconds": float(took), "peak_gb": float(peak)}


def _million_here() -> None:
    table = table_of(333_334, VOTES)
    took = seconds(lambda: agree(table))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e9
    sys.stdout.write(f"{took} {peak}")


def run(_folder: Path, *, quick: bool = False) -> str:
    """A section in Markdown; `quick` leaves out the million votes."""
    ratio = bootstrap_ratio()
    lines = [
        "## Agreement with intervals",
        "",
        f"{RESAMPLES:,} resamples of {QUERIES:,} queries x {VOTES} votes, one round, in seconds of",
        "processor time; the reference is a plain loop over `krippendorff.alpha`. All coefficients",
        "have intervals for other queries and other workers, which draw nothing.",
        "",
        "| what | seconds | ratio |",
        "|---|---:|---:|",
        f"| reference | {ratio['loop_s']:.2f} | 1 |",
        f"| alpha, resampled | {ratio['alpha_s']:.4f} | {ratio['ratio']:.0f} |",
        f"| all coefficients | {ratio['everything_s']:.3f} | {ratio['ratio_everything']:.0f} |",
    ]
    if not quick:
        large = million()
        about = (
            "All coefficients of 1,000,000 votes with these intervals: "
            f"{large['seconds']:.2f} s of a processor, peak memory {large['peak_gb']:.2f} GB."
        )
        lines += ["", about]
    return "\n".join(lines)
