"""Disks so small that a test can fill them."""

import errno
import subprocess
from pathlib import Path

_CHUNK = bytes(65_536)


class Disk:
    """A folder that holds `megabytes` at most, where this account may mount such a thing (root)."""

    def __init__(self, folder: Path, megabytes: int) -> None:
        folder.mkdir()
        self.folder = folder
        self._filler = folder / "filler"
        options = f"size={megabytes}m,mode=755"
        self.is_small = _run("mount", "-t", "tmpfs", "-o", options, "fairpool", str(folder)) == 0

    def fill(self) -> None:
        """Take all room that is left."""
        assert self.is_small
        with self._filler.open("wb", buffering=0) as filler:
            try:
                while True:
                    filler.write(_CHUNK)
            except OSError as error:
                if error.errno != errno.ENOSPC:
                    raise

    def free(self) -> None:
        self._filler.unlink()

    def close(self) -> None:
        if self.is_small:
            # Lazily: whatever is still open in there goes with its process.
            assert _run("umount", "--lazy", str(self.folder)) == 0


def _run(*command: str) -> int:
    return subprocess.run(command, capture_output=True, timeout=60, check=False).returncode
