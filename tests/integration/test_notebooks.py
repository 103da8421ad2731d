"""The notebooks of the documentation are stored without outputs, and run from end to end."""

import tempfile
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient
from traitlets.config import Config

ROOT = Path(__file__).resolve().parent.parent.parent
NOTEBOOKS = sorted((ROOT / "docs" / "notebooks").glob("*.ipynb"))


def test_there_are_notebooks() -> None:
    assert len(NOTEBOOKS) >= 2


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_is_stored_without_outputs(path: Path) -> None:
    for cell in nbformat.read(path, as_version=4).cells:
        if cell.cell_type == "code":
            assert (cell.outputs, cell.execution_count) == ([], None)


@pytest.mark.long
@pytest.mark.timed
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs_to_its_end(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "fairpool").symlink_to(ROOT / "metrics")  # its name where it is installed
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    for name in ("JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR", "IPYTHONDIR"):
        monkeypatch.setenv(name, str(tmp_path / "jupyter"))
    notebook = nbformat.read(path, as_version=4)

    # Sockets that are files: nobody else takes a port, and their paths have to be short.
    with tempfile.TemporaryDirectory() as sockets:
        NotebookClient(
            notebook,
            config=Config(KernelManager={"transport": "ipc", "ip": f"{sockets}/kernel"}),
            timeout=600,
            startup_timeout=300,
            resources={"metadata": {"path": str(path.parent)}},
        ).execute()

    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert code[-1].outputs, "the last cell shows what came out"
