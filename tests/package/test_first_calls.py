"""The first calls that people write, as docs/first-calls.md shows them: each row is run."""

import importlib
import os
import re
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

pytest.importorskip("pandas")

PAGE = Path(__file__).resolve().parents[2] / "docs" / "first-calls.md"
_ROW = re.compile(r"^\| `(.+?)` \| (.+?) \|$", re.MULTILINE)
_LIBRARIES = ("pandas", "polars", "pyarrow", "ranx", "ir_measures", "datasets")
_RIGHT, _WRONG = (
    _ROW.findall(part.replace(r"\|", "|"))
    for part in PAGE.read_text(encoding="utf-8").split("## Wrong calls")
)

pytestmark = pytest.mark.filterwarnings("default")


@pytest.fixture
def names(fairpool: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """What the calls of the page may use, in a folder with its files."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("FAIRPOOL_CACHE_DIR", str(tmp_path / "cache"))
    setup = re.search(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    assert setup
    known: dict[str, Any] = {"Path": Path, "os": os}
    exec(setup[1].replace("import fairpool", ""), known | {"fairpool": fairpool}, known)  # noqa: S102
    return known | {"fairpool": fairpool}


def called(code: str, names: dict[str, Any]) -> Any:
    for library in _LIBRARIES:
        if re.search(rf"\b{library}\.", code):
            names[library] = pytest.importorskip(library)
    return eval(code, names)  # noqa: S307 - our own page


def shown(result: Any) -> str:
    """The values of a frame, or the representation of anything else."""
    if hasattr(result, "columns") and "value" in result.columns:
        return ", ".join(f"{value:.3f}" for value in result["value"])
    return str(result)


def test_there_are_enough_of_them() -> None:
    assert len(_RIGHT) >= 30
    assert len(_WRONG) >= 25


@pytest.mark.parametrize(
    ("code", "gives"),
    [
        # ranx compiles itself when it is imported.
        pytest.param(*row, id=row[0], marks=pytest.mark.long if "ranx." in row[0] else ())
        for row in _RIGHT
    ],
)
def test_a_natural_call_works(names: dict[str, Any], code: str, gives: str) -> None:
    assert shown(called(code, names)) == gives


@pytest.mark.parametrize(("code", "says"), _WRONG, ids=[code for code, _ in _WRONG])
def test_a_wrong_call_says_what_is_wrong(names: dict[str, Any], code: str, says: str) -> None:
    with pytest.raises(names["fairpool"].InputError) as error:
        called(code, names)
    assert str(error.value) == says


def test_importing_is_all_that_a_listing_needs(fairpool: ModuleType) -> None:
    assert set(fairpool.__all__) <= set(dir(fairpool))
    assert all(getattr(fairpool, name) is not None for name in dir(fairpool))
    assert importlib.import_module(fairpool.__name__) is fairpool
