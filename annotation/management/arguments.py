"""Values on the command line of the annotation commands."""

import getpass
from argparse import ArgumentParser
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from annotation.models import Study
from annotation.selectors.members import study_get
from metrics.errors import InputError
from metrics.files import open_bytes


def text_of(path: Path) -> str:
    """The text of a UTF-8 file."""
    with open_bytes(path) as stream:
        try:
            return stream.read().decode("utf-8")
        except UnicodeDecodeError as error:
            raise InputError(
                f"is not UTF-8 ({error.reason} at byte {error.start}).",
                path=path,
                remedy="Save it as UTF-8.",
            ) from None


def add_study_option(
    parser: ArgumentParser,
    says: str = "Name of the study that it belongs to (default: none; then only staff see it).",
) -> None:
    """`--study`: whose members may see what the command makes, unless it `says` something else."""
    parser.add_argument("--study", metavar="STUDY", help=says)


def study_of(options: Mapping[str, Any]) -> Study | None:
    """The study that `--study` names, if it was given."""
    return study_get(name=options["study"]) if options["study"] else None


def add_review_arguments(parser: ArgumentParser) -> None:
    """One answer of a batch, and what its worker reads about the decision on it."""
    parser.add_argument("name", help="Name of the batch.")
    parser.add_argument("assignment", help="Id of the assignment.")
    parser.add_argument("--reason", required=True, help="What the worker reads.")


def actor() -> str:
    """Who types the command, for the record of what was done."""
    try:
        return f"{getpass.getuser()} (command line)"
    except OSError:
        return "command line"
