"""Builds the wheel out of several houses: what imports `rankers` here imports `fairpool.rankers`.

In a checkout the houses stand beside one another; installed they are the package `fairpool`, with
the pool as `fairpool.pooling` and the program of all commands as `fairpool.__main__`. Imports
inside `metrics` are relative; those between houses are absolute, and are rewritten in the copies
that the wheel takes.
"""

import re
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

#: A house here, and its name in the wheel.
HOUSES = {"metrics": "fairpool", "rankers": "fairpool.rankers", "pooling": "fairpool.pooling"}
#: The files that are rewritten, without what of `pooling` needs the site.
REWRITTEN = (
    "rankers/**/*.py",
    "rankers/**/*.csv",
    *(
        f"pooling/{name}.py"
        for name in (
            *("__init__", "command", "building", "pairs", "pool", "rankings"),
            *("items", "vocabulary"),
        )
    ),
)
_PROGRAM = "config/program.py"
#: A module at the beginning of an import or of a string, as in "rankers.cli.rank:Rank".
_NAME = re.compile(
    rf"""(^\s*(?:from|import)\s(?=\w+[.\s])|"(?=\w+\.))({"|".join(HOUSES)})\b""", re.MULTILINE
)


def with_installed_names(source: str) -> str:
    """The source of a module with the names of modules as they are in the wheel."""
    return _NAME.sub(lambda match: match[1] + HOUSES[match[2]], source)


class CustomBuildHook(BuildHookInterface):
    """Adds the rewritten houses to the wheel."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if version == "editable":
            return
        root, self._copies = Path(self.root), TemporaryDirectory()
        places = {
            path: f"fairpool/{path.relative_to(root)}"
            for pattern in REWRITTEN
            for path in sorted(root.glob(pattern))
        }
        places[root / _PROGRAM] = "fairpool/__main__.py"
        for path, place in places.items():
            copy = Path(self._copies.name, place)
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_text(with_installed_names(path.read_text("utf-8")), encoding="utf-8")
            build_data["force_include"][str(copy)] = place

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:  # noqa: ARG002 - the interface's
        if version != "editable":
            self._copies.cleanup()
