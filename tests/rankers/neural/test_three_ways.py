"""What docs/rankers.md says of three ways of debiasing, on one category and seed."""

from pathlib import Path

import pytest
import torch

from measurements.neural.three_ways import Trial, inside
from rankers.grepbias import read_pairs
from rankers.neural.grepbias_features import bi_encoder_vectors
from rankers.neural.model_folder import load_model


@pytest.mark.long
@pytest.mark.shared_data
def test_an_eraser_takes_gender_that_an_adversary_leaves(
    encoder_folder: Path, shared_data: Path
) -> None:
    pairs = read_pairs(shared_data / "grepbias")
    queries, documents = bi_encoder_vectors(
        load_model(str(encoder_folder), torch.device("cpu")), pairs
    )

    found = dict(Trial(pairs, queries, documents, "Career").rows(seed=0))

    base, eraser = found["base"], found["eraser, 16 directions"]
    assert base["AUC"] > 0.85  # it has learned relevance
    assert eraser["gap"] < base["gap"]
    assert eraser["AUC"] > base["AUC"] - 0.02
    assert eraser["male or female read"] < 0.6
    assert found["adversary, factor 1"]["gendered read"] > eraser["gendered read"]
    # Inside the held-out category more is read than an adversary of the others reads, and not all
    # of it goes.
    before, after = inside(pairs, documents, "Career", seed=0)
    assert before is not None
    assert after is not None
    assert before > after > eraser["male or female read"]
