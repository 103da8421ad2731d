"""Template filters: numbers and codes of the field as people read them."""

import math
import re
import shlex
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any

from django import template
from django.core.paginator import Page
from django.utils.html import format_html, format_html_join
from django.utils.safestring import mark_safe
from ftfy import TextFixerConfig, fix_text

from annotation.agreement.intervals import Estimate
from annotation.core.durations import DAY, HOUR, MINUTE
from annotation.task_page import CANNOT_TELL
from annotation.vocabulary import TIE, Category
from annotation.web.charts.overlap import overlap_svg, shade
from annotation.web.charts.svg import svg_of

register = template.Library()
#: Nothing but wrong encodings is mended: quotes, ligatures and line ends stay as they are.
_DISPLAY = TextFixerConfig(
    unescape_html=False,
    fix_latin_ligatures=False,
    fix_character_width=False,
    uncurl_quotes=False,
    fix_line_breaks=False,
    remove_terminal_escapes=False,
    normalization=None,
    explain=False,
)
_UNSEEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
_UNITS = (("days", DAY), ("hours", HOUR), ("minutes", MINUTE))
register.filter("svg", svg_of)
register.filter("overlap", overlap_svg)
register.filter(shade)


@register.filter
def percent(share: float | None, digits: int = 0) -> str:
    """0.4567 as `46%`; a dash where there is no number."""
    return "–" if share is None else f"{share:.{digits}%}"


@register.filter
def coefficient(value: float | None) -> str:
    """A coefficient with three decimals, or the word for none."""
    return "undefined" if value is None else f"{value:.3f}"


@register.filter
def dashed(value: float | None, decimals: int = 3) -> str:
    """A number with so many decimals; a dash where it is undefined or has no limit."""
    return "–" if value is None or not math.isfinite(value) else f"{value:,.{decimals}f}"


@register.filter
def interval(estimate: Estimate) -> str:
    """`.75 to .89`; empty where the number is undefined."""
    if estimate.low is None or estimate.high is None:
        return ""
    return f"{estimate.low:.3f} to {estimate.high:.3f}"


@register.filter
def share_interval(estimate: Estimate) -> str:
    """The interval of a share, in percent."""
    if estimate.low is None or estimate.high is None:
        return ""
    return f"{estimate.low:.0%} to {estimate.high:.0%}"


@register.filter
def category(code: str) -> str:
    """The name of a category code, of "tie", or of no label."""
    if code == TIE:
        return "Tie"
    if code == CANNOT_TELL:
        return "I cannot tell"
    return Category(code).label if code in Category.values else "No label"


@register.filter
def repaired(text: str) -> str:
    """`text` without the damage of being encoded twice, for display only."""
    # What is ASCII has none, and most passages are.
    return text if text.isascii() else fix_text(text, config=_DISPLAY)


@register.filter
def visible(text: str) -> str:
    """`text` with the code of each control character, and of what turns text around, in its place.

    Joiners and marks of direction, which words of real languages have, stay as they are.
    """
    return _UNSEEN.sub(lambda match: f"[U+{ord(match[0]):04X}]", text)


@register.filter
def stored_form(pieces: Iterable[tuple[str, str]]) -> str:
    """The text of marked pieces as it is stored, where they are shown repaired; else nothing."""
    texts = [text for text, _group in pieces]
    return "".join(texts) if any(repaired(text) != text for text in texts) else ""


@register.filter
def words(name: str) -> str:
    """A name of a program, such as `cannot_tell`, as words."""
    return name.replace("_", " ")


@register.filter
def breakable(name: str) -> str:
    """A name that a narrow column breaks after its `_`, `-`, `.` and `/`, never within a word."""
    parts = re.split(r"(?<=[_./-])", name)
    return format_html_join(mark_safe("<wbr>"), "{}", ((part,) for part in parts))


@register.filter
def plain(value: object) -> object:
    """Booleans as yes or no, a list as its parts; anything else unchanged."""
    if isinstance(value, list):
        return ", ".join(str(plain(one)) for one in value) or "none"
    return ("no", "yes")[value] if isinstance(value, bool) else value


@register.filter
def shell(text: str) -> str:
    """`text` as one word of a command that can be pasted into a shell."""
    return shlex.quote(text)


@register.filter
def across(value: float | None, width: int) -> float:
    """A number from 0 to 1 as a length within `width`, for pictures; outside is cut off."""
    return round(min(max(value or 0.0, 0.0), 1.0) * width, 1)


@register.filter
def page_numbers(page: Page[Any]) -> list[int | None]:
    """The numbers of the pages around this one and at both ends, None where some are left out."""
    numbers = page.paginator.get_elided_page_range(page.number, on_each_side=2, on_ends=1)
    return [number if isinstance(number, int) else None for number in numbers]


@register.filter
def plus(number: int, other: int) -> int:
    return number + other


@register.filter
def times(number: int, size: int) -> int:
    return number * size


@register.filter
def moment(at: datetime | None) -> str:
    """`21 Nov 2026, 14:05 UTC`, which a script shows in the reader's time zone; a dash for none."""
    if at is None:
        return "–"
    at = at.astimezone(UTC)
    iso = at.isoformat(timespec="seconds").replace("+00:00", "Z")
    shown = f"{at.day} {at:%b %Y, %H:%M} UTC"
    return format_html('<time datetime="{}" title="{}">{}</time>', iso, iso, shown)


@register.filter
def duration(seconds: float) -> str:
    """Seconds in the one unit that people would use."""
    for unit, size in _UNITS:
        if seconds >= 2 * size:
            return f"{seconds / size:.0f} {unit}"
    return f"{seconds:.0f} seconds"
