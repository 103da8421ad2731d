"""docs/tutorial.md, run as a reader would, block after block, and compared with what it shows."""

import contextlib
import io
import re
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
TUTORIAL = ROOT / "docs" / "tutorial.md"

# A block of code, and the output that the text shows right after it, if any.
_BLOCK = re.compile(r"```python\n(.*?)```\n(?:\n```text\n(.*?)```\n)?", re.DOTALL)


def test_every_block_prints_what_the_tutorial_shows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    blocks = _BLOCK.findall(TUTORIAL.read_text(encoding="utf-8"))
    namespace: dict[str, Any] = {}

    assert len(blocks) >= 7
    for code, shown in blocks:
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(code, namespace)  # noqa: S102 - our own documentation
        assert printed.getvalue() == shown, code


def test_what_the_tutorial_says_is_on_the_page_is_there() -> None:
    section = TUTORIAL.read_text(encoding="utf-8").partition("## In the browser")[2]
    labels = {label for label in re.findall(r"\*\*(.+?)\*\*", section) if label != "bold"}
    sources = [*(ROOT / "templates/web").rglob("*.html"), *(ROOT / "annotation").rglob("*.py")]
    pages = "\n".join(path.read_text(encoding="utf-8") for path in sources)

    assert len(labels) >= 10
    assert {label for label in labels if label not in pages} == set()
