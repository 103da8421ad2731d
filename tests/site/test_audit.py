"""What `make audit` makes of what pip-audit says."""

import json
import os
import re
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
def test_where_nothing_can_be_audited_the_status_is_one_of_its_own(
    tmp_path: Path, said: str, error: str
) -> None:
    assert audit(tmp_path, said, error=error) == (3, AWAY, "")


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


def test_every_requirement_file_is_pinned_by_digest_and_audited() -> None:
    root = AUDIT.parent.parent
    files = {path.name for path in root.glob("requirements*.txt")}
    assert {f"{path.stem}.txt" for path in root.glob("requirements*.in")} <= files
    assert 'ROOT.glob("requirements*.txt")' in AUDIT.read_text(encoding="utf-8")
    # Which build of torch is taken, for a processor or a GPU, is the user's choice.
    for name in files - {"requirements-torch.txt"}:
        text = (root / name).read_text(encoding="utf-8")
        pins = re.findall(r"^[\w.-]+(?:\[[^]]+\])?==.*\n(.*)", text, re.MULTILINE)
        assert pins, name
        assert all(re.match(r" +--hash=sha256:\w{64}", after) for after in pins), name
