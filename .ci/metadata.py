"""What the package index shows: URLs and the README's links where the project has an address.

The address is one setting, `address` under `[tool.fairpool]` in pyproject.toml. Without one there
are no URLs, and a link to a file of the repository is its text alone.
"""

import re
import tomllib
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

#: Where each URL leads, seen from the address of the repository.
URLS = {"Source": "", "Documentation": "/tree/main/docs", "Changelog": "/blob/main/CHANGELOG.md"}
_LINK = re.compile(r"(!?)\[([^\]]*)\]\((?!https?:|#)([^)]*)\)")


def as_shown(readme: str, address: str) -> str:
    """The README with absolute links; without an address links are text, and pictures are gone."""
    if address:
        return _LINK.sub(
            lambda link: (
                f"{link[1]}[{link[2]}]({address}/{'raw' if link[1] else 'blob'}/main/{link[3]})"
            ),
            readme,
        )
    return _LINK.sub(lambda link: "" if link[1] else link[2], readme)


class AddressHook(MetadataHookInterface):
    """Fills in `readme` and `urls`."""

    def update(self, metadata: dict[str, Any]) -> None:
        root = Path(self.root)
        settings = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))["tool"]["fairpool"]
        address = settings["address"].rstrip("/")
        readme = (root / "README.md").read_text("utf-8")
        metadata["readme"] = {"content-type": "text/markdown", "text": as_shown(readme, address)}
        metadata["urls"] = {name: f"{address}{path}" for name, path in URLS.items() if address}
