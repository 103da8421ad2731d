"""Says whether this commit can be released, and how: `release.py [--dry | --digests] [WHEEL ...]`.

With `--dry` the changelog needs no date yet, and the tree may be at work; with `--digests` it only
prints the SHA-256 of what was built. Changes nothing. Ends
with 1 where something is missing; the tag is for a person to make.
"""

import hashlib
import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def versions() -> dict[str, str]:
    """The version by the file that states it."""
    texts = {
        "metrics/version.py": r'^VERSION = "(.+)"$',
        "CITATION.cff": r"^version: (.+)$",
        "CHANGELOG.md": r"^## (\S+)",
    }
    found = {}
    for name, pattern in texts.items():
        match = re.search(pattern, (ROOT / name).read_text(encoding="utf-8"), re.MULTILINE)
        found[name] = match[1] if match else "none"
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    found["pyproject.toml"] = project["version"]
    found["codemeta.json"] = json.loads((ROOT / "codemeta.json").read_text())["version"]
    return found


def missing(*, dry: bool) -> list[str]:
    """What stands against a release, a sentence each."""
    stated = versions()
    found = []
    if len(set(stated.values())) > 1:
        found.append(f"The versions differ: {stated}.")
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    if not dry and not re.search(r"\A# .*\n+## \S+ \(\d{4}-\d{2}-\d{2}\)\n", changelog):
        found.append(
            "The first section of CHANGELOG.md has no date: write `## 1.2.3 (2026-01-31)`."
        )
    changed = subprocess.run(
        ["git", "status", "--porcelain"],  # noqa: S607 - the git of whoever releases
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    if changed and not dry:
        found.append("Only commits travel, and some files are not committed: see `git status`.")
    return found


def main(arguments: list[str]) -> int:
    digests_alone = "--digests" in arguments
    found = [] if digests_alone else missing(dry="--dry" in arguments)
    for line in found:
        print(line, file=sys.stderr)
    if found:
        return 1
    for name in (one for one in arguments if not one.startswith("--")):
        print(hashlib.sha256(Path(name).read_bytes()).hexdigest(), Path(name).name)
    if digests_alone:
        return 0
    version = versions()["metrics/version.py"]
    print(f'git tag --annotate v{version} --message "Fairpool {version}"')
    print(f"git push origin v{version}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
