"""Toy rankings computed by hand; the working stands beside each number.

The weights of the first four ranks are 1/log2(2) = 1, 1/log2(3) = 0.6309297536,
1/log2(4) = 0.5 and 1/log2(5) = 0.4306765581.
"""

import math

import numpy as np
import pytest

from metrics.errors import InputError
from metrics.measures import awrf, fairr, neutrality, nfairr, ted, texfair

W2 = 0.6309297535714575
W4 = 0.43067655807339306

# d1 "she her ..." (10 tokens), d2 no group word (5), d3 "he" (4), d4 "he she ..." (8)
FEMALE = [2, 0, 0, 1]
MALE = [0, 0, 1, 1]
TOKENS = [10, 5, 4, 8]


def test_neutrality_is_one_up_to_tau_and_falls_to_zero_for_one_sided_documents() -> None:
    # d1: 2 words of one group: 1 - |1 - 1/2| - |0 - 1/2| = 0. d2, d3: at most tau = 1 word.
    # d4: 1 - |1/2 - 1/2| - |1/2 - 1/2| = 1. 3 against 1: 1 - |3/4 - 1/2| - |1/4 - 1/2| = 1/2.
    assert neutrality(FEMALE, MALE).tolist() == [0, 1, 1, 1]
    assert neutrality([3], [1]).tolist() == [0.5]


def test_tau_zero_makes_a_single_word_one_sided() -> None:
    assert neutrality([0, 1], [0, 0], tau=0).tolist() == [1, 0]


def test_fairr_sums_neutrality_with_the_discount() -> None:
    # 0 * 1 + 1 * W2 + 1 * 0.5 + 1 * W4
    assert fairr(FEMALE, MALE, 4) == pytest.approx(W2 + 0.5 + W4)


def test_nfairr_divides_by_the_best_order_of_the_background() -> None:
    # The same four documents, the one-sided one last: 1 + W2 + 0.5 + 0 * W4.
    value = nfairr(FEMALE, MALE, 4, background=(FEMALE, MALE))

    assert value == pytest.approx((W2 + 0.5 + W4) / (1 + W2 + 0.5))


def test_nfairr_exceeds_one_where_the_run_is_more_neutral_than_the_background() -> None:
    # Two neutral documents against one neutral and one one-sided: (1 + W2) / 1.
    value = nfairr([0, 0], [0, 0], 2, background=([0, 5], [0, 0]))

    assert value == pytest.approx(1 + W2)


def test_nfairr_is_undefined_over_a_background_without_neutrality() -> None:
    assert math.isnan(nfairr([0], [0], 1, background=([5], [0])))


def test_awrf_compares_attention_with_the_target() -> None:
    # Alignments: d1 (1, 0), d2 none, d3 (0, 1), d4 (1/2, 1/2).
    # Attention: f = 1 + W4/2 = 1.2153, m = 0.5 + W4/2 = 0.7153; shares 0.62949, 0.37051.
    # absolute = 2 * 0.12949 = 0.25898; tv = 0.12949.
    f, m = 1 + W4 / 2, 0.5 + W4 / 2
    share = f / (f + m)

    assert share == pytest.approx(0.62949, abs=1e-5)
    assert awrf([FEMALE, MALE], 4) == pytest.approx(2 * (share - 0.5))
    assert awrf([FEMALE, MALE], 4, distance="tv") == pytest.approx(share - 0.5)


def test_awrf_by_divergence_is_in_bits() -> None:
    # One document, all female, equal target.
    # KL((1, 0) || (1/2, 1/2)) = 1 * log2(1 / 0.5) = 1 bit.
    # JS: the middle is (3/4, 1/4): KL((1,0) || M) = log2(4/3) = 0.415037;
    # KL((1/2,1/2) || M) = 0.5 log2(2/3) + 0.5 log2(2) = 0.207519; half the sum is 0.311278.
    assert awrf([[1], [0]], 1, distance="kl") == pytest.approx(1)
    assert awrf([[1], [0]], 1, distance="js") == pytest.approx(0.311278, abs=1e-6)


def test_awrf_of_an_excluded_group_is_infinitely_far_by_kl_alone() -> None:
    assert awrf([[1], [1]], 1, target=[1, 0], distance="kl") == math.inf
    assert awrf([[1], [1]], 1, target=[1, 0]) == pytest.approx(1)


def test_awrf_gives_the_attention_of_unaligned_documents_to_nobody_or_to_all() -> None:
    # d1 female, d2 without group words. uniform: f = 1 + W2/2, m = W2/2, total 1 + W2.
    assert awrf([[1, 0], [0, 0]], 2) == pytest.approx(1)
    assert awrf([[1, 0], [0, 0]], 2, unaligned="uniform") == pytest.approx(1 / (1 + W2))


def test_awrf_of_a_list_without_group_words_is_zero() -> None:
    assert awrf([[0, 0], [0, 0]], 2) == 0


def test_ted_is_the_distance_of_term_exposures_times_the_share_of_documents_with_terms() -> None:
    # TE_f = 2/10 * 1 + 1/8 * W4 = 0.2538345698; TE_m = 1/4 * 0.5 + 1/8 * W4 = 0.1788345698.
    # p_f = 0.2538345698 / 0.4326691395 = 0.5866713...; TED = 2 (p_f - 1/2) = 0.17334...
    # RBDF = (1 + 0.5 + W4) / (1 + W2 + 0.5 + W4) = 1.9306766 / 2.5616063 = 0.7536977.
    te_f, te_m = 0.2 + W4 / 8, 0.125 + W4 / 8
    plain = 2 * (te_f / (te_f + te_m) - 0.5)
    rbdf = (1 + 0.5 + W4) / (1 + W2 + 0.5 + W4)

    assert plain == pytest.approx(0.1733426, abs=1e-7)
    assert rbdf == pytest.approx(0.7536977, abs=1e-7)
    assert ted([FEMALE, MALE], TOKENS, 4, rbdf=False) == pytest.approx(plain)
    assert ted([FEMALE, MALE], TOKENS, 4) == pytest.approx(plain * rbdf)
    assert texfair([FEMALE, MALE], TOKENS, 4) == pytest.approx(1 - plain * rbdf)


def test_texfair_takes_any_number_of_groups_and_any_target() -> None:
    # One document with 3 words of group a, 1 of b, 0 of c: shares (3/4, 1/4, 0).
    # Target (1/2, 1/4, 1/4): TED = 1/4 + 0 + 1/4 = 1/2; max TED = 2 (1 - 1/4) = 3/2.
    groups, tokens, target = [[3], [1], [0]], [10], [0.5, 0.25, 0.25]

    assert ted(groups, tokens, 1, target=target) == pytest.approx(0.5)
    assert texfair(groups, tokens, 1, target=target) == pytest.approx(1.0)
    # Equal target: |3/4-1/3| + |1/4-1/3| + |0-1/3| = 5/6; max TED = 4/3; TExFAIR = 1/2.
    assert texfair(groups, tokens, 1) == pytest.approx(0.5)


def test_without_any_group_term_ted_is_zero_and_texfair_greatest() -> None:
    assert ted([[0, 0], [0, 0]], [5, 5], 2) == 0
    assert texfair([[0, 0], [0, 0]], [5, 5], 2) == 1


def test_the_rank_biased_document_frequency_lifts_lists_with_few_group_words() -> None:
    # One female document at rank 2 of 2: TED = 1, RBDF = W2 / (1 + W2).
    assert texfair([[0, 1], [0, 0]], [5, 5], 2, rbdf=False) == pytest.approx(0)
    assert texfair([[0, 1], [0, 0]], [5, 5], 2) == pytest.approx(1 - W2 / (1 + W2))


def test_texfair_tells_apart_what_nfairr_cannot() -> None:
    # The argument of figure 1 of the TExFAIR paper: every document is wholly of one group. One
    # list is female but for the last document, the other alternates. No document is neutral, so
    # that NFaiRR over a background with neutral documents is 0 for both.
    lopsided_f, lopsided_m = [5, 5, 5, 0], [0, 0, 0, 5]
    balanced_f, balanced_m = [5, 0, 0, 5], [0, 5, 5, 0]
    tokens = [20] * 4
    neutral_background = ([0] * 4, [0] * 4)

    for female, male in ((lopsided_f, lopsided_m), (balanced_f, balanced_m)):
        assert nfairr(female, male, 4, background=neutral_background) == 0
    # All documents have terms, so RBDF = 1. Exposures: lopsided f = 1 + W2 + 0.5, m = W4;
    # balanced f = 1 + W4, m = W2 + 0.5.
    total = 1 + W2 + 0.5 + W4
    lopsided = texfair([lopsided_f, lopsided_m], tokens, 4)
    balanced = texfair([balanced_f, balanced_m], tokens, 4)
    assert lopsided == pytest.approx(1 - (1 + W2 + 0.5 - W4) / total)
    assert balanced == pytest.approx(1 - (1 + W4 - W2 - 0.5) / total)
    assert balanced > 0.8
    assert lopsided < 0.4


def test_a_document_that_does_not_count_leaves_the_ranks_of_the_others() -> None:
    present = [True, False, True]

    assert fairr([0, 9, 0], [0, 0, 0], 3, present) == pytest.approx(1 + 0.5)
    # Of the two documents that count, the one at rank 3 has a female word: RBDF = 0.5 / 1.5.
    assert texfair([[0, 9, 1], [0, 0, 0]], [5, 5, 5], 3, present=present) == pytest.approx(
        1 - 0.5 / 1.5
    )


def test_a_query_without_documents_is_undefined() -> None:
    nothing = np.zeros((1, 3))
    absent = np.zeros((1, 3), dtype=bool)

    values = [
        fairr(nothing, nothing, 3, absent),
        nfairr(nothing, nothing, 3, background=(nothing, nothing), present=absent),
        awrf([nothing, nothing], 3, present=absent),
        texfair([nothing, nothing], nothing, 3, present=absent),
    ]

    assert np.isnan(values).all()


def test_an_empty_document_exposes_nothing() -> None:
    assert texfair([[0, 1], [0, 0]], [0, 5], 1) == 1


@pytest.mark.parametrize("target", [[0.5, 0.6], [0.5], [-0.5, 1.5]])
def test_a_target_that_is_no_distribution_is_refused(target: list[float]) -> None:
    with pytest.raises(InputError, match=r"\b2\b"):
        texfair([[1], [0]], [5], 1, target=target)


def test_an_unknown_distance_is_refused_with_those_there_are() -> None:
    with pytest.raises(InputError, match="absolute, tv, js, kl"):
        awrf([[1], [0]], 1, distance="cosine")
