"""The tables of how often intervals of agreement hold for workers anew, in Markdown.

`python -m measurements.agreement_coverage` prints them.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from measurements.worker_coverage import (
    POINTS,
    RARE,
    Study,
    adaptive_coverage,
    clustered_coverage,
    coverage,
    coverage_of_others,
    coverage_of_scales,
    spammed_coverage,
    width_of_alpha,
)

Cells = Mapping[str, str]

#: Of alpha, for these workers and for others.
DESIGNS = (
    *(Study(50, workers, 1) for workers in (3, 5, 20)),
    Study(50, 10, 10),
    Study(50, 20, 1, shares=RARE),
    Study(100, 10, 5),
    Study(100, 10, 5, shares=RARE),
    Study(400, 5, 1, votes=2),
    Study(400, 5, 1),
    Study(400, 5, 1, votes=5),
    Study(400, 10, 10, votes=2),
    Study(400, 40, 1),
    Study(400, 40, 10),
    Study(400, 40, 10, shares=RARE),
    Study(400, 100, 10),
    Study(3_924, 100, 10),
    Study(3_924, 100, 10, shares=RARE),
    Study(4_000, 5, 10),
    Study(4_000, 20, 10),
    Study(4_000, 20, 10, shares=RARE),
)


#: Of the other coefficients.
OTHER_DESIGNS = (
    Study(100, 10, 5),
    Study(400, 5, 1),
    Study(400, 10, 10, votes=2),
    Study(1_000, 5, 10, votes=2),
    Study(1_000, 3, 10),
    Study(400, 40, 10),
    Study(400, 40, 10, shares=RARE),
    Study(3_924, 100, 10, shares=RARE),
    Study(4_000, 20, 10),
)
#: Of batches that ask adaptively.
ADAPTIVE_DESIGNS = (
    Study(400, 40, 10),
    Study(400, 40, 10, shares=RARE),
    Study(2_000, 40, 10),
)
#: Of points in a row.
SCALE_DESIGNS = (
    Study(100, 8, 10, shares=POINTS),
    Study(400, 40, 10, shares=POINTS),
    Study(2_000, 20, 10, shares=POINTS),
)
#: Of a tenth of spammers among the workers.
SPAM_DESIGNS = (
    Study(400, 20, 10, spammers=0.1),
    Study(2_000, 20, 10, spammers=0.1),
    Study(2_000, 40, 10, spammers=0.1),
    Study(2_000, 40, 10, spammers=0.05),
    Study(2_000, 100, 10, spammers=0.1),
    Study(2_000, 20, 10, spammers=0.1, right=0.95, differing=0.03),
)
#: Of few workers, where Student's t is wide.
FREEDOM_DESIGNS = tuple(Study(400, workers, 10, differing=0.01) for workers in (3, 4, 5))
#: Of a rare category that lies in few HITs; stray votes for it are on many queries.
CLUSTERED_DESIGNS = tuple(
    Study(queries, 40, 10, shares=(1 - rare, rare), right=0.97, differing=0.02, clustered=0.5)
    for queries, rare in ((2_000, 0.01), (4_000, 0.01), (2_000, 0.03), (4_000, 0.03))
)


def _table(designs: Sequence[Study], measured: Callable[[Study], Iterator[Cells]]) -> str:
    """A row for each that is measured of each design, its sizes first."""
    lines: list[str] = []
    for study in designs:
        kind = "rare" if study.shares == RARE else "balanced"
        of_study = {
            "queries": f"{study.queries:,}",
            "workers": f"{study.workers}",
            "queries per HIT": f"{study.per_hit}",
            "votes": f"{study.votes}",
            "categories": "points" if study.shares == POINTS else kind,
        }
        for cells in measured(study):
            row = {**of_study, **cells}
            if not lines:
                lines = [f"| {' | '.join(row)} |", f"|{'---|' * len(row)}"]
            lines.append(f"| {' | '.join(row.values())} |")
    return "\n".join(lines)


def _shares(held: Mapping[str, float]) -> Cells:
    return {name: f"{share:.3f}" for name, share in held.items()}


def table(studies: int) -> str:
    """Of alpha: for these workers, and for others."""

    def measured(study: Study) -> Iterator[Cells]:
        shares = coverage(study, studies=studies)
        yield {
            "by queries: these": f"{shares.these_by_queries:.2f}",
            "by queries: all": f"{shares.all_by_queries:.2f}",
            "by queries and workers: all": f"{shares.all_by_both:.3f}",
            "variance by workers": f"{shares.worker_share:.2f}",
            "none": f"{shares.without:.2f}",
        }

    return _table(DESIGNS, measured)


def table_of_others(studies: int) -> str:
    return _table(
        OTHER_DESIGNS, lambda study: iter([_shares(coverage_of_others(study, studies=studies))])
    )


def table_of_scales(studies: int) -> str:
    return _table(
        SCALE_DESIGNS,
        lambda study: iter([_named(_shares(coverage_of_scales(study, studies=studies)), "alpha")]),
    )


def adaptive_table(studies: int) -> str:
    """Coverage of all votes of batches that ask adaptively, and of those asked of everybody."""

    def measured(study: Study) -> Iterator[Cells]:
        shares = adaptive_coverage(study, studies=studies)
        for name, held in zip(("all", "asked of everybody"), shares, strict=True):
            yield {"counted": name, **_shares(held)}

    return _table(ADAPTIVE_DESIGNS, measured)


def table_of_spammers(studies: int) -> str:
    """Coverage where a tenth of the workers vote at random, and how often the warning sees it."""

    def measured(study: Study) -> Iterator[Cells]:
        shares = spammed_coverage(study, studies=studies)
        yield {"right": f"{study.right:.2f}", **_shares(shares)}

    return _table(SPAM_DESIGNS, measured)


def table_of_freedom(studies: int) -> str:
    """Tabulate how much another worker narrows alpha's interval: promised and found."""

    def measured(study: Study) -> Iterator[Cells]:
        width, promised = width_of_alpha(study, studies=studies)
        more = replace(study, workers=study.workers + 1)
        wider, _promised = width_of_alpha(more, studies=studies)
        yield {
            "width": f"{width:.3f}",
            "another worker: promised": f"{promised:.0%}",
            "another worker: found": f"{1 - wider / width:.0%}",
        }

    return _table(FREEDOM_DESIGNS, measured)


def table_of_clustered(studies: int) -> str:
    """Coverage of alpha of a rare category, by the HITs in which two votes of a query say it."""

    def measured(study: Study) -> Iterator[Cells]:
        held = clustered_coverage(study, studies=studies)
        every = [value for each in held.values() for value in each]
        yield {
            "share": f"{study.shares[-1]:.2f}",
            "all": f"{np.nanmean(every):.3f}",
            **{
                f"{name} HITs": f"{np.nanmean(each):.3f} ({len(each):,})" if each else "-"
                for name, each in held.items()
            },
        }

    return _table(CLUSTERED_DESIGNS, measured)


def _named(cells: Cells, what: str) -> Cells:
    return {f"{name} {what}": value for name, value in cells.items()}
