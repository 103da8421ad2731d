"""The chosen part of a report."""

from dataclasses import dataclass


@dataclass(frozen=True)
class ReportChoice:
    """The chosen part. `against` is the run to compare with, "" for the paired runs.

    `magnitude` "" means all of them. `measure` is `RaB:tf`, or a measure without magnitude.
    `bin` is a bar of the histogram, `zero` for the queries of exactly 0, or "" for all.
    """

    against: str = ""
    magnitude: str = ""
    measure: str = ""
    cutoff: int = 0
    run: str = ""
    bin: str = ""
