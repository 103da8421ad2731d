"""Neural rankers are optional: without torch one line says what to install."""

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.program import failure

ROOT = Path(__file__).resolve().parents[2]
CALLS = {
    "train": ["--model", "knrm", "--collection", "c", "--queries", "q", "--output", "m"],
    "rerank": [
        "--model", "m", "--run", "r", "--collection", "c", "--queries", "q", "--output", "y",
    ],
    "rank --dense": [
        "--model", "m", "--collection", "c", "--queries", "q", "--index", "i", "--output", "y",
    ],
    "fine-tune": ["--model", "m", "--collection", "c", "--queries", "q", "--output", "m"],
    "cross-validate": [
        "--model", "m", "--run", "r", "--qrels", "j", "--scores", "p", "--collection", "c",
        "--queries", "q", "--output", "m",
    ],
    "attack": [
        "--model", "m", "--run", "r", "--scores", "p", "--collection", "c", "--queries", "q",
    ],
    "erase": ["--model", "m", "--run", "r", "--collection", "c", "--queries", "q", "--output", "y"],
    "grepbias train": [
        "--mode", "full", "--train-on", "all", "--encoder", "e", "--data", "d", "--output", "l",
    ],
    "grepbias grid": ["--encoder", "e", "--data", "d", "--output", "g"],
}  # fmt: skip


@pytest.mark.skipif(find_spec("torch") is not None, reason="torch is installed")
@pytest.mark.parametrize("command", CALLS)
def test_a_command_that_needs_torch_says_what_to_install(command: str) -> None:
    said = failure(*command.split(), *CALLS[command])

    assert "fairpool[train]" in said
    assert len(said.splitlines()) == 1


def test_loading_every_command_imports_no_torch() -> None:
    commands = sorted((ROOT / "rankers" / "cli").glob("[a-z]*.py"))
    imports = "; ".join(f"import rankers.cli.{path.stem}" for path in commands)
    program = f"import sys; {imports}; print('torch' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )

    assert done.stdout.strip() == "False"
