"""Numbers and moments as people read them."""

import re
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest

from annotation.vocabulary import TIE, Category
from annotation.web.filters import breakable, moment, plain
from metrics.io.unseen import visible


def test_a_moment_says_its_time_zone_to_people_and_to_programs() -> None:
    at = datetime(2026, 11, 2, 1, 5, 9, 500, tzinfo=timezone(timedelta(hours=2)))
    assert at.astimezone(UTC).day == 1
    assert moment(at) == (
        '<time datetime="2026-11-01T23:05:09Z" title="2026-11-01T23:05:09Z">'
        "1 Nov 2026, 23:05 UTC</time>"
    )


def test_a_value_of_the_log_is_written_for_people() -> None:
    assert [plain(one) for one in (True, ["demo", False], [], 3)] == ["yes", "demo, no", "none", 3]


def test_what_cannot_be_seen_or_turns_the_text_is_shown_by_its_code() -> None:
    assert visible("a\x07b\u202egnp.exe\u2066") == "a[U+0007]b[U+202E]gnp.exe[U+2066]"
    assert visible("a\x85b") == "a[U+0085]b"


@pytest.mark.parametrize("text", ["می\u200cخواهم", "👩\u200d🔬 nurse", "\u200eabc", "a\tb\nc"])
def test_joiners_and_marks_of_real_languages_stay(text: str) -> None:
    assert visible(text) == text


def test_every_category_has_one_colour() -> None:
    css = Path("static/fairpool.css").read_text(encoding="utf-8")
    coloured = re.findall(r"\[data-category=(\w+)\] \{ --category: light-dark", css)
    assert sorted(coloured) == sorted([*Category.values, TIE])


def test_a_name_breaks_after_its_signs_and_stays_text() -> None:
    assert breakable("a_b.<tsv>") == "a_<wbr>b.<wbr>&lt;tsv&gt;"
