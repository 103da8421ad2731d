"""Unfinished files and folders beside what they become, and removal of what killed processes left.

A part holds a lock for as long as the process that writes it lives, whatever ends that. A part
whose lock is free is dead: the next one that is made in its folder removes it. Where a file system
has no locks nothing is removed.
"""

import contextlib
import fcntl
import os
import re
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

_SUFFIX = ".fairpool-part"
#: Parts of version 1.0 hold no lock: they are dead after a day without a change.
_FILE_OF_1_0 = re.compile(r"\..+\.[a-z0-9_]{8}\.part")
_BACKUP_OF_1_0 = re.compile(r"\..+\.part")
_IN_BACKUPS = re.compile(
    r"(?:default|crowd)\.(?:dump|sqlite3(?:-\w+)?)|data\.tar\.gz|manifest\.json"
)
_DAY = 86_400
_SECONDS_BETWEEN_SWEEPS = 60.0
#: Bytes of a name that a part keeps: file systems allow 255, with the rest.
_MOST_OF_A_NAME = 200
_swept: dict[Path, float] = {}


@contextlib.contextmanager
def part_file(target: Path) -> Iterator[Path]:
    """A new, empty file beside `target`, for its owner alone; removed if it is there at the end."""
    with _made(target, _make_file) as path:
        try:
            yield path
        finally:
            path.unlink(missing_ok=True)


@contextlib.contextmanager
def part_folder(target: Path) -> Iterator[Path]:
    """A new, empty folder beside `target`, for its owner alone; removed if it is there at the end.

    The folders above it are made.
    """
    target.parent.mkdir(parents=True, exist_ok=True)
    with _made(target, tempfile.mkdtemp) as path:
        try:
            yield path
        finally:
            shutil.rmtree(path, ignore_errors=True)


def is_part(path: Path) -> bool:
    """Return whether `path` is named as a part."""
    return path.name.startswith(".") and path.name.endswith(_SUFFIX)


def remove_dead_parts(folder: Path) -> list[Path]:
    """Remove the parts in `folder` whose process has ended; return their paths."""
    try:
        hidden = [path for path in folder.iterdir() if path.name.startswith(".")]
    except OSError:
        return []
    return [path for path in hidden if _remove_dead(path)]


def remove_dead_parts_below(folder: Path) -> list[Path]:
    """Remove the dead parts in `folder` and in all folders below it; return their paths."""
    folders = [
        folder,
        *(Path(above, name) for above, below, _ in os.walk(folder) for name in below),
    ]
    return [path for below in folders for path in remove_dead_parts(below)]


def _make_file(suffix: str, prefix: str, dir: Path) -> str:  # noqa: A002 - as mkdtemp calls it
    handle, path = tempfile.mkstemp(suffix, prefix, dir)
    os.close(handle)
    return path


@contextlib.contextmanager
def _made(target: Path, make: Callable[[str, str, Path], str]) -> Iterator[Path]:
    """A part that is locked for the length of the block."""
    folder = target.parent
    if time.monotonic() - _swept.get(folder, -_DAY) > _SECONDS_BETWEEN_SWEEPS:
        _swept[folder] = time.monotonic()
        remove_dead_parts(folder)
    name = os.fsdecode(os.fsencode(target.name)[:_MOST_OF_A_NAME])
    while True:
        path = Path(make(_SUFFIX, f".{name}.", folder))
        with _open(path) as handle:
            if handle is not None:
                with contextlib.suppress(OSError):  # a file system without locks
                    fcntl.flock(handle, fcntl.LOCK_EX)
            # Before it was locked, another process may have taken it for dead.
            if handle is not None and _is_same(handle, path):
                yield path
                return


@contextlib.contextmanager
def _open(path: Path) -> Iterator[int | None]:
    """A descriptor of a file or folder, or None where it is gone or may not be read."""
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        yield None
        return
    try:
        yield handle
    finally:
        os.close(handle)


def _is_same(handle: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(handle), path.stat(follow_symlinks=False))
    except FileNotFoundError:
        return False


def _remove_dead(path: Path) -> bool:
    """Remove a part unless a process holds it; return whether it was removed."""
    if not is_part(path) and not _is_old(path):
        return False
    with _open(path) as handle:
        try:
            if handle is None or not _is_unlocked(handle) or not _is_same(handle, path):
                return False
            if path.is_dir():
                shutil.rmtree(path)
            else:
                path.unlink()
        except OSError:
            return False
    return True


def _is_unlocked(handle: int) -> bool:
    """Lock it, and return whether that was possible: nobody else holds it."""
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def _is_old(path: Path) -> bool:
    """Return whether this is a part of version 1.0 on which nobody works any more."""
    if not _BACKUP_OF_1_0.fullmatch(path.name):
        return False
    try:
        inside = list(path.iterdir()) if path.is_dir() and not path.is_symlink() else []
        changed = max(file.stat(follow_symlinks=False).st_mtime for file in (path, *inside))
        is_ours = bool(_FILE_OF_1_0.fullmatch(path.name)) and path.is_file()
        if path.is_dir():
            is_ours = all(_IN_BACKUPS.fullmatch(file.name) for file in inside)
    except OSError:
        return False
    return is_ours and time.time() - changed > _DAY
