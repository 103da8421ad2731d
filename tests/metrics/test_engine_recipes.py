"""The recipes of docs/beyond-one-machine.md for engines of others, run as printed there."""

import re
import sys
from pathlib import Path

import pytest

import metrics
from metrics.texts.scoring import score_collection

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "beyond-one-machine.md"

pytestmark = [pytest.mark.faults, pytest.mark.timeout(600)]


@pytest.fixture
def expected(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> bytes:
    """The bytes of one machine for the folder `data`, where the recipe is run."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(sys.modules, "fairpool", metrics)  # its name in the wheel
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.setenv("PYSPARK_PYTHON", sys.executable)
    (tmp_path / "data").mkdir()
    for part in "abc":
        lines = "".join(f"{part}{n}\tshe said that he {n}\n" for n in range(20_000))
        (tmp_path / "data" / f"{part}.tsv").write_text(lines)
    score_collection("data/", "at-once.parquet")
    return Path("at-once.parquet").read_bytes()


def recipe(word: str) -> str:
    """The block of Python of the page that names `word`."""
    blocks = re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL)
    [block] = [one for one in blocks if word in one]
    return str(block)


@pytest.mark.filterwarnings("ignore::FutureWarning")  # Spark's of pandas 3
def test_spark_maps_the_jobs(expected: bytes) -> None:
    pytest.importorskip("pyspark.sql")
    exec(compile(recipe("SparkSession"), str(PAGE), "exec"), {})  # noqa: S102 - our own page

    assert Path("m.parquet").read_bytes() == expected


def test_datatrove_maps_the_jobs(expected: bytes) -> None:
    """Its executor for Slurm needs one; that of this machine takes the same pipeline."""
    pytest.importorskip("datatrove.executor")
    code = recipe("SlurmPipelineExecutor").replace("Slurm", "Local")
    code = code.replace('time="1:00:00", partition="cpu", ', "")
    exec(compile(code, str(PAGE), "exec"), {})  # noqa: S102 - our own page

    assert Path("m.parquet").read_bytes() == expected
