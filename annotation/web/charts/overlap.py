"""Overlap of each two lists of a pool, as a square of shaded cells."""

from collections.abc import Iterator, Sequence

from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe
from django.utils.text import Truncator

from pooling.queries import OverlapCell, PoolPage

_SIZE = 28
#: Shades of a heat map, from none to full.
_SHADES = 10


def shade(share: float | None) -> int:
    """Which of the shades 0 to 10 a share from 0 to 1 has."""
    return round(min(max(share or 0.0, 0.0), 1.0) * _SHADES)


def overlap_svg(pool: PoolPage) -> SafeString:
    """The picture; each cell says its lists and what they share."""
    left = min(210, 20 + 7 * max(map(len, pool.lists), default=0))
    side = left + _SIZE * len(pool.lists)
    head = (
        f'<svg class="overlap" viewBox="0 0 {side} {side}" width="{side}" height="{side}" '
        f'role="img" aria-label="Overlap of {len(pool.lists)} lists; the page of the pool has the '
        'numbers as a table">'
    )
    rows = (_row(cells, left, left + _SIZE * place) for place, cells in enumerate(pool.overlap))
    return mark_safe("".join([head, *rows, "</svg>"]))  # noqa: S308 - all names are escaped


def _row(cells: Sequence[OverlapCell], left: int, top: int) -> str:
    name = cells[0].first
    label = f"{escape(Truncator(name).chars(30))}<title>{escape(name)}</title></text>"
    return "".join(
        [
            f'<text class="name" x="{left - 8}" y="{top + 18}" text-anchor="end">{label}',
            f'<text class="name" transform="translate({top + 18} {left - 8}) rotate(-90)">{label}',
            f'<g transform="translate({left} {top})">',
            *_cells(cells),
            "</g>",
        ]
    )


def _cells(cells: Sequence[OverlapCell]) -> Iterator[str]:
    for place, cell in enumerate(cells):
        yield (
            f'<g transform="translate({place * _SIZE} 0)">'
            f'<rect class="heat-{shade(cell.share)}" width="27" height="27"><title>'
            f"{escape(cell.first)} and {escape(cell.second)}: {cell.shared}</title></rect>"
            f'<text class="count" x="13" y="18" text-anchor="middle">{cell.shared}</text></g>'
        )
