"""What goes to other processes: joblib and pools pickle it."""

import pickle
from pathlib import Path
from typing import Any

import pytest

from metrics import Run, evaluate, load_magnitudes, open_magnitudes, score_collection

TEXTS = {"d1": "He saw his father.", "d2": "She left.", "d3": "A road."}
RUN = {"q1": {"d1": 2.0, "d2": 1.0}}


def again(value: Any) -> Any:
    return pickle.loads(pickle.dumps(value))  # noqa: S301 - it is ours


def test_a_scored_collection_is_what_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = "".join(f"{docno}\t{text}\n" for docno, text in TEXTS.items())
    (tmp_path / "c.tsv").write_text(lines)
    monkeypatch.chdir(tmp_path)
    score_collection("c.tsv", "m.parquet")
    of_file, in_memory = open_magnitudes("m.parquet"), load_magnitudes(TEXTS)
    in_memory.kept("key", object)
    pickled = pickle.dumps(of_file)
    monkeypatch.chdir(tmp_path.parent)  # as another process may stand elsewhere

    for scored in (pickle.loads(pickled), again(in_memory)):  # noqa: S301 - they are ours
        assert scored.metadata.n_documents == len(TEXTS)
        assert scored.docnos == list(TEXTS)
        assert scored.find(["d2", "d9"]).tolist() == [1, -1]
        assert scored["d1"]["m_tc"] == 3
        assert scored.kept("key", lambda: 7) == 7
        assert scored.digest()
        assert evaluate(RUN, "RaB@2", scored)["value"].tolist() == pytest.approx([0.693], abs=1e-3)


def test_a_pickled_file_is_its_path_alone(tmp_path: Path) -> None:
    (tmp_path / "c.tsv").write_text("".join(f"d{i}\tHe left.\n" for i in range(1_000)))
    score_collection(tmp_path / "c.tsv", tmp_path / "m.parquet")
    scored = open_magnitudes(tmp_path / "m.parquet")
    scored.find(["d1"])
    scored.magnitude("tf", "f")

    assert len(pickle.dumps(scored)) < 2_000


def test_a_run_is_what_it_was() -> None:
    assert again(Run.from_dict(RUN)).to_dict() == RUN
