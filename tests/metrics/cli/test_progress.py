import io
import sys

import pytest

from metrics.cli import progress
from metrics.cli.progress import Progress
from metrics.kernels import BEFORE_COMPILING


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


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(("quiet", "times"), [(False, 1), (True, 0)])
def test_a_terminal_is_told_once_that_kernels_are_compiled(
    monkeypatch: pytest.MonkeyPatch, quiet: bool, times: int
) -> None:
    # Loads Numba, hence here. A function that no file holds is not kept on disk either.
    from metrics.kernels.compile import kernel  # noqa: PLC0415

    monkeypatch.setattr(sys, "stderr", terminal := Terminal())
    namespace: dict[str, object] = {}
    exec("def plus_one(x):\n    return x + 1\n", namespace)  # noqa: S102 - no file may hold it
    plus_one = kernel(namespace["plus_one"])  # type: ignore[arg-type]
    with Progress("scoring", total=2, unit="B", quiet=quiet):
        assert plus_one(1) == 2
        assert plus_one(1.5) == 2.5
    assert plus_one(True) == 2

    assert terminal.getvalue().count(progress._COMPILING) == times


def test_nobody_is_told_of_kernels_when_the_work_is_over(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", Terminal())
    with Progress("scoring", total=2, unit="B", quiet=False):
        assert len(BEFORE_COMPILING) == 1

    assert BEFORE_COMPILING == []
