"""How `make docs` builds the documentation: Sphinx, without the network, warnings are errors."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from metrics.version import VERSION

project = "Fairpool"
author = "The Fairpool maintainers"
release = VERSION
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinxarg.ext"]
exclude_patterns = ["_build", "conf.py"]
html_theme = "furo"
html_title = f"Fairpool {VERSION}"
# Docstrings are plain text with names in single backticks, as people read them in an editor.
default_role = "code"
autodoc_typehints = "signature"
autodoc_member_order = "groupwise"
myst_heading_anchors = 4
myst_enable_extensions = ["colon_fence"]
