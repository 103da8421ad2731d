"""Template filters: numbers and codes of the field as people read them."""

import math
import re
import shlex
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

from django import template
from django.core.paginator import Page
from django.utils.html import format_html, format_html_join
from django.utils.safestring import mark_safe
from ftfy import TextFixerConfig, fix_text

from annotation import schemes, vocabulary
from annotation.core.counting import about_items, counted, plural
from annotation.core.durations import DAY, HOUR, MINUTE
from annotation.core.moments import format_moment
from annotation.schemes import JOINED, Question, Scheme
from annotation.schemes.released import CANNOT_TELL
from annotation.vocabulary import NO_LABEL, TIE, BatchState, Category
from annotation.web.charts.overlap import overlap_svg, shade
from annotation.web.charts.svg import svg_of
from metrics.io.unseen import visible
from metrics.vocabulary import INTERVAL
from metrics.votes.intervals import Estimate

register = template.Library()
#: Of coefficients, shares and the ends of their intervals.
_DECIMALS = 3
#: Where the scale of a coefficient begins: values below are drawn at its left end.
_LEFT = -0.2
#: Only wrong encodings are repaired: quotes, ligatures and line ends stay as they are.
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
_UNITS = (("days", DAY), ("hours", HOUR), ("minutes", MINUTE))
register.filter("svg", svg_of)
register.filter("overlap", overlap_svg)
register.filter(shade)
register.filter(visible)
register.filter(counted)
register.filter(plural)
register.filter(about_items)


@register.simple_tag
def interval_name() -> str:
    """Words for an interval: its level is that of all intervals on pages."""
    return INTERVAL


@register.simple_tag
def longest(what: str) -> int:
    """Most characters of what is typed: `reason` is `LONGEST_REASON` of the vocabulary."""
    name = f"LONGEST_{what.upper()}"
    characters: int = getattr(vocabulary, name, None) or getattr(schemes, name)
    return characters


@register.filter
def batch_mark(state: str) -> BatchState:
    """A batch's state, which has an icon and a colour."""
    return BatchState(state)


@register.filter
def percent(share: float | None, digits: int = 0) -> str:
    """0.4567 as `46%`; a dash where there is no number."""
    return "–" if share is None else f"{share:.{digits}%}"


@register.filter
def mid_sentence(title: str) -> str:
    """Begin a title with a small letter, unless it is a name, as `MACE` and `Dawid-Skene`."""
    return title if any(map(str.isupper, title[1:])) else f"{title[:1].lower()}{title[1:]}"


@register.filter
def usd(amount: Decimal | float) -> str:
    """`1,234.50 USD`, with more decimals only where the amount has them."""
    exact = Decimal(str(amount)).normalize()
    exponent = exact.as_tuple().exponent
    decimals = max(2, -exponent) if isinstance(exponent, int) else 2
    return f"{exact:,.{decimals}f} USD"


@register.filter
def coefficient(value: float | None) -> str:
    """A coefficient, or the word for none."""
    return "undefined" if value is None else f"{value:.{_DECIMALS}f}"


@register.filter
def dashed(value: float | None, decimals: int = _DECIMALS) -> str:
    """A number with so many decimals; a dash where it is undefined or has no limit."""
    return "–" if value is None or not math.isfinite(value) else f"{value:,.{decimals}f}"


@register.filter
def interval(estimate: Estimate) -> str:
    """`.75 to .89`; empty where the number is undefined."""
    if estimate.low is None or estimate.high is None:
        return ""
    return f"{estimate.low:.{_DECIMALS}f} to {estimate.high:.{_DECIMALS}f}"


@register.filter
def share_interval(estimate: Estimate) -> str:
    """The interval of a share, in percent."""
    if estimate.low is None or estimate.high is None:
        return ""
    return f"{estimate.low:.0%} to {estimate.high:.0%}"


@register.filter
def named(value: str, question: Question) -> str:
    """An answer in words: of joined codes the labels of the options, a tie, no label, or a text."""
    if not question.kind.has_options:
        return value
    special = {TIE: "Tie", "": "No label", NO_LABEL: "No label"}
    special |= dict.fromkeys((CANNOT_TELL, schemes.CANNOT_TELL), schemes.CANNOT_TELL_WORDS)
    # The code of "I cannot tell" in files of the categories may be an option of other schemes.
    if value in special and value not in question.codes:
        return special[value]
    return question.words(value.split(JOINED))


@register.filter
def shown_when(question: Question, scheme: Scheme) -> str:
    """The condition of a question: `“Title” is Label or Label`."""
    if question.shown_if is None:
        return ""
    before = scheme.question(question.shown_if.question)
    answers = (before.words([code]) for code in question.shown_if.any_of)
    return f"“{before.title}” is {' or '.join(answers)}"


@register.filter
def mark(value: str, question: Question) -> str:
    """Render the value as a pill, coloured if it is a category or a tie."""
    return format_html(
        '<span class="label" data-category="{}">{}</span>',
        colour_of(value, question),
        named(value, question),
    )


@register.filter
def beside(labels: Sequence[str], questions: Sequence[Question]) -> list[tuple[Question, str]]:
    """Each question with its label."""
    return list(zip(questions, labels, strict=True))


@register.filter
def colour_of(value: str, question: Question) -> str:
    """The code that colours an answer; empty for options that are not categories."""
    if value in ("", NO_LABEL):
        return "none"
    is_plain = value in question.codes and question.codes != tuple(Category.values)
    return "" if is_plain else value


@register.filter
def repaired(text: str) -> str:
    """`text` without the damage of being encoded twice, for display only."""
    # ASCII has no damage, and most passages are ASCII.
    return text if text.isascii() else fix_text(text, config=_DISPLAY)


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
        return ", ".join(str(plain(part)) for part in value) or "none"
    return ("no", "yes")[value] if isinstance(value, bool) else value


@register.filter
def shell(text: str) -> str:
    """`text` as one word of a command that can be pasted into a shell."""
    return shlex.quote(text)


@register.filter
def shown_in(text: str, view: Any) -> str:
    """`text` with the names of runs as the page of a report shows them."""
    return str(view.shown(text))


@register.filter
def across(value: float | None, width: int) -> float:
    """A number from 0 to 1 as a length within `width`, for pictures; outside is cut off."""
    return round(min(max(value or 0.0, 0.0), 1.0) * width, 1)


@register.filter
def on_scale(value: float, width: int) -> float:
    """The place of a coefficient on its scale of this width."""
    return across((value - _LEFT) / (1 - _LEFT), width)


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
    iso = at.astimezone(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
    return format_html('<time datetime="{}" title="{}">{}</time>', iso, iso, format_moment(at))


@register.filter
def duration(seconds: float) -> str:
    """Seconds in the one unit that people would use."""
    for unit, size in _UNITS:
        if seconds >= 2 * size:
            return f"{seconds / size:.0f} {unit}"
    return counted(round(seconds), "second")
