import pytest

from metrics.cli import progress
from metrics.cli.progress import Progress


@pytest.fixture(autouse=True)
def _at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "_SECONDS_BETWEEN_LINES", 0.0)


def test_bytes_are_told_with_speed_and_time_left(capsys: pytest.CaptureFixture[str]) -> None:
    with Progress("scoring", total=8_000_000, unit="B", quiet=False) as advance:
        advance(2_000_000)

    line = capsys.readouterr().err
    assert line.startswith("scoring: 2 of 8 MB, ")
    assert "MB/s, " in line
    assert line.endswith(" s left\n")


def test_without_a_total_there_is_no_time_left(capsys: pytest.CaptureFixture[str]) -> None:
    with Progress("reading", total=None, unit="queries", quiet=False) as advance:
        advance(3)

    line = capsys.readouterr().err
    assert line.startswith("reading: 3 queries, ")
    assert "left" not in line


def test_quiet_says_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    with Progress("scoring", total=2, unit="B", quiet=True) as advance:
        advance(2)

    assert capsys.readouterr().err == ""
