"""The regulariser: equation 3 by hand, its pairs, and what alpha 0 is."""

from itertools import starmap

import pytest
import torch
from torch import nn

from metrics.errors import InputError
from rankers.grepbias import Alpha, Pair
from rankers.neural.grepbias import train_linear
from rankers.neural.grepbias_batches import Settings, batches
from rankers.neural.penalty import pair_weights, penalty, sample_pairs

GENDERS = ["M", "F", "N", "M", "both", "F", "N", "M"]


def pairs_of(n: int) -> list[Pair]:
    genders = ("M", "F", "N")
    return [
        Pair("Career", f"q{i // 6}", f"d{i}", genders[i % 3], i % 6 < 3, "q", "t")  # type: ignore[arg-type]
        for i in range(n)
    ]


def test_equation_3_on_four_documents() -> None:
    genders = ["M", "F", "N", "F"]
    logits = torch.tensor([[2.0], [1.0], [0.5], [-1.0]])
    pairs = [(0, 1), (2, 3)]  # male with female, neutral with female

    weights = torch.tensor(pair_weights(genders, pairs, Alpha(mf=1.0, mn=0.5, fn=2.0)))

    # (1 x (2 - 1)^2 + 2 x (.5 + 1)^2) / 2
    assert penalty(logits, pairs, weights.unsqueeze(1)).tolist() == [2.75]


def test_a_batch_without_pairs_is_not_penalised() -> None:
    assert penalty(torch.ones(2, 3), [], torch.empty(0, 3)).tolist() == [0, 0, 0]


@pytest.mark.parametrize("seed", range(5))
def test_pairs_have_different_genders_and_use_no_document_twice(seed: int) -> None:
    pairs = sample_pairs(GENDERS, torch.Generator().manual_seed(seed))

    places = [place for pair in pairs for place in pair]
    assert len(places) == len(set(places)) >= 4
    assert all(
        GENDERS[i] != GENDERS[j] and "both" not in (GENDERS[i], GENDERS[j]) for i, j in pairs
    )


def test_other_seeds_draw_other_pairs() -> None:
    drawn = {tuple(sample_pairs(GENDERS, torch.Generator().manual_seed(seed))) for seed in range(9)}
    assert len(drawn) > 1


def test_matched_pairs_are_wordings_of_one_document() -> None:
    pairs = pairs_of(24)
    groups = [(pair.query, pair.relevant) for pair in pairs]
    drawn = sample_pairs([p.gender for p in pairs], torch.Generator().manual_seed(1), groups)

    assert drawn
    assert all(starmap(lambda i, j: groups[i] == groups[j], drawn))


def test_batches_with_matched_pairs_keep_the_wordings_together() -> None:
    pairs = pairs_of(24)
    settings = Settings(learning_rate=1, epochs=1, batch_size=6, matched_pairs=True)

    for batch in batches(pairs, settings):
        keys = [(pairs[place].query, pairs[place].relevant) for place in batch]
        assert all(keys.count(key) == 3 for key in keys)


def plain_training(features: torch.Tensor, pairs: list[Pair], settings: Settings) -> torch.Tensor:
    """The loop without any penalty, written out."""
    torch.manual_seed(settings.seed)
    layer = nn.Linear(features.shape[1], 1)
    optimizer = torch.optim.AdamW(layer.parameters(), lr=settings.learning_rate)
    for places in batches(pairs, settings):
        logits = (features[places] @ layer.weight.T + layer.bias).squeeze(1)
        labels = torch.tensor([float(pairs[place].relevant) for place in places])
        loss = nn.functional.binary_cross_entropy_with_logits(logits, labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return layer.weight.detach()


def test_alpha_0_is_plain_training_bit_by_bit() -> None:
    pairs = pairs_of(48)
    features = torch.randn(48, 16, generator=torch.Generator().manual_seed(0))
    settings = Settings(learning_rate=1e-2, epochs=4, seed=7)

    layer, _ = train_linear(features, pairs, [Alpha()], settings)

    assert torch.equal(layer, plain_training(features, pairs, settings))


def test_weightings_that_are_trained_together_are_trained_as_if_alone() -> None:
    pairs = pairs_of(48)
    features = torch.randn(48, 16, generator=torch.Generator().manual_seed(0))
    settings = Settings(learning_rate=1e-2, epochs=4, seed=7)
    alphas = [Alpha(), Alpha(0.5, 0.25, 1), Alpha(2, 2, 2)]

    together, _ = train_linear(features, pairs, alphas, settings)

    for row, alpha in zip(together, alphas, strict=True):
        alone, _ = train_linear(features, pairs, [alpha], settings)
        torch.testing.assert_close(row, alone[0], rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize(("alpha", "bound"), [(0.25, 0.401), (2.0, 0.061)])
def test_the_penalty_bounds_the_logits_that_tell_relevant_from_irrelevant(
    alpha: float, bound: float
) -> None:
    pairs = pairs_of(96)
    features = torch.tensor([[1.0 if pair.relevant else -1.0] for pair in pairs])
    settings = Settings(learning_rate=1e-2, epochs=400, batch_size=96)

    layer, _ = train_linear(features, pairs, [Alpha(alpha, alpha, alpha)], settings)

    # Half of the sampled pairs differ in relevance, by 2 z: the loss log(1 + e^-z) + 2 alpha z^2
    # is smallest where 1 / (1 + e^z) = 4 alpha z.
    assert float(layer) == pytest.approx(bound, rel=0.25)


@pytest.mark.parametrize("rate", [0.0, -1.0, float("nan")])
def test_settings_that_cannot_train_are_refused(rate: float) -> None:
    with pytest.raises(InputError):
        Settings(learning_rate=rate, epochs=1)


def test_a_loss_that_is_no_number_stops_the_training() -> None:
    pairs = pairs_of(12)
    with pytest.raises(InputError):
        train_linear(torch.full((12, 2), float("nan")), pairs, [Alpha()], Settings(1e-3, epochs=1))
