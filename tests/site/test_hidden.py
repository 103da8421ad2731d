"""What has the attribute `hidden` never shows, whatever a style sheet says of its kind."""

import re
from pathlib import Path

from tests.project import ROOT

NEVER_SHOWN = re.compile(r"(?<![^\s{}])\[hidden\]\s*\{\s*display:\s*none\s*!important;?\s*\}")
SHOWN_ALL_THE_SAME = re.compile(r"display:(?!\s*none)[^;}]*!important")
#: Comes below `page.css` on each page that has it.
SECOND_PARTS = {ROOT / "templates" / "task" / "passage.css"}


def style_sheets() -> dict[Path, str]:
    """All that ship: files, and what pages say inline."""
    found = {}
    for house in ("annotation", "metrics", "mturk_local", "static", "templates"):
        for path in (ROOT / house).rglob("*"):
            if path.suffix == ".css":
                found[path] = path.read_text(encoding="utf-8")
            elif path.suffix == ".html":
                inline = re.findall(r"<style>(.*?)</style>", path.read_text(), re.DOTALL)
                if inline and "$" not in inline[0]:
                    found[path] = inline[0]
    return found


def test_no_style_sheet_shows_what_is_hidden() -> None:
    sheets = style_sheets()
    assert len(sheets) >= 7
    assert {path for path, text in sheets.items() if not NEVER_SHOWN.search(text)} == SECOND_PARTS
    assert {path for path, text in sheets.items() if SHOWN_ALL_THE_SAME.search(text)} == set()
