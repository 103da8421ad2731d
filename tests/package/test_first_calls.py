"""The first calls that people write, as first_calls.md shows them: each row is run."""

import importlib
import inspect
import pydoc
import re
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

pytest.importorskip("pandas")

PAGE = Path(__file__).resolve().with_name("first_calls.md")
_ROW = re.compile(r"^\| `(.+?)` \| (.+?) \|$", re.MULTILINE)
_LIBRARIES = ("pandas", "numpy", "polars", "pyarrow", "ranx", "ir_measures", "datasets")
_RIGHT, _WRONG = (
    _ROW.findall(part.replace(r"\|", "|"))
    for part in PAGE.read_text(encoding="utf-8").split("## Wrong calls")
)

pytestmark = pytest.mark.filterwarnings("default")


@pytest.fixture
def names(
    fairpool: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[dict[str, Any]]:
    """Names that calls of the page use, in a folder with its files; files they open are closed."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("FAIRPOOL_CACHE_DIR", str(tmp_path / "cache"))
    setup = re.search(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    assert setup
    known: dict[str, Any] = {"fairpool": fairpool}
    exec(setup[1].replace("import fairpool", ""), known)  # noqa: S102
    with ExitStack() as opened:
        known["open"] = lambda path: opened.enter_context(Path(path).open(encoding="utf-8"))
        yield known


def called(code: str, names: dict[str, Any]) -> Any:
    for library in _LIBRARIES:
        if re.search(rf"\b{library}\.", code):
            names[library] = pytest.importorskip(library)
    if "plot_bias" in code:
        pytest.importorskip("matplotlib")
    return eval(code, names)  # noqa: S307 - our own page


def shown(result: Any) -> str:
    """The values of a frame, or the representation of anything else."""
    if hasattr(result, "columns") and "value" in result.columns:
        return ", ".join(f"{value:.3f}" for value in result["value"])
    return str(result)


def test_there_are_enough_of_them() -> None:
    assert len(_RIGHT) >= 80
    assert len(_WRONG) >= 55


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


#: Calls whose argument is of a wrong type, by what the page says of them.
_OF_A_TYPE = (
    " is int.",
    " is list.",
    " is dict.",
    "is text.",
    "no whole number. Give cutoffs",
    "no text.",
)


@pytest.mark.parametrize(
    "code", [code for code, says in _WRONG if any(part in says for part in _OF_A_TYPE)]
)
def test_a_wrong_type_is_a_type_error_as_well(names: dict[str, Any], code: str) -> None:
    with pytest.raises(TypeError):
        called(code, names)


def test_help_says_the_names_of_types_and_not_what_they_are_made_of(fairpool: ModuleType) -> None:
    for name in fairpool.__all__:
        value = getattr(fairpool, name)
        if inspect.isfunction(value):
            assert len(str(inspect.signature(value))) < 950, name
    assert pydoc.plain(pydoc.render_doc(fairpool.rab)).count("\n") < 25


def test_the_names_of_the_measures_complete(fairpool: ModuleType) -> None:
    assert "measures" in dir(fairpool)
    assert {"RaB", "ARaB", "AWRF_TREC", "TExFAIR"} <= set(dir(fairpool.measures))
    assert str(fairpool.measures.AWRF_TREC @ 5) == "AWRF-TREC@5"
    with pytest.raises(AttributeError):
        _ = fairpool.measures.Bias


def test_importing_is_all_that_a_listing_needs(fairpool: ModuleType) -> None:
    assert set(fairpool.__all__) <= set(dir(fairpool))
    assert all(getattr(fairpool, name) is not None for name in dir(fairpool))
    assert importlib.import_module(fairpool.__name__) is fairpool
