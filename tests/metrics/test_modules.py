"""Values that the modules of a package define."""

import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from metrics.modules import defined_in


@dataclass(frozen=True)
class Colour:
    name: str
    position: int


@pytest.fixture
def colours(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A package of two colours."""
    folder = tmp_path / "some_colours"
    folder.mkdir()
    (folder / "__init__.py").touch()
    _write(folder / "blue.py", "BLUE = Colour('blue', 2)")
    _write(folder / "red.py", "RED = Colour('red', 1)")
    monkeypatch.syspath_prepend(tmp_path)
    for module in [name for name in sys.modules if name.startswith("some_colours")]:
        monkeypatch.delitem(sys.modules, module)
    return folder


def _write(path: Path, line: str) -> None:
    path.write_text(f"from {__name__} import Colour\n\n{line}\n")


@pytest.mark.usefixtures("colours")
def test_values_come_by_their_positions() -> None:
    assert list(defined_in("some_colours", Colour)) == ["red", "blue"]


def test_a_module_may_import_what_another_defines(colours: Path) -> None:
    _write(colours / "pink.py", "from some_colours.red import RED\nPINK = Colour('pink', 0)")
    assert list(defined_in("some_colours", Colour)) == ["pink", "red", "blue"]


def test_a_copy_of_a_module_needs_a_name_of_its_own(colours: Path) -> None:
    (colours / "green.py").write_text((colours / "blue.py").read_text())
    with pytest.raises(RuntimeError, match="two modules of some_colours define 'blue'"):
        defined_in("some_colours", Colour)
