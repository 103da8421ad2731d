"""Reading plain, gz and zst files, and writing files that are whole or not there at all."""

import contextlib
import hashlib
import io
import os
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, BinaryIO, cast

from isal import igzip
from isal.igzip_lib import IsalError

from ..errors import InputError
from ..extras import need
from .storage import Span, is_url, open_raw, unreachable

_BLOCK = 1 << 20


@contextlib.contextmanager
def open_bytes(
    path: str | Path,
    on_read: Callable[[bytes], object] | None = None,
    span: tuple[int, int] | None = None,
) -> Iterator[BinaryIO]:
    """The decompressed bytes of `path` (`.gz`, `.zst` or plain; `-` is standard input, plain).

    `path` may be a URL, see `metrics.io.storage`.

    `on_read` is called with each block of bytes as they lie on disk, for progress and checksums; it
    may keep them. With `span` only the bytes from the first place to the second are read.
    A missing file, a folder and a damaged or truncated archive raise `InputError`.
    """
    if str(path) == "-":
        yield _tapped(sys.stdin.buffer, on_read)
        return
    with (
        _plain_errors(path),
        open_raw(path) as raw,
        _decompressed(_tapped(_part(raw, span), on_read), Path(path).suffix) as stream,
    ):
        yield stream


@contextlib.contextmanager
def open_archive(path: str | Path) -> Iterator[tuple[BinaryIO, Callable[[], int]]]:
    """The decompressed bytes of a `.gz` or `.zst` file of this machine, for `readinto` alone.

    With it comes a function that says how many bytes of the file have been read. Nothing of Python
    stands between the file and what decompresses it. Errors are those of `open_bytes`.
    """
    suffix = Path(path).suffix
    with (
        _plain_errors(path),
        open_raw(path) if suffix == ".gz" else need("pyarrow").OSFile(str(path)) as raw,
        _unpacked(raw, suffix) as stream,
    ):
        yield stream, raw.tell


@contextlib.contextmanager
def _plain_errors(path: str | Path) -> Iterator[None]:
    try:
        yield
    except FileNotFoundError:
        raise InputError("no such file.", path=path) from None
    except IsADirectoryError:
        raise InputError("is a folder, not a file.", path=path) from None
    except (EOFError, IsalError, igzip.BadGzipFile) as error:  # type: ignore[misc]
        raise _damaged(path, error) from error
    except OSError as error:
        if error.errno is not None:
            raise
        # Arrow reports a damaged archive as an OSError without a number.
        if is_url(path) and Path(path).suffix != ".zst":
            raise unreachable(path, error) from error
        raise _damaged(path, error) from error


def _damaged(path: str | Path, error: Exception) -> InputError:
    return InputError(
        f"the archive is damaged or cut short ({error}).", path=path, remedy="Fetch it again."
    )


@contextlib.contextmanager
def _decompressed(raw: BinaryIO, suffix: str) -> Iterator[BinaryIO]:
    if suffix in (".gz", ".zst"):
        with _unpacked(raw, suffix) as stream:
            yield io.BufferedReader(stream, _BLOCK)
    else:
        yield raw


def _unpacked(raw: Any, suffix: str) -> Any:
    """The decompressed `.gz` or `.zst`, for `readinto`; `raw` is a file of Python or Arrow."""
    if suffix == ".gz":
        return igzip.open(raw, "rb")
    # Arrow's reader, because python-zstandard takes a truncated file for a whole one.
    return need("pyarrow").CompressedInputStream(raw, "zstd")


def _part(raw: BinaryIO, span: tuple[int, int] | None) -> BinaryIO:
    return raw if span is None else cast(BinaryIO, Span(raw, *span))


def _tapped(raw: BinaryIO, on_read: Callable[[bytes], object] | None) -> BinaryIO:
    return io.BufferedReader(_Tap(raw, on_read), _BLOCK)


class _Tap(io.RawIOBase):
    """Shows every block that is read to `on_read`."""

    def __init__(self, raw: BinaryIO, on_read: Callable[[bytes], object] | None) -> None:
        self._raw, self._on_read = raw, on_read

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override] # callers pass one
        size: int = self._raw.readinto(buffer)  # type: ignore[attr-defined] # raw and buffered have it
        if self._on_read is not None and size:
            self._on_read(bytes(buffer[:size]))
        return size


@contextlib.contextmanager
def replacing(path: str | Path) -> Iterator[Path]:
    """A temporary path beside `path` that becomes `path` when the block ends without an error.

    Nothing is left behind when the block fails, is interrupted, or the disk is full. A device or a
    pipe, such as /dev/stdout, is written to as it is; of a link, what it leads to is replaced.
    """
    target = Path(path)
    if target.is_symlink():
        target = target.resolve()
    if target.exists() and not target.is_file():
        yield target
        return
    if not target.parent.is_dir():
        raise InputError(
            "the folder does not exist.", path=target.parent, remedy="Create it first."
        )
    handle, name = tempfile.mkstemp(prefix=f".{target.name}.", suffix=".part", dir=target.parent)
    os.close(handle)
    temporary = Path(name)
    try:
        yield temporary
        with temporary.open("rb+") as file:
            os.fsync(file.fileno())
        temporary.chmod(0o666 & ~_umask())
        temporary.replace(target)
    finally:
        temporary.unlink(missing_ok=True)


def _umask() -> int:
    current = os.umask(0)
    os.umask(current)
    return current


def write_text(path: str | Path, text: str) -> None:
    """Write `text` as UTF-8 with the line ends that it has, whole or not at all."""
    write_lines(path, [text])


def write_lines(path: str | Path, lines: Iterable[str]) -> int:
    """Write the same line by line, and return how many there were."""
    with replacing(path) as temporary, temporary.open("w", encoding="utf-8", newline="") as file:
        n_lines = 0
        for n_lines, line in enumerate(lines, 1):  # noqa: B007 - counts
            file.write(line)
    return n_lines


def sha256_of(path: str | Path) -> str:
    """The SHA-256 of a file's bytes as they lie on disk, in lower-case hexadecimal."""
    with Path(path).open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
