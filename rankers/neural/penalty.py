"""The regulariser of Sundararaman & Subramanian 2022 (equations 3 and 4)."""

from collections.abc import Sequence

import torch
from torch import Tensor

from rankers.grepbias import Alpha

PairIndex = list[tuple[int, int]]


def sample_pairs(
    genders: Sequence[str], generator: torch.Generator, groups: Sequence[object] | None = None
) -> PairIndex:
    """Pairs of places whose documents have different genders of M, F, N, each place at most once.

    The places are shuffled; each one is paired with the next free one of another gender. With
    `groups` (the query and relevance of each place) both must belong to the same group: the
    matched pairs that differ in their wording only, an extension of the paper.
    """
    order = torch.randperm(len(genders), generator=generator).tolist()
    free = [place for place in order if genders[place] in {"M", "F", "N"}]
    pairs = []
    while free:
        first = free.pop(0)
        for place in free:
            same_group = groups is None or groups[first] == groups[place]
            if genders[first] != genders[place] and same_group:
                free.remove(place)
                pairs.append((first, place))
                break
    return pairs


def pair_weights(genders: Sequence[str], pairs: PairIndex, alpha: Alpha) -> list[float]:
    """alpha(g, g') of each pair."""
    weight = {
        frozenset("MF"): alpha.mf,
        frozenset("MN"): alpha.mn,
        frozenset("FN"): alpha.fn,
    }
    return [weight[frozenset((genders[i], genders[j]))] for i, j in pairs]


def penalty(logits: Tensor, pairs: PairIndex, weights: Tensor) -> Tensor:
    """R = (1 / N) sum over the N pairs of alpha(g, g') (z - z')^2; 0 without a pair.

    `logits` (B, G) and `weights` (N, G) hold G models beside one another; the result is (G,).
    """
    if not pairs:
        return logits.new_zeros(logits.shape[1])
    first, second = (torch.tensor(places) for places in zip(*pairs, strict=True))
    return (weights * (logits[first] - logits[second]) ** 2).mean(dim=0)
