"""Executes the notebooks; `python -m tests.package.notebooks` stores them with their outputs."""

import os
import tempfile
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient
from traitlets.config import Config

ROOT = Path(__file__).resolve().parents[2]
NOTEBOOKS = sorted((ROOT / "docs" / "notebooks").glob("*.ipynb"))


def executed(path: Path, folder: Path) -> Any:
    """The notebook with its outputs, as it runs in `folder` and with this Python."""
    notebook = nbformat.read(path, as_version=4)
    # Sockets that are files: nobody else takes a port, and their paths have to be short.
    with tempfile.TemporaryDirectory() as place:
        environment = {**os.environ, "FAIRPOOL_CACHE_DIR": place}
        for name in ("JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR", "IPYTHONDIR"):
            environment[name] = str(Path(place, "jupyter"))
        if os.environ.get("FAIRPOOL_MODULE") != "fairpool":
            # Its name where it is installed.
            Path(place, "fairpool").symlink_to(ROOT / "metrics")
            environment["PYTHONPATH"] = place
        NotebookClient(
            notebook,
            config=Config(KernelManager={"transport": "ipc", "ip": f"{place}/kernel"}),
            coalesce_streams=True,  # what one cell prints may come in several messages
            timeout=600,
            startup_timeout=300,
            resources={"metadata": {"path": str(folder)}},
        ).execute(env=environment)
    for cell in notebook.cells:
        cell.metadata.pop("execution", None)  # the time of day
    return notebook


def printed(notebook: Any) -> list[str]:
    """What the cells print and show as text; figures are left out."""
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    texts = (output.get("text") or output.get("data", {}).get("text/plain") for output in outputs)
    return [text for text in texts if text and not text.startswith("<Figure")]


if __name__ == "__main__":
    for notebook_path in NOTEBOOKS:
        with tempfile.TemporaryDirectory() as empty:
            nbformat.write(executed(notebook_path, Path(empty)), notebook_path)
