"""Numbers and moments as people read them."""

from datetime import UTC, datetime, timedelta, timezone

from annotation.web.filters import moment, plain


def test_a_moment_says_its_time_zone_to_people_and_to_programs() -> None:
    at = datetime(2026, 11, 2, 1, 5, 9, 500, tzinfo=timezone(timedelta(hours=2)))
    assert at.astimezone(UTC).day == 1
    assert moment(at) == (
        '<time datetime="2026-11-01T23:05:09Z" title="2026-11-01T23:05:09Z">'
        "1 Nov 2026, 23:05 UTC</time>"
    )


def test_a_value_of_the_log_is_written_for_people() -> None:
    assert [plain(one) for one in (True, ["demo", False], [], 3)] == ["yes", "demo, no", "none", 3]
