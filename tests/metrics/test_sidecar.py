"""What stands beside a run about the model that made it."""

from pathlib import Path

import pytest

from metrics.errors import InputError
from metrics.runs.sidecar import model_sizes, sidecar_of, sidecar_text


def test_what_a_ranker_writes_is_read_back(tmp_path: Path) -> None:
    run = tmp_path / "knrm.run"
    assert model_sizes(run) == {}
    # KNRM of 2020: eleven parameters beside the word vectors of GloVe.
    sizes = {"n_parameters": 109_481_411, "n_transferred": 109_481_400}
    sidecar_of(run).write_text(sidecar_text(model="knrm", sizes=sizes))
    assert model_sizes(run) == sizes


@pytest.mark.parametrize("content", ["", "[]", '{"n_parameters": "11"}', '{"n_transferred": -1}'])
def test_a_damaged_sidecar_is_an_error(tmp_path: Path, content: str) -> None:
    run = tmp_path / "knrm.run"
    sidecar_of(run).write_text(content)
    with pytest.raises(InputError):
        model_sizes(run)
