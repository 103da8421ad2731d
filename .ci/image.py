"""Lists the files of this checkout that `COPY . /app` takes into the image: bytes and path."""

import subprocess
import sys
from fnmatch import fnmatch
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def enters(path: str) -> bool:
    """Whether a file enters; the patterns used in .dockerignore are all that we understand."""
    lines = (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
    patterns = [line for line in lines if line and not line.startswith("#")]
    parts = path.split("/")
    for pattern in patterns:
        if pattern.startswith("**/"):
            if any(fnmatch(part, pattern[3:]) for part in parts):
                return False
        elif ("/" in pattern and path.startswith(f"{pattern}/")) or fnmatch(parts[0], pattern):
            return False
    return True


def files() -> dict[str, int]:
    """What enters of the files that git knows: bytes by path."""
    listed = subprocess.run(
        ["git", "ls-files", "-z"],  # noqa: S607 - the git of whoever releases
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    paths = filter(enters, filter(None, listed.split("\0")))
    return {path: (ROOT / path).stat().st_size for path in paths}


def main() -> int:
    found = files()
    for path, size in found.items():
        print(f"{size:>9} {path}")
    print(f"{sum(found.values()):>9} in {len(found)} files", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
