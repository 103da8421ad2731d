"""How `make docs` builds the documentation: Sphinx, without the network, warnings are errors."""

import os
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
# Notebooks are stored without outputs and executed by every build: nothing they show is stale.
nb_execution_mode = "force"
nb_execution_raise_on_error = True
nb_execution_timeout = 300
nb_execution_show_tb = True
# They import the library under its installed name, and what Jupyter keeps ends with the build.
_place = tempfile.TemporaryDirectory(prefix="fairpool-docs-")
_modules = Path(_place.name, "modules")
_modules.mkdir()
(_modules / "fairpool").symlink_to(Path(__file__).resolve().parent.parent / "metrics")
os.environ["PYTHONPATH"] = str(_modules)
os.environ |= dict.fromkeys(("JUPYTER_RUNTIME_DIR", "JUPYTER_DATA_DIR", "IPYTHONDIR"), _place.name)
