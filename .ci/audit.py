"""Looks for known vulnerabilities in all that Fairpool pins, and fails where there is one.

The list of them is on the network. Where it cannot be reached nothing was audited, which is no
success either: the status is another one (3) than that of a finding (1).
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
STATUS_AWAY = 3


class AwayError(Exception):
    """The advisory service cannot be reached."""


def audited(requirements: Path) -> list[dict[str, Any]]:
    """What pip-audit says of each pinned package; `AwayError` where the service has no answer."""
    command = [
        *(sys.executable, "-m", "pip_audit", "--requirement", str(requirements)),
        *("--no-deps", "--disable-pip", "--progress-spinner", "off", "--format", "json"),
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


def main(files: list[Path]) -> int:
    try:
        packages = {
            (package["name"], package.get("version")): package
            for requirements in files
            for package in audited(requirements)
        }.values()
    except AwayError:
        print("The advisory service cannot be reached from here: nothing was audited.")
        return STATUS_AWAY
    known = [package for package in packages if "skip_reason" not in package]
    findings = [
        f"{package['name']} {package['version']}: {vulnerability['id']}, fixed in "
        f"{', '.join(vulnerability['fix_versions']) or 'no version yet'}"
        for package in known
        for vulnerability in package["vulns"]
    ]
    print(
        *findings,
        f"{len(known)} of {len(packages)} packages audited, {len(findings)} findings.",
        sep="\n",
    )
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main([*map(Path, sys.argv[1:])] or sorted(ROOT.glob("requirements*.txt"))))
