"""What stands beside a run about the model that made it."""

from pathlib import Path

import pytest

from metrics.errors import InputError
from metrics.runs.sidecar import parameter_count, sidecar_of, sidecar_text


def test_what_a_ranker_writes_is_read_back(tmp_path: Path) -> None:
    run = tmp_path / "knrm.run"
    assert parameter_count(run) is None
    sidecar_of(run).write_text(sidecar_text(model="knrm", n_parameters=109_481_411))
    assert parameter_count(run) == 109_481_411


@pytest.mark.parametrize("content", ["", "[]", '{"n_parameters": "11"}', '{"n_parameters": -1}'])
def test_a_damaged_sidecar_is_an_error(tmp_path: Path, content: str) -> None:
    run = tmp_path / "knrm.run"
    sidecar_of(run).write_text(content)
    with pytest.raises(InputError):
        parameter_count(run)
