"""A picture as SVG: written here, since a template takes long for a thousand marks."""

from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe

from .shapes import Chart, Group, Mark, Shape, Text


def svg_of(chart: Chart) -> SafeString:
    """The picture; each mark is a link, or can be focused, and says its value."""
    width, height = chart.shown_size
    head = (
        f'<svg class="chart" viewBox="0 0 {chart.width} {chart.height}" '
        f'width="{width}" height="{height}" role="group" aria-label="{escape(chart.title)}">'
    )
    parts = [head, *map(_group, chart.groups), "</svg>"]
    return mark_safe("\n".join(parts))  # noqa: S308 - all that is not ours is escaped


def _group(group: Group) -> str:
    kind = f' class="{group.kind}"' if group.kind else ""
    inside = (*map(_shape, group.shapes), *map(_text, group.texts), *map(_mark, group.marks))
    return f"<g{kind}>{''.join(inside)}</g>"


def _shape(shape: Shape) -> str:
    place = f' transform="translate({shape.x:g} {shape.y:g})"' if shape.x else ""
    return f'<path class="{shape.kind}"{place} d="{shape.d}"/>'


def _text(text: Text) -> str:
    full = f"<title>{escape(text.full)}</title>" if text.full and text.full != text.text else ""
    moment = f' data-moment="{text.moment}"' if text.moment else ""
    place = f'x="{text.x:g}" y="{text.y:g}" text-anchor="{text.anchor}"'
    content = f"{escape(text.text)}{full}"
    return f'<text class="{text.kind}"{moment} {place}>{content}</text>'


def _mark(mark: Mark) -> str:
    label = escape(mark.text)
    path = f'<path class="{mark.kind}" transform="translate({mark.x:g} {mark.y:g})" d="{mark.d}"/>'
    inside = f"<title>{label}</title>{path}"
    if mark.address:
        return f'<a href="{escape(mark.address)}" aria-label="{label}">{inside}</a>'
    return f'<g class="value" tabindex="0" role="img" aria-label="{label}">{inside}</g>'
