"""Places of files: a path of this machine or of a shared mount, or the URL of an object store.

URLs such as `s3://bucket/name` go through Arrow's file systems, which `fairpool[fast]` brings; of a
kind that Arrow lacks, such as `hf://` and `az://`, through fsspec where it is installed. Their
credentials and endpoint come from the environment (AWS_ACCESS_KEY_ID, AWS_ENDPOINT_URL, ...), never
from the URL, so that no message, row or log contains them.
"""

import contextlib
import io
import shutil
import tempfile
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from ..errors import InputError
from ..extras import has, need
from .missing import is_folder, no_such_file
from .packing import member_at

#: Kinds of URLs that Arrow reads by itself; its Azure and HDFS need more than a URL says.
_OF_ARROW = {"s3", "gs", "gcs", "file"}
# A request to an object store takes as long as some megabytes of its answer.
_FETCHED_AT_ONCE = 8 << 20


class Stat(NamedTuple):
    """Bytes, and nanoseconds since 1970: a later file of the same name has others."""

    size: int
    modified: int


def is_url(path: str | Path) -> bool:
    """Return whether this is a URL rather than a path."""
    return "://" in str(path)


def name_of(path: str | Path) -> str:
    """The last part of a path or of a URL."""
    return Path(str(path)).name


def open_raw(path: str | Path) -> BinaryIO:
    """Open the raw bytes, seekable; errors are those of `open`."""
    if not is_url(path):
        try:
            return Path(path).open("rb", buffering=0)
        except NotADirectoryError:
            if (member := member_at(path)) is None:
                raise
            return member
    with _plain_errors(path):
        system, name = _system_of(path)
        return io.BufferedReader(_Stored(path, system.open_input_file(name)), _FETCHED_AT_ONCE)


class _Stored(io.RawIOBase):
    """A file of an object store, whose errors name it whenever they come."""

    def __init__(self, url: str | Path, file: Any) -> None:
        self._url, self._file = url, file

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        return int(self._file.seek(offset, whence))

    def tell(self) -> int:
        return int(self._file.tell())

    def readinto(self, buffer: Any) -> int:
        with _plain_errors(self._url):
            return int(self._file.readinto(buffer))

    def close(self) -> None:
        self._file.close()
        super().close()


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
        status = Path(path).stat()
        return Stat(status.st_size, status.st_mtime_ns)
    elif Path(path).is_dir():
        raise is_folder(path)
    elif (member := member_at(path)) is not None:
        with member:
            return Stat(member.seek(0, io.SEEK_END), 0)
    raise no_such_file(path)


def exists(path: str | Path) -> bool:
    """Return whether there is such a file."""
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


@contextlib.contextmanager
def written(path: str | Path) -> Iterator[Path]:
    """Provide a local path for writing `path`; an object is uploaded afterwards."""
    if not is_url(path):
        yield Path(path)
        return
    with tempfile.TemporaryDirectory(prefix="fairpool-out-") as folder:
        local = Path(folder) / name_of(path)
        yield local
        put(local, str(path))


@contextlib.contextmanager
def fetched(path: str | Path) -> Iterator[Path]:
    """The file on this machine."""
    if not is_url(path):
        yield Path(path)
        return
    with tempfile.TemporaryDirectory(prefix="fairpool-in-") as folder:
        local = Path(folder) / name_of(path)
        fetch(path, local)
        yield local


def files_below(url: str) -> list[str] | None:
    """The URLs of all files below a folder of an object store; None where that is not a folder."""
    with _plain_errors(url):
        system, name = _system_of(url)
        [info] = system.get_file_info([name])
        if info.type.name != "Directory":
            return None
        selector = need("pyarrow.fs").FileSelector(name, recursive=True)
        below = [file.path for file in system.get_file_info(selector) if file.is_file]
    start = url.rstrip("/")
    return [start + path.removeprefix(name.rstrip("/")) for path in below]


def make_folder(path: str | Path) -> None:
    """Make a folder with those above it. An object store has none: there it needs no making."""
    if not is_url(path):
        Path(path).mkdir(parents=True, exist_ok=True)


def remove(path: str) -> None:
    """Remove a file."""
    if not is_url(path):
        Path(path).unlink()
        return
    with _plain_errors(path):
        system, name = _system_of(path)
        system.delete_file(name)


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
    """Return the absolute path."""
    return str(path) if is_url(path) else str(Path(path).absolute())


def _system_of(url: str | Path) -> tuple[Any, str]:
    if "@" in str(url).partition("://")[2].partition("/")[0]:
        raise InputError(
            f"a URL of {str(url).partition('://')[0]} with credentials in it.",
            remedy="Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY instead: other people can "
            "see what you type.",
        )
    # Loaded only here: it takes a third of a second.
    arrow = need("pyarrow.fs")
    kind = str(url).partition("://")[0]
    if kind not in _OF_ARROW and has("fsspec"):
        try:
            system, name = import_module("fsspec.core").url_to_fs(str(url))
        except (ImportError, ValueError) as error:
            raise InputError(f"is not a URL that can be read ({error}).", path=url) from None
        return arrow.PyFileSystem(arrow.FSSpecHandler(system)), name
    system, name = arrow.FileSystem.from_uri(str(url))
    return system, name


@contextlib.contextmanager
def _plain_errors(url: str | Path) -> Iterator[None]:
    """Errors of Arrow as `InputError`."""
    arrow = need("pyarrow")
    try:
        yield
    except FileNotFoundError:
        raise no_such_file(url) from None
    except (arrow.ArrowInvalid, arrow.ArrowNotImplementedError) as error:
        raise InputError(
            f"is not a URL that can be read ({error}).", path=url, remedy="Use s3://bucket/name."
        ) from error
    except OSError as error:
        raise InputError(
            f"cannot be reached ({error}).",
            path=url,
            remedy="Check the address, AWS_ENDPOINT_URL, the credentials and the network.",
        ) from error
