"""How `make docs` builds the documentation: Sphinx, without the network, warnings are errors."""

import re
import sys
import tempfile
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent))
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from metrics.version import VERSION

project = "Fairpool"
author = "The Fairpool maintainers"
project_copyright = author
release = VERSION
extensions = ["myst_nb", "sphinx.ext.autodoc", "sphinxarg.ext"]
exclude_patterns = ["_build", "conf.py"]
html_theme = "furo"
html_title = f"Fairpool {VERSION}"
# Docstrings are plain text with names in single backticks, as people read them in an editor.
default_role = "code"
autodoc_typehints = "signature"
autodoc_member_order = "groupwise"
myst_heading_anchors = 4
myst_enable_extensions = ["colon_fence"]
# Notebooks are stored with outputs; a test compares these with what the cells print.
nb_execution_mode = "off"
# The reference shows the library under its installed name.
_place = tempfile.TemporaryDirectory(prefix="fairpool-docs-")
_modules = Path(_place.name, "modules")
_modules.mkdir()
(_modules / "fairpool").symlink_to(Path(__file__).resolve().parent.parent / "metrics")
sys.path.insert(0, str(_modules))


def setup(app: Any) -> None:
    """Let pages that lie beside their programs and tests be downloaded from the site."""

    def link(_app: Any, _docname: str, source: list[str]) -> None:
        source[0] = re.sub(
            r"\[([^]]+)\]\((\.\./(?:fixtures|measurements|tests)/[^)#]+)[^)]*\)",
            r"{download}`\1 <\2>`",
            source[0],
        )

    app.connect("source-read", link)
