"""Files that a command may write to: never its inputs, never another kind of file by accident.

Options carry the types of this module. The base of all commands hands their values to
`check_outputs` before anything is read.
"""

import os
import stat
from argparse import ArgumentParser, ArgumentTypeError
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path

from ..errors import InputError
from .file_kinds import PROVENANCE, FileKind

#: What stands for standard output.
_STREAM = "-"

#: Two names of one file have the same identity.
_Identity = tuple[object, ...]


class InputFile(str):
    """The value of an option that names a file to be read."""

    __slots__ = ()

    @property
    def path(self) -> str:
        return str(self)

    def each(self) -> list["InputFile"]:
        """The files that it names."""
        return [self]


class InputStream(InputFile):
    """The value of an option that names a file to be read once, from its beginning to its end."""

    __slots__ = ()


class InputFolder(InputFile):
    """The value of an option that names a folder, of which any file may be read."""

    __slots__ = ()

    def each(self) -> list[InputFile]:
        folder = Path(self)
        inside = [InputFile(str(path)) for path in folder.iterdir()] if folder.is_dir() else []
        return [self, *inside]


class NamedInputFile(InputFile):
    """The value `NAME=PATH` of an option such as `--run`; without `=` it names no file."""

    __slots__ = ()

    @property
    def path(self) -> str:
        return self.partition("=")[2]


class PerhapsNamedFile(InputFile):
    """The value `FILE` or `NAME=FILE` of an option; a file that is there has no name."""

    __slots__ = ()

    @property
    def name(self) -> str:
        """The name; "" where there is none."""
        return self.partition("=")[0] if "=" in self and not Path(self).exists() else ""

    @property
    def path(self) -> str:
        return self.partition("=")[2] if self.name else str(self)


class NamesOrFile(InputFile):
    """The value of an option that says which names belong together, or names a file that does."""

    __slots__ = ()

    @property
    def path(self) -> str:
        return str(self) if Path(self).is_file() else ""


class ExtendedFile(InputFile):
    """A file to be read that may be the output as well: it is then replaced by what extends it."""

    __slots__ = ()


class OutputFile(str):
    """The value of an option that names a file to be written."""

    __slots__ = ("figure", "kind", "sidecar")
    kind: FileKind
    sidecar: bool
    figure: bool

    def outputs(self) -> list[tuple[str, FileKind]]:
        """Return this file and those written beside it, each with its kind."""
        beside = [(f"{self}.meta.json", PROVENANCE)] if self.sidecar else []
        if self.figure:
            path = Path(self)
            drawn = FileKind("the figure of a table", lambda _path: self.kind.recognises(path))
            beside.append((str(path.with_suffix(".svg")), drawn))
        return [(str(self), self.kind), *beside]


class OutputFolder(str):
    """The value of an option that names a folder into which known files are written."""

    __slots__ = ("files", "is_replaced")
    files: Mapping[str, FileKind]
    is_replaced: bool

    def outputs(self) -> list[tuple[str, FileKind]]:
        """The files in it, each with its kind."""
        return [(str(Path(self) / name), kind) for name, kind in self.files.items()]

    def check_replaced(self, inputs: Iterable[InputFile], *, force: bool) -> None:
        """Raise `InputError` where the folder as a whole is replaced, and must not be."""
        folder = Path(self)
        if not self.is_replaced or not folder.is_dir():
            return
        whole = identity(folder)
        for file in inputs:
            path = Path(os.path.realpath(file.path))
            if file.path and whole in map(identity, (path, *path.parents)):
                raise _read_here(folder, file)
        known = [
            (folder / name).is_file() and kind.recognises(folder / name)
            for name, kind in self.files.items()
        ]
        if not force and any(folder.iterdir()) and not all(known):
            raise InputError(
                f"holds other files than {next(iter(self.files.values())).name}.",
                path=folder,
                remedy="Write to a new folder, or replace all of it with --force.",
            )


def output_folder(
    files: Mapping[str, FileKind], *, is_replaced: bool = False
) -> Callable[[str], OutputFolder]:
    """Return the type of an option for a folder of these files, emptied if it `is_replaced`."""

    def parse(text: str) -> OutputFolder:
        _check_no_stream(text)
        value = OutputFolder(text)
        value.files, value.is_replaced = files, is_replaced
        return value

    parse.__name__ = "folder"
    return parse


def output_file(
    kind: FileKind, *, sidecar: bool = False, figure: bool = False, or_printed: bool = False
) -> Callable[[str], OutputFile | None]:
    """The type of an option for a file of this kind.

    With `sidecar` OUT.meta.json goes with it; with `figure` a table has its picture beside it, of
    the same name with the ending .svg. What is printed without the option is printed for `-` as
    well, where it is `or_printed`.
    """

    def parse(text: str) -> OutputFile | None:
        if or_printed and text == _STREAM:
            return None
        _check_no_stream(text)
        value = OutputFile(text)
        value.kind, value.sidecar, value.figure = kind, sidecar, figure
        return value

    parse.__name__ = "file"  # argparse's error for a refused value
    return parse


def output_path(text: str) -> str:
    """The type of an option for what a command writes in its own way: no standard output."""
    _check_no_stream(text)
    return text


def _check_no_stream(text: str) -> None:
    if text == _STREAM:
        raise ArgumentTypeError(
            "it cannot go to standard output: name a file (./- for a file named -)"
        )


def add_force_option(parser: ArgumentParser) -> None:
    """`--force`, which every command with an `OutputFile` has."""
    parser.add_argument(
        "--force",
        action="store_true",
        help="Replace an existing output also where it is not a file of the kind that is written "
        "(default: stop; an input is never replaced).",
    )


def add_file_option(
    parser: ArgumentParser,
    name: str,
    help: str | None = None,  # noqa: A002 - argparse's
    *,
    metavar: str = "FILE",
    required: bool = False,
) -> None:
    """An option for a file to be read."""
    parser.add_argument(name, required=required, type=InputFile, metavar=metavar, help=help)


def add_output_option(
    parser: ArgumentParser,
    read_name: Callable[[str], OutputFile | OutputFolder | None],
    metavar: str,
    help: str | None = "The file to write.",  # noqa: A002 - argparse's
    *,
    required: bool = True,
) -> None:
    """`--output`, read by an `output_file` or `output_folder`, and `--force`."""
    parser.add_argument(
        "-o", "--output", required=required, type=read_name, metavar=metavar, help=help
    )
    add_force_option(parser)


def check_options(values: Iterable[object], *, force: bool) -> None:
    """`check_outputs` for the values of a command's options."""
    flat = list(_flat(values))
    inputs = input_files(flat)
    outputs = [value for value in flat if isinstance(value, OutputFile | OutputFolder)]
    for value in outputs:
        if isinstance(value, OutputFolder):
            value.check_replaced(inputs, force=force)
    check_outputs([pair for value in outputs for pair in value.outputs()], inputs, force=force)


def input_files(values: Iterable[object]) -> list[InputFile]:
    """The files that the values of a command's options name for reading."""
    named = [value for value in _flat(values) if isinstance(value, InputFile)]
    return [file for value in named for file in value.each()]


def check_outputs(
    outputs: Iterable[tuple[str | Path, FileKind]], inputs: Iterable[str], *, force: bool
) -> None:
    """Raise `InputError` where writing would destroy an input, another output, or something else.

    Files are the same where device and inode are, so that links and other spellings do not hide
    them. What exists is replaced if it is empty or of the kind being written, or with `force`.
    Devices and pipes are written to as they are.
    """
    files = [file if isinstance(file, InputFile) else InputFile(file) for file in inputs]
    read = {identity(file.path): file for file in files if file.path not in ("", "-")}
    written: set[_Identity] = set()
    for path, kind in outputs:
        if _is_device(path):
            continue
        same = identity(path)
        if same in read and not isinstance(read[same], ExtendedFile):
            raise _read_here(path, read[same])
        if same in written:
            raise InputError(
                "would be written twice.", path=path, remedy="Give each output its own file."
            )
        written.add(same)
        if not force:
            check_kind(path, kind)


def _read_here(path: str | Path, as_: InputFile) -> InputError:
    return InputError(
        f"is an input ({as_!s}), and would be overwritten.",
        path=path,
        remedy="Write to another place.",
    )


def check_kind(path: str | Path, kind: FileKind) -> None:
    """Raise `InputError` where a file of another kind would be replaced."""
    target = Path(path)
    if target.is_file() and target.stat().st_size and not kind.recognises(target):
        raise InputError(
            f"exists, and is not {kind.name}.",
            path=path,
            remedy="Write to another file, or replace it with --force.",
        )


def identity(path: str | Path) -> _Identity:
    """The identity of a file, the same for all its names, whether it exists or not."""
    if "://" in str(path):
        return (str(path),)
    try:
        status = Path(path).stat()
    except NotADirectoryError:  # a file inside a zip, which goes with all of it
        return next(identity(folder) for folder in Path(path).parents if folder.is_file())
    except FileNotFoundError:
        folder, name = os.path.split(os.path.realpath(path))
        return (*_inode(Path(folder)), name)
    return (status.st_dev, status.st_ino)


def _inode(folder: Path) -> _Identity:
    try:
        status = folder.stat()
    except OSError:
        return (str(folder),)
    return (status.st_dev, status.st_ino)


def _is_device(path: str | Path) -> bool:
    try:
        mode = Path(path).stat().st_mode
    except OSError:
        return False
    return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))


def _flat(values: Iterable[object]) -> Iterator[object]:
    for value in values:
        if isinstance(value, list | tuple):
            yield from _flat(value)
        else:
            yield value
