"""Looks for known vulnerabilities in what Fairpool installs, and fails where there is one.

The list of them is on the network. Where it cannot be reached one line says so, and nothing fails:
an outage elsewhere is no fault of the code.
"""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent


def audited() -> list[dict[str, Any]] | None:
    """What pip-audit says of each pinned package; None where it had no answer."""
    command = [
        *(sys.executable, "-m", "pip_audit", "--requirement", "requirements.txt"),
        *("--require-hashes", "--disable-pip", "--progress-spinner", "off", "--format", "json"),
    ]
    done = subprocess.run(  # noqa: S603 - our own words
        command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=600
    )
    try:
        return list(json.loads(done.stdout)["dependencies"])
    except (ValueError, KeyError):
        return None


def main() -> int:
    packages = audited()
    known = [package for package in packages or [] if "skip_reason" not in package]
    if packages is None or not known:
        print("The advisory service cannot be reached from here: nothing was audited.")
        return 0
    found = [
        f"{package['name']} {package['version']}: {one['id']}, fixed in "
        f"{', '.join(one['fix_versions']) or 'no version yet'}"
        for package in known
        for one in package["vulns"]
    ]
    print(*found, sep="\n")
    print(f"{len(known)} of {len(packages)} packages audited, {len(found)} findings.")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
