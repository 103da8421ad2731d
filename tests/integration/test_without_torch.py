"""Neural rankers are optional: without torch one line says what to install."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.integration.commands import failure

ROOT = Path(__file__).resolve().parents[2]
CALLS = {
    "train_reranker": ["--model", "knrm", "--collection", "c", "--queries", "q", "--output", "m"],
    "rerank": [
        "--model", "m", "--run", "r", "--collection", "c", "--queries", "q", "--output", "y",
    ],
    "rank_dense": [
        "--model", "m", "--collection", "c", "--queries", "q", "--index", "i", "--output", "y",
    ],
    "attack_reranker": [
        "--model", "m", "--run", "r", "--magnitudes", "p", "--collection", "c", "--queries", "q",
    ],
    "grepbias_train": [
        "--mode", "full", "--train-on", "all", "--encoder", "e", "--data", "d", "--output", "l",
    ],
    "grepbias_grid": ["--encoder", "e", "--data", "d", "--output", "g"],
}  # fmt: skip


@pytest.mark.parametrize("command", CALLS)
def test_a_command_that_needs_torch_says_what_to_install(
    command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)  # as if it were not installed

    said = failure(command, *CALLS[command])

    assert "requirements-neural.txt" in said
    assert len(said.splitlines()) == 1


def test_loading_every_command_imports_no_torch() -> None:
    commands = sorted((ROOT / "pooling" / "management" / "commands").glob("[a-z]*.py"))
    imports = "; ".join(f"import pooling.management.commands.{path.stem}" for path in commands)
    program = f"import django, sys; django.setup(); {imports}; print('torch' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )

    assert done.stdout.strip() == "False"
