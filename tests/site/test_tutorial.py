"""What docs/tutorial.md says of the pages; its blocks are run in `tests/package`."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
TUTORIAL = ROOT / "docs" / "tutorial.md"


def test_what_the_tutorial_says_is_on_the_page_is_there() -> None:
    section = TUTORIAL.read_text(encoding="utf-8").partition("## In the browser")[2]
    labels = {label for label in re.findall(r"\*\*(.+?)\*\*", section) if label != "bold"}
    sources = [*(ROOT / "templates/web").rglob("*.html"), *(ROOT / "annotation").rglob("*.py")]
    pages = "\n".join(path.read_text(encoding="utf-8") for path in sources)

    assert len(labels) >= 10
    assert {label for label in labels if label not in pages} == set()
