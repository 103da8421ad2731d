"""The names of the installed library in a checkout: `import fairpool` and the program `fairpool`.

Installed, the houses are one package; here they stand beside one another (`.ci/houses.py`).
`python -m config.checkout` writes, into the virtual environment that runs it, the program and a
module `fairpool`, which gives the modules of this checkout by both of their names.
"""

import sys
import sysconfig
from collections.abc import Sequence
from importlib import import_module
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType

_ROOT = Path(__file__).resolve().parent.parent
#: Installed names and those here; of a module inside another the longer comes first.
_NAMES = {
    "fairpool.rankers": "rankers",
    "fairpool.pooling": "pooling",
    "fairpool.__main__": "config.program",
    "fairpool": "metrics",
}
# Processes that it starts import it again: what runs, runs behind the guard.
_PROGRAM = """\
#!{python}
import sys

sys.path.insert(0, {root!r})
from config.program import main

if __name__ == "__main__":
    sys.exit(main())
"""
_MODULE = """\
import sys

sys.path.append({root!r})

if __name__ == "__main__":
    from config.program import main

    sys.exit(main())

from config.checkout import provide

provide(__name__)
"""


class _Names(MetaPathFinder, Loader):
    """Finds modules of the checkout by their installed names: the same modules, not copies."""

    def find_spec(
        self, name: str, _path: Sequence[str] | None, _target: ModuleType | None = None
    ) -> ModuleSpec | None:
        return ModuleSpec(name, self) if name.startswith("fairpool.") else None

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        installed = next(n for n in _NAMES if spec.name == n or spec.name.startswith(f"{n}."))
        here = _NAMES[installed] + spec.name.removeprefix(installed)
        try:
            module = import_module(here)
        except ModuleNotFoundError as error:
            if error.name != here:
                raise
            raise ModuleNotFoundError(f"No module named {spec.name!r}", name=spec.name) from None
        spec.loader_state = module.__spec__
        return module

    def exec_module(self, module: ModuleType) -> None:
        """The module has been run by its name here; it keeps what it knows of itself."""
        if module.__spec__ is not None:
            module.__spec__ = module.__spec__.loader_state


def provide(name: str) -> None:
    """Give `metrics` by this name, and what belongs to it by names below."""
    sys.meta_path.insert(0, _Names())
    sys.modules[name] = import_module(_NAMES["fairpool"])


def main() -> None:
    python = Path(sys.executable)
    program = python.parent / "fairpool"
    for path, text in (
        (program, _PROGRAM),
        (Path(sysconfig.get_path("purelib"), "fairpool.py"), _MODULE),
    ):
        path.unlink(missing_ok=True)
        path.write_text(text.format(python=python, root=str(_ROOT)), encoding="utf-8")
    program.chmod(0o755)


if __name__ == "__main__":
    main()
