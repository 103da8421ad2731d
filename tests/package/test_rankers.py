"""The house of rankers, which imports the library under the name that it has here."""

import ast
from collections.abc import Iterator
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType

import pytest

from .conftest import MODULE, TEXTS

RANKERS = "rankers" if MODULE == "metrics" else f"{MODULE}.rankers"


def imported(path: Path) -> Iterator[str]:
    """The modules that a file imports by absolute names."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom) and not node.level:
            yield node.module or ""
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)


def test_every_import_of_a_house_is_under_its_name_here(fairpool: ModuleType) -> None:
    paths = sorted(Path(import_module(RANKERS).__file__ or "").parent.rglob("*.py"))
    houses = {"metrics", "rankers", "fairpool"}
    ours = {name for path in paths for name in imported(path) if name.partition(".")[0] in houses}

    assert len(paths) > 50
    assert f"{MODULE}.errors" in ours
    assert not [name for name in sorted(ours) if find_spec(name) is None]


def test_a_lexical_ranker_ranks(fairpool: ModuleType, tmp_path: Path) -> None:
    for package in ("bm25s", "sklearn", "snowballstemmer", "threadpoolctl"):
        pytest.importorskip(package)
    registry, runs = import_module(f"{RANKERS}.registry"), import_module(f"{RANKERS}.runs")

    paths = runs.write_runs(
        registry.rankers_named(["BM25"]), list(TEXTS.items()), [("1", "boy met")], tmp_path, depth=3
    )

    assert fairpool.read_run(paths["BM25"]).documents("1")[0] == "d3"
