"""The four networks: sizes of the study, values of their definitions, gradients."""

import numpy as np
import pytest
import torch
import transformers

from rankers.neural.inputs import TokenVectors
from rankers.neural.pretrained import count_parameters
from rankers.neural.registry import NETWORKS
from rankers.neural.word_model import WordModel
from tests.rankers.neural.networks_by_definition import DEFINITIONS

GLOVE_WORDS, GLOVE_DIMENSIONS = 364_938, 300


@pytest.mark.parametrize(
    ("name", "total"),
    [
        ("knrm", 109_481_411),
        ("matchpyramid", 109_539_960),
        ("pacrr", 109_875_938),
        ("convknrm", 110_022_399),
    ],
)
def test_a_network_has_the_parameters_of_the_studys_table_1(name: str, total: int) -> None:
    with torch.device("meta"):
        model = WordModel(name, GLOVE_WORDS, GLOVE_DIMENSIONS)

    assert count_parameters(model)["total"] == total


@pytest.mark.parametrize(
    ("hidden", "layers", "heads", "total"),
    [(768, 12, 12, 109_483_778), (1024, 24, 16, 335_143_938)],
)
def test_bert_with_two_labels_has_the_published_parameters(
    hidden: int, layers: int, heads: int, total: int
) -> None:
    config = transformers.BertConfig(
        hidden_size=hidden,
        num_hidden_layers=layers,
        num_attention_heads=heads,
        intermediate_size=4 * hidden,
        num_labels=2,
    )
    with torch.device("meta"):
        model = transformers.BertForSequenceClassification(config)

    assert count_parameters(model)["total"] == total


def inputs_of(
    lengths: tuple[int, int], sizes: tuple[int, int], dimensions: int, seed: int = 0
) -> TokenVectors:
    """One pair of random vectors, zero behind its `lengths`, in double precision."""
    generator = torch.Generator().manual_seed(seed)
    vectors, masks = [], []
    for length, size in zip(lengths, sizes, strict=True):
        one = torch.randn(1, size, dimensions, generator=generator, dtype=torch.float64)
        mask = (torch.arange(size) < length).double().unsqueeze(0)
        vectors.append(one * mask.unsqueeze(2))
        masks.append(mask)
    idf = torch.rand(1, sizes[0], generator=generator, dtype=torch.float64)
    return TokenVectors(vectors[0], vectors[1], masks[0], masks[1], idf)


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize("name", NETWORKS)
def test_a_forward_pass_equals_the_definition(name: str, seed: int) -> None:
    torch.manual_seed(seed)
    network = NETWORKS[name](6).double()
    inputs = inputs_of((4, 17), (30, 24), 6, seed)
    weights = {key: value.numpy() for key, value in network.state_dict().items()}

    with torch.no_grad():
        score = float(network(inputs))

    expected = DEFINITIONS[name](
        weights,
        inputs.query[0].numpy(),
        inputs.document[0].numpy(),
        4,
        17,
        inputs.query_idf[0].numpy(),
    )
    assert score == pytest.approx(expected, abs=1e-5, rel=1e-6)


@pytest.mark.parametrize("name", NETWORKS)
def test_the_gradients_are_those_of_finite_differences(name: str) -> None:
    torch.manual_seed(3)
    network = NETWORKS[name](2).double()
    given = inputs_of((2, 8), (30, 8) if network.fixed_lengths else (2, 8), 2)
    document = given.document.clone().requires_grad_()

    def score(vectors: torch.Tensor) -> torch.Tensor:
        one = TokenVectors(
            given.query, vectors, given.query_mask, given.document_mask, given.query_idf
        )
        result: torch.Tensor = network(one)
        return result

    assert torch.autograd.gradcheck(score, (document,), eps=1e-7, atol=1e-5)


def test_padding_changes_no_score_of_the_kernel_networks() -> None:
    torch.manual_seed(0)
    for name in ("knrm", "convknrm"):
        network = NETWORKS[name](4).double()
        short, long = inputs_of((3, 5), (3, 5), 4), inputs_of((3, 5), (3, 5), 4)
        padding = torch.zeros(1, 6, 4, dtype=torch.float64)
        long = TokenVectors(
            long.query,
            torch.cat([long.document, padding], dim=1),
            long.query_mask,
            torch.cat([long.document_mask, padding[..., 0]], dim=1),
            long.query_idf,
        )
        np.testing.assert_allclose(
            network(short).detach().numpy(), network(long).detach().numpy(), rtol=1e-9
        )


@pytest.mark.parametrize("name", NETWORKS)
def test_a_pair_has_the_score_that_it_has_alone_beside_longer_ones(name: str) -> None:
    torch.manual_seed(4)
    network = NETWORKS[name](4).double()
    pairs = [inputs_of(lengths, (30, 40), 4) for lengths in ((1, 2), (30, 40), (6, 21))]
    together = TokenVectors(
        *(torch.cat([getattr(one, field) for one in pairs]) for field in vars(pairs[0]))
    )

    with torch.no_grad():
        alone = [float(network(one)) for one in pairs]
        np.testing.assert_allclose(network(together).numpy(), alone, rtol=1e-9)
