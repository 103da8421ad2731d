"""Where files are: a path of this machine or of a shared mount, or the URL of an object store.

URLs such as `s3://bucket/name` go through Arrow's file systems, which `fairpool[fast]` brings.
Their credentials and endpoint come from the environment (AWS_ACCESS_KEY_ID, AWS_ENDPOINT_URL, ...),
never from the URL, so that they get into no message, no row and no log.
"""

import contextlib
import io
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from ..errors import InputError
from ..extras import need

# A request to an object store takes as long as some megabytes of its answer.
_FETCHED_AT_ONCE = 8 << 20


class Stat(NamedTuple):
    """Bytes, and nanoseconds since 1970: a later file of the same name has others."""

    size: int
    modified: int


def is_url(path: str | Path) -> bool:
    """Whether this is a URL rather than a path."""
    return "://" in str(path)


def name_of(path: str | Path) -> str:
    """The last part of a path or of a URL."""
    return Path(str(path)).name


def open_raw(path: str | Path) -> BinaryIO:
    """The bytes as they lie there, to be read and sought in; errors are those of `open`."""
    if not is_url(path):
        return Path(path).open("rb", buffering=0)
    with _plain_errors(path):
        system, name = _system_of(path)
        # Arrow's files are what the standard library needs of a raw one.
        return io.BufferedReader(system.open_input_file(name), _FETCHED_AT_ONCE)


class Span(io.RawIOBase):
    """The bytes `begin` to `end` of a file, as a stream."""

    def __init__(self, raw: BinaryIO, begin: int, end: int) -> None:
        raw.seek(begin)
        self._raw, self._left = raw, end - begin

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        with memoryview(buffer) as view:
            size: int = self._raw.readinto(view[: self._left])  # type: ignore[attr-defined] # it has it
        self._left -= size
        return size


def stat(path: str | Path) -> Stat:
    """Size and time of a file; `InputError` where there is none."""
    if is_url(path):
        with _plain_errors(path):
            system, name = _system_of(path)
            [info] = system.get_file_info([name])
        if info.is_file:
            return Stat(info.size, info.mtime_ns)
    elif Path(path).is_file():
        found = Path(path).stat()
        return Stat(found.st_size, found.st_mtime_ns)
    elif Path(path).is_dir():
        raise InputError("is a folder, not a file.", path=path)
    raise InputError("no such file.", path=path)


def exists(path: str | Path) -> bool:
    """Whether there is such a file."""
    try:
        stat(path)
    except InputError:
        return False
    return True


def fetch(path: str | Path, target: Path) -> None:
    """Copy a file to this machine."""
    with open_raw(path) as source, target.open("xb") as copy:
        shutil.copyfileobj(source, copy, _FETCHED_AT_ONCE)


def put(source: Path, url: str) -> None:
    """Copy a file of this machine to an object store, where it appears whole or not at all."""
    with _plain_errors(url):
        system, name = _system_of(url)
        with source.open("rb") as file, system.open_output_stream(name) as target:
            shutil.copyfileobj(file, target, _FETCHED_AT_ONCE)


def make_folder(path: str | Path) -> None:
    """Make a folder with those above it. An object store has none: there it needs no making."""
    if not is_url(path):
        Path(path).mkdir(parents=True, exist_ok=True)


def remove_folder(path: str | Path) -> None:
    """Remove a folder with all that is in it, if it is there."""
    if not is_url(path):
        shutil.rmtree(path, ignore_errors=True)
        return
    with _plain_errors(path):
        system, name = _system_of(path)
        system.delete_dir_contents(name, missing_dir_ok=True)
        with contextlib.suppress(OSError):
            system.delete_dir(name)


def absolute(path: str | Path) -> str:
    """The same place, as whoever works in another folder has to name it."""
    return str(path) if is_url(path) else str(Path(path).absolute())


def _system_of(url: str | Path) -> tuple[Any, str]:
    if "@" in str(url).partition("://")[2].partition("/")[0]:
        raise InputError(
            f"a URL of {str(url).partition('://')[0]} with credentials in it.",
            remedy="Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY instead; what is typed is "
            "seen by others.",
        )
    # Loaded only here: it takes a third of a second.
    system, name = need("pyarrow.fs").FileSystem.from_uri(str(url))
    return system, name


@contextlib.contextmanager
def _plain_errors(url: str | Path) -> Iterator[None]:
    """Errors of Arrow as `InputError`."""
    arrow = need("pyarrow")
    try:
        yield
    except FileNotFoundError:
        raise InputError("no such file.", path=url) from None
    except (arrow.ArrowInvalid, arrow.ArrowNotImplementedError) as error:
        raise InputError(
            f"is no URL that can be read ({error}).", path=url, remedy="Use s3://bucket/name."
        ) from error
    except OSError as error:
        raise unreachable(url, error) from error


def unreachable(url: str | Path, error: OSError) -> InputError:
    """The error for an object store that does not answer, or not as it should."""
    return InputError(
        f"cannot be reached ({error}).",
        path=url,
        remedy="Check the address, AWS_ENDPOINT_URL, the credentials and the network.",
    )
