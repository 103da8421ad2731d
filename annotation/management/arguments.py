"""Values on the command line of the annotation commands."""

from argparse import ArgumentParser
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from annotation.accounts.queries.members import get_study
from annotation.models import Study
from annotation.schemes import Scheme, built_in_scheme, built_in_schemes, scheme_from_yaml
from metrics.errors import InputError
from metrics.io.lines import open_text
from metrics.io.outputs import InputFile


def text_of(path: Path) -> str:
    """The text of a UTF-8 file."""
    with open_text(path) as stream:
        try:
            return stream.read().decode("utf-8")
        except UnicodeDecodeError as error:
            raise InputError(
                f"is not UTF-8 ({error.reason} at byte {error.start}).",
                path=path,
                remedy="Save it as UTF-8.",
            ) from None


def scheme_given(name_or_path: str) -> str:
    """The name of a built-in scheme, or the text of a file."""
    names = built_in_schemes()
    if name_or_path in names:
        return name_or_path
    if not Path(name_or_path).exists():
        raise InputError(
            f"there is no built-in scheme and no file {name_or_path!r}.",
            remedy=f"Built in are {', '.join(names)}.",
        )
    return text_of(Path(name_or_path))


def scheme_named(name_or_path: str) -> Scheme:
    """The built-in scheme of that name, or the one in a file."""
    text = scheme_given(name_or_path)
    return built_in_scheme(text) if text in built_in_schemes() else scheme_from_yaml(text)


def add_scheme_option(parser: ArgumentParser, says: str, *, required: bool = False) -> None:
    """`--scheme`, which `scheme_given` reads."""
    parser.add_argument(
        "--scheme", required=required, type=InputFile, metavar="NAME|FILE", help=says
    )


def add_study_option(
    parser: ArgumentParser,
    says: str = "Name of the study that it belongs to (default: a new one of its own name).",
) -> None:
    """`--study`: whose members may see what the command makes, unless it `says` something else."""
    parser.add_argument("--study", metavar="STUDY", help=says)


def study_of(options: Mapping[str, Any]) -> Study | None:
    """The study that `--study` names, if it was given."""
    return get_study(name=options["study"]) if options["study"] else None
