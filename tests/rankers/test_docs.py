"""The documentation names every ranker."""

from pathlib import Path

import pytest

from rankers.registry import DEFAULT, RANKERS

DOCS = Path(__file__).parents[2] / "docs"


@pytest.mark.parametrize("name", RANKERS)
def test_every_ranker_has_its_row_and_its_mark(name: str) -> None:
    mark = " *" if name in {ranker.name for ranker in DEFAULT} else ""
    assert f"| `{name}`{mark} | " in (DOCS / "sample.md").read_text(encoding="utf-8")
