"""Looks for known vulnerabilities in what Fairpool installs, and fails where there is one.

The list of them is on the network. Where it cannot be reached one line says so, and nothing fails:
an outage elsewhere is no fault of the code. What goes wrong here, as a requirement file that cannot
be read, fails.
"""

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
#: What pip-audit, and what it asks with, say of a network that is away.
AWAY = re.compile(
    r"ConnectionError|ServiceError|HTTPError|Max retries exceeded|timed? ?out|resolve|unreachable",
    re.IGNORECASE,
)
SECONDS = 300


class AwayError(Exception):
    """The advisory service cannot be reached."""


def audited(requirements: Path) -> list[dict[str, Any]]:
    """What pip-audit says of each pinned package; `AwayError` where the service has no answer."""
    command = [
        *(sys.executable, "-m", "pip_audit", "--requirement", str(requirements)),
        *("--require-hashes", "--disable-pip", "--progress-spinner", "off", "--format", "json"),
    ]
    try:
        done = subprocess.run(  # noqa: S603 - our own words
            command, capture_output=True, text=True, check=False, timeout=SECONDS
        )
    except subprocess.TimeoutExpired:
        raise AwayError from None
    try:
        packages = list(json.loads(done.stdout)["dependencies"])
    except (ValueError, KeyError):
        if AWAY.search(done.stderr):
            raise AwayError from None
        sys.exit(f"pip-audit failed:\n{done.stderr.strip()[-2_000:]}")
    # A package index that has the packages but not their advisories leaves out every one.
    if packages and all("skip_reason" in package for package in packages):
        raise AwayError
    return packages


def main(requirements: Path = ROOT / "requirements.txt") -> int:
    try:
        packages = audited(requirements)
    except AwayError:
        print("The advisory service cannot be reached from here: nothing was audited.")
        return 0
    known = [package for package in packages if "skip_reason" not in package]
    found = [
        f"{package['name']} {package['version']}: {one['id']}, fixed in "
        f"{', '.join(one['fix_versions']) or 'no version yet'}"
        for package in known
        for one in package["vulns"]
    ]
    print(
        *found,
        f"{len(known)} of {len(packages)} packages audited, {len(found)} findings.",
        sep="\n",
    )
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(*map(Path, sys.argv[1:])))
