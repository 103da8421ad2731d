"""What `make audit` makes of what pip-audit says."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

AUDIT = Path(__file__).resolve().parent.parent.parent / ".ci" / "audit.py"
LEFT_OUT = {"name": "a", "skip_reason": "Dependency not found on PyPI"}
SOUND = {"name": "b", "version": "1.0", "vulns": []}
UNSAFE = {"name": "c", "version": "2.0", "vulns": [{"id": "PYSEC-1", "fix_versions": ["2.1"]}]}
AWAY = "The advisory service cannot be reached from here: nothing was audited.\n"


def audit(folder: Path, said: str, *, error: str = "") -> tuple[int, str, str]:
    """Status and words where pip-audit prints `said`, or fails with `error`."""
    fake = folder / "pip_audit.py"
    fake.write_text(f"import sys\nprint({said!r})\nsys.exit({error!r} or 0)\n", encoding="utf-8")
    done = subprocess.run(
        [sys.executable, AUDIT],
        env=os.environ | {"PYTHONPATH": str(folder)},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    return done.returncode, done.stdout, done.stderr


def told(*packages: dict[str, Any]) -> str:
    return json.dumps({"dependencies": packages})


@pytest.mark.parametrize(
    ("said", "error"),
    [
        (told(LEFT_OUT), ""),
        ("", "requests.exceptions.ConnectionError: Max retries exceeded with url: /pypi/a/json"),
        ("", "ERROR: Failed to resolve 'pypi.org'"),
    ],
)
def test_a_service_that_is_away_is_said_in_one_line_and_fails_nothing(
    tmp_path: Path, said: str, error: str
) -> None:
    assert audit(tmp_path, said, error=error) == (0, AWAY, "")


def test_a_finding_fails_with_the_version_that_mends_it(tmp_path: Path) -> None:
    status, said, _ = audit(tmp_path, told(LEFT_OUT, SOUND, UNSAFE))
    assert status == 1
    assert said.splitlines() == [
        "c 2.0: PYSEC-1, fixed in 2.1",
        "2 of 3 packages audited, 1 findings.",
    ]


def test_nothing_found_is_well(tmp_path: Path) -> None:
    assert audit(tmp_path, told(SOUND))[0] == 0


def test_what_goes_wrong_here_is_no_outage(tmp_path: Path) -> None:
    status, said, error = audit(tmp_path, "", error="requirements.txt: invalid specifier")
    assert (status, said) == (1, "")
    assert "invalid specifier" in error
