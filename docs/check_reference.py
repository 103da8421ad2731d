"""Ends with an error where a public name of the library has no entry in the built reference."""

import sys
from pathlib import Path

from sphinx.util.inventory import InventoryFile

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import metrics

with Path("var/site/objects.inv").open("rb") as file:
    entries = InventoryFile.load(file, "", lambda _base, path: path)
known = {name for kind in ("py:function", "py:class", "py:exception") for name in entries[kind]}
missing = [name for name in metrics.__all__ if f"fairpool.{name}" not in known]
if missing != ["__version__"]:
    sys.exit(f"No entry in the reference: {', '.join(missing)}.")
