"""The names of the library in the environment that make makes of a checkout."""

import os
import re
import subprocess
import sysconfig
import venv
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of programs of an environment that make has prepared."""
    folder = tmp_path_factory.mktemp("environment") / "venv"
    venv.create(folder, symlinks=True)
    program = folder / "bin" / "fairpool"
    subprocess.run(["make", "--silent", f"VENV={folder}", program], cwd=ROOT, check=True)  # noqa: S607
    return program.parent


def run_in(folder: Path, *command: str | Path) -> str:
    """What a command of the environment prints; it has the packages that the tests have."""
    done = subprocess.run(
        command,
        cwd=folder,
        env={**os.environ, "PYTHONPATH": sysconfig.get_path("purelib")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_examples_of_the_readme_run(environment: Path, tmp_path: Path) -> None:
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
    assert len(blocks) >= 2

    for block in blocks:
        assert run_in(tmp_path, environment / "python", "-W", "error", "-c", block)


def test_modules_are_the_same_by_both_names(environment: Path, tmp_path: Path) -> None:
    code = """
import pickle, sys
import fairpool
import fairpool.measures.rab
import fairpool.rankers.registry
import fairpool.pooling.pool
from fairpool.errors import InputError
import metrics, pooling.pool, rankers.registry
print(fairpool is metrics, fairpool.measures is metrics.measures)
print(InputError is metrics.InputError is pickle.loads(pickle.dumps(InputError)))
print(fairpool.rankers.registry is rankers.registry, metrics.measures.__spec__.name)
try:
    import fairpool.no_such_module
except ModuleNotFoundError as error:
    print(error.name)
"""

    printed = run_in(tmp_path, environment / "python", "-W", "error", "-c", code)

    assert printed.splitlines() == [
        "True True",
        "True",
        "True metrics.measures",
        "fairpool.no_such_module",
    ]
    assert run_in(tmp_path, environment / "python", "-m", "fairpool", "--version").startswith(
        "fairpool "
    )


@pytest.mark.parametrize("engine", ["processes", "dask"])
def test_the_program_of_a_checkout_scores_by_engines(
    environment: Path, tmp_path: Path, engine: str
) -> None:
    if engine == "dask":
        pytest.importorskip("distributed")
    (tmp_path / "c.tsv").write_text("d1\tHe saw his father.\nd2\tShe left.\n")
    score: list[str | Path] = [environment / "fairpool", "score", "c.tsv", "--quiet"]

    run_in(tmp_path, *score, "--engine", engine, "--processes", "1", "--output", "m.parquet")
    run_in(tmp_path, *score, "--output", "alone.parquet")

    assert (tmp_path / "m.parquet").read_bytes() == (tmp_path / "alone.parquet").read_bytes()
