"""docs/tutorial.md, run as a reader would, block after block, and compared with what it shows."""

import contextlib
import io
import re
from pathlib import Path
from typing import Any

import pytest

from tests.package.pages import blocks

ROOT = Path(__file__).resolve().parent.parent.parent
TUTORIAL = ROOT / "docs" / "tutorial.md"


@pytest.mark.long
def test_every_block_prints_what_the_tutorial_shows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    shown = [block for block in blocks(TUTORIAL) if block.language == "python"]
    namespace: dict[str, Any] = {}

    assert len(shown) >= 7
    for block in shown:
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(block.code, namespace)  # noqa: S102 - our own documentation
        assert printed.getvalue() == block.output, block.code


def test_what_the_tutorial_says_is_on_the_page_is_there() -> None:
    section = TUTORIAL.read_text(encoding="utf-8").partition("## In the browser")[2]
    labels = {label for label in re.findall(r"\*\*(.+?)\*\*", section) if label != "bold"}
    sources = [*(ROOT / "templates/web").rglob("*.html"), *(ROOT / "annotation").rglob("*.py")]
    pages = "\n".join(path.read_text(encoding="utf-8") for path in sources)

    assert len(labels) >= 10
    assert {label for label in labels if label not in pages} == set()
