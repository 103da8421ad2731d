"""What a test needs is asked whether it does the thing: broken, it is skipped with one line."""

from pathlib import Path

import pytest

from tests import servers
from tests.latex import CLASSES


@pytest.fixture
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that is first on the path."""
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    monkeypatch.delenv("FAIRPOOL_REQUIRE_SERVERS", raising=False)
    return tmp_path


def program(folder: Path, name: str, script: str) -> Path:
    path = folder / name
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return path


def test_a_program_that_is_there_and_does_not_work_skips_the_test(programs: Path) -> None:
    program(programs, "caddy", "echo no library >&2; exit 1")
    with pytest.raises(pytest.skip.Exception, match="does not work: no library"):
        servers.need_program("caddy", trial=("version",))


def test_where_it_must_be_there_the_test_fails(
    programs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program(programs, "caddy", "exit 3")
    monkeypatch.setenv("FAIRPOOL_REQUIRE_SERVERS", "1")
    with pytest.raises(pytest.fail.Exception, match="ends with 3"):
        servers.need_program("caddy", trial=("version",))


def test_a_program_that_hangs_is_not_waited_for(programs: Path) -> None:
    hanging = program(programs, "caddy", "exec sleep 600")
    assert "hangs" in servers._wrong_with((str(hanging),), patience=0.1)


def test_a_latex_that_lacks_what_one_class_loads_is_told_by_its_log(programs: Path) -> None:
    engine = program(
        programs,
        "pdflatex",
        "grep -q acmart line.tex 2>/dev/null || exit 0\n"
        "echo '! File xstring.sty' >line.log; exit 1",
    )
    assert servers.need_latex(CLASSES["one column"]) == str(engine)
    with pytest.raises(pytest.skip.Exception, match="acmart}: ! File xstring"):
        servers.need_latex(CLASSES["acmart"])
