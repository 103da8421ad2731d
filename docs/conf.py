"""How `make docs` builds the documentation: Sphinx, without the network, warnings are errors."""

import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from metrics.version import VERSION

project = "Fairpool"
author = "The Fairpool maintainers"
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
