"""The blocks of a file, as the scan reads them."""

from pathlib import Path

from metrics.texts.scan.checksum import NoChecksum
from metrics.texts.scan.reading import Workspace, open_blocks


def blocks_of(path: Path) -> list[Workspace]:
    """All blocks, mapped into memory."""
    blocks: list[Workspace] = []
    with open_blocks(path, "tsv", NoChecksum()) as reader:
        while True:
            workspace = Workspace()
            if not reader.fill(workspace):
                return blocks
            blocks.append(workspace)
