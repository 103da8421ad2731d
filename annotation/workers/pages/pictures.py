"""The workers of a batch as a picture: speed against agreement, warnings marked."""

from collections.abc import Sequence

from django.urls import reverse

from annotation.batches.queries.workers import WorkerRow
from annotation.core.counting import counted
from annotation.models import Batch
from annotation.web.charts.dots import Dot, dot_chart
from annotation.web.charts.shapes import Chart, mark_paths

#: Places among the marks of print: a warning has the pointing one.
_WARNED, _OTHERS = 2, 0
#: Of the picture, which takes the width of the page.
_WIDTH = 1_000


def workers_chart(batch: Batch, rows: Sequence[WorkerRow]) -> Chart | None:
    """A dot for each worker whose time and agreement are known; None without two of them."""
    known = [
        row
        for row in rows
        if row.quality.seconds is not None and row.quality.with_others is not None
    ]
    if len(known) < 2:  # noqa: PLR2004 - a picture of one says nothing
        return None
    dots = [_dot(batch, row) for row in known]
    # Dots with warnings lie above the others.
    dots.sort(key=lambda dot: dot.mark == mark_paths()[_WARNED])
    return dot_chart(
        "Workers by speed and agreement",
        dots,
        x_label=f"seconds per {batch.scheme.item_noun} (median)",
        y_label="agreement with others, beyond chance (up is better)",
        zero=False,
        width=_WIDTH,
    )


def _dot(batch: Batch, row: WorkerRow) -> Dot:
    seconds, agreement = row.quality.seconds or 0.0, row.quality.with_others or 0.0
    remarks = "; ".join(row.quality.remarks)
    text = (
        f"{row.name}: {seconds:.1f} seconds, agreement {agreement:.3f}, "
        f"{counted(row.quality.n_votes, 'vote')}{'. Warning: ' + remarks if remarks else ''}"
    ).replace("-0.", "\u22120.")
    return Dot(
        row.name,
        seconds,
        agreement,
        text,
        reverse("batch-worker", args=[batch.pk, row.number]),
        kind="series warned" if remarks else "series s0",
        mark=mark_paths()[_WARNED if remarks else _OTHERS],
        is_named=False,
    )
