"""Reading plain and packed files, and writing files that are whole or not there at all."""

import contextlib
import hashlib
import io
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import BinaryIO, cast

from ..errors import InputError, InputTypeError
from ..extras import need
from .missing import is_folder, no_such_file
from .packing import DAMAGED, HEAD, only_member, packing_of, unpacked
from .parts import is_part, part_file
from .storage import Span, open_raw

_BLOCK = 1 << 20


_LONGEST_SHOWN = 60


def checked_path(path: object, what: str = "the file") -> Path:
    """Return the path; `InputTypeError` for other types, such as a dictionary.

    Text that is not a path, such as the content of a file, is an error that says so.
    """
    if not isinstance(path, str | os.PathLike):
        remedy = "Give the path of a file."
        if isinstance(path, list | tuple) and path:
            remedy = "Give the path of one file, and read several one by one."
        elif hasattr(path, "read"):
            remedy = "Give the path of a file, which an open file has as .name."
        raise InputTypeError(f"{what} is {type(path).__name__}.", remedy=remedy)
    text = str(path)
    if not text.strip():
        raise InputError(f"the path of {what} is empty.", remedy="Give the path of a file.")
    if "\n" in text or text.lstrip().startswith(("{", "[")):
        raise InputError(
            f"{text[:_LONGEST_SHOWN]!r} is not a path of {what}.",
            remedy="Give the path of a file; content is written to one first.",
        )
    return Path(path)


@contextlib.contextmanager
def open_bytes(
    path: str | Path,
    on_read: Callable[[bytes], object] | None = None,
    span: tuple[int, int] | None = None,
) -> Iterator[io.BufferedReader]:
    """The decompressed bytes of `path`; `-` is standard input.

    Compression (gzip, bzip2, xz, zstd, or a zip of one file) is detected by the first bytes. `path`
    may be a URL, see `metrics.io.storage`, or name a file inside a zip.

    `on_read` is called with each block of bytes as they lie on disk, for progress and checksums; it
    may keep them. With `span` only the bytes from the first place to the second are read.
    A missing file, a folder and a damaged or truncated archive raise `InputError`.
    """
    with _plain_errors(path), _raw(path) as raw:
        tapped = _tapped(_part(raw, span), on_read)
        packing = packing_of(tapped.peek(HEAD)[:HEAD])
        if not packing:
            yield tapped
        elif packing == "zip":
            with only_member(_seekable(raw, tapped, path), path) as member:
                yield io.BufferedReader(cast(io.RawIOBase, member), _BLOCK)
        else:
            with unpacked(tapped, packing) as stream:
                yield io.BufferedReader(stream, _BLOCK)


@contextlib.contextmanager
def open_archive(path: str | Path, packing: str) -> Iterator[tuple[BinaryIO, Callable[[], int]]]:
    """The decompressed bytes of a `gz` or `zst` file of this machine, for `readinto` alone.

    With it comes a function that says how many bytes of the file have been read. No Python code
    runs between the file and the decompressor. Errors are those of `open_bytes`.
    """
    with (
        _plain_errors(path),
        open_raw(path) if packing == "gz" else need("pyarrow").OSFile(str(path)) as raw,
        unpacked(raw, packing) as stream,
    ):
        yield stream, raw.tell


@contextlib.contextmanager
def _raw(path: str | Path) -> Iterator[BinaryIO]:
    if str(path) == "-":
        yield sys.stdin.buffer
        return
    with open_raw(path) as raw:
        yield raw


def _seekable(raw: BinaryIO, tapped: BinaryIO, path: str | Path) -> BinaryIO:
    """Return the rewound file, once `on_read` has had all of it: a zip is read from its end."""
    if not raw.seekable():
        raise InputError(
            "is a zip, which cannot be read from a pipe.", path=path, remedy="Save it to a file."
        )
    while tapped.read(_BLOCK):
        pass
    raw.seek(0)
    return raw


@contextlib.contextmanager
def _plain_errors(path: str | Path) -> Iterator[None]:
    try:
        yield
    except (FileNotFoundError, NotADirectoryError):
        raise no_such_file(path) from None
    except IsADirectoryError:
        raise is_folder(path) from None
    except DAMAGED as error:  # type: ignore[misc] # isal has no types
        raise _damaged(path, error) from error
    except OSError as error:
        if error.errno is not None:
            raise
        # Arrow reports a damaged archive as an OSError without a number.
        raise _damaged(path, error) from error


def _damaged(path: str | Path, error: Exception) -> InputError:
    return InputError(
        f"the archive is damaged or cut short ({error}).", path=path, remedy="Fetch it again."
    )


def _part(raw: BinaryIO, span: tuple[int, int] | None) -> BinaryIO:
    return raw if span is None else cast(BinaryIO, Span(raw, *span))


def _tapped(raw: BinaryIO, on_read: Callable[[bytes], object] | None) -> io.BufferedReader:
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

    Nothing is left behind when the block fails, is interrupted, or the disk is full; what a killed
    process leaves goes with the next file, see `metrics.io.parts`. Devices and pipes, such as
    /dev/stdout, and parts are written to directly; of a link the target is replaced.
    """
    target = Path(path)
    if target.is_symlink():
        target = target.resolve()
    if (target.exists() and not target.is_file()) or is_part(target):
        yield target
        return
    if not target.parent.is_dir():
        raise InputError(
            "the folder does not exist.", path=target.parent, remedy="Create it first."
        )
    with part_file(target) as temporary:
        yield temporary
        with temporary.open("rb+") as file:
            os.fsync(file.fileno())
        temporary.chmod(0o666 & ~_umask())
        temporary.replace(target)


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
