"""The network of docs/recipes.md scores, in a file as it is printed."""

from pathlib import Path
from typing import Any

import torch

from rankers.neural.inputs import TokenVectors
from tests.package.pages import blocks

PAGE = Path(__file__).resolve().parents[3] / "docs" / "recipes.md"


def test_the_network_of_the_recipe_scores_the_mean_cosine() -> None:
    names: dict[str, Any] = {}
    [code] = [block.code for block in blocks(PAGE) if "nn.Module)" in block.code]
    exec(code, names)  # noqa: S102 - our own documentation
    network = names["MeanCosine"](2)
    network.output.weight.data.fill_(3)
    query, document = torch.eye(2).unsqueeze(0), torch.tensor([[[2.0, 0.0]]])
    ones = torch.ones(1, 2)

    score = network(TokenVectors(query, document, ones, ones[:, :1], ones))

    # The cosines are 1 and 0.
    assert score.tolist() == [1.5]
