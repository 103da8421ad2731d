"""A reader who types what a page of the documentation shows, block after block."""

import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from tests.package.pages import Block, blocks
from tests.project import ROOT, Project

# `make serve` is up already, and a target that installs, tests or builds is only looked up.
_MAKE = f"""make() {{
  case $1 in serve) ;; *) command make --directory {ROOT} --dry-run "$@" >/dev/null ;; esac
}}"""


@dataclass
class Reader:
    """Follows the shell blocks of `page` in the folder of `project`; exports last to the end."""

    page: str
    project: Project
    _left: list[Block] = field(init=False)

    def __post_init__(self) -> None:
        found = blocks(ROOT / self.page)
        self._left = [block for block in found if block.is_shell and not block.only_parsed]
        programs = self.project.folder / "programs"
        programs.mkdir()
        # Installed, the program of the package; `python` has to find its virtual environment.
        for name, arguments in {"fairpool": "-m config.program", "python": ""}.items():
            program = programs / name
            program.write_text(f'#!/bin/sh\nexec {sys.executable} {arguments} "$@"\n')
            program.chmod(0o755)

    def follow(self, n: int = 1, names: Mapping[str, str] | None = None) -> str:
        """Type the next `n` blocks, with these names instead of those of the page: the output."""
        printed = ""
        for block in self._left[:n]:
            printed += self._type(block, dict(names or {}))
        del self._left[:n]
        return printed

    @property
    def is_finished(self) -> bool:
        """Whether every block has been followed that is not marked as parsed only."""
        return not self._left

    def _type(self, block: Block, names: dict[str, str]) -> str:
        names["http://127.0.0.1:8000"] = f"http://127.0.0.1:{self.project.port}"
        code = block.code
        for shown, here in names.items():
            code = code.replace(shown, here)
        folder, exports = self.project.folder, self.project.data_dir / "exports.sh"
        exports.touch()
        path = os.pathsep.join([str(folder / "programs"), str(Path(sys.executable).parent)])
        environment = self.project.environment
        done = subprocess.run(
            ["/bin/bash", "-euo", "pipefail"],
            input=f"{_MAKE}\n. {exports}\n{code}\ndeclare -px > {exports}\n",
            cwd=folder,
            env=environment
            | {
                "PATH": f"{path}{os.pathsep}{environment['PATH']}",
                "PYTHONPATH": str(ROOT),
                "CURL_HOME": str(folder),
            },
            capture_output=True,
            text=True,
            timeout=900,  # on a busy machine
            check=False,
        )
        where = f"{self.page}:{block.line}"
        assert done.returncode == 0, f"{where}\n{code}\n{done.stdout}\n{done.stderr}"
        return done.stdout
