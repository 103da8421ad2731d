import os
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType

import pytest

MODULE = os.environ.get("FAIRPOOL_MODULE", "metrics")
#: The module of the program, as `python -m` takes it.
PROGRAM = "fairpool.__main__" if MODULE == "fairpool" else "config.program"
#: What takes tenths of a second to import, and is not needed until something is computed.
HEAVY = {"pandas", "scipy", "pyarrow", "numba", "matplotlib", "jinja2", "django", "torch"}

TEXTS = {
    "d1": "He saw his father and her mother.",
    "d2": "She left.",
    "d3": "The boy met a man.",
    "d4": "The road is wet.",
}
SCORES = {
    "A": {"q1": {"d1": 3.0, "d2": 2.0, "d3": 1.0}, "q2": {"d3": 2.0, "d4": 1.0}},
    "B": {"q1": {"d2": 3.0, "d1": 2.0, "d4": 1.0}, "q2": {"d4": 2.0, "d3": 1.0}},
}


@pytest.fixture(scope="session")
def fairpool() -> ModuleType:
    """The package under its name here."""
    return import_module(MODULE)


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Scores that are kept are kept for one test, and the home folder may be one of nobody."""
    monkeypatch.setenv("FAIRPOOL_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("IR_DATASETS_HOME", str(tmp_path / "ir_datasets"))


@pytest.fixture
def study(tmp_path: Path, fairpool: ModuleType) -> Path:
    """A folder with a collection, two runs and, where Parquet can be written, magnitudes."""
    lines = "".join(f"{docno}\t{text}\n" for docno, text in TEXTS.items())
    (tmp_path / "collection.tsv").write_text(lines)
    if find_spec("pyarrow"):
        fairpool.score_collection(tmp_path / "collection.tsv", tmp_path / "m.parquet")
    for name, run in SCORES.items():
        rows = [
            f"{qid} Q0 {docno} {rank} {score} {name}\n"
            for qid, scores in run.items()
            for rank, (docno, score) in enumerate(scores.items(), start=1)
        ]
        (tmp_path / f"{name}.run").write_text("".join(rows))
    (tmp_path / "qrels.txt").write_text("q1 0 d2 1\nq2 0 d3 1\n")
    return tmp_path
