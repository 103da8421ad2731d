"""What docs/rankers.md says of the released runs of BERT and AdvBERT."""

from pathlib import Path

import numpy as np
import pytest

from measurements.every_system import DL19, Measuring, System, figure_of
from metrics.statistics.significance import permutation_test
from metrics.texts.collection import read_collection
from metrics.texts.in_memory import MagnitudesInMemory

pytestmark = pytest.mark.shared_data


@pytest.fixture(scope="module")
def systems(shared_data: Path) -> dict[str, System]:
    del shared_data  # it skips where there is none
    measuring = Measuring(MagnitudesInMemory(read_collection(DL19 / "collection.tsv")))
    return {
        name: measuring.system("BERT", name, [DL19 / "runs_fair" / f"{name}.run"])
        for name in ("bert_L2", "advbert_L2")
    }


@pytest.mark.long
def test_advbert_has_less_bias_than_bert_at_a_cost(systems: dict[str, System]) -> None:
    bert, adversarial = systems.values()

    assert [round(one.bias[0].mean(), 4) for one in (bert, adversarial)] == [0.0467, 0.0173]
    assert [round(one.ndcg[0].mean(), 4) for one in (bert, adversarial)] == [0.6835, 0.6455]
    tests = [permutation_test(adversarial.ndcg[0], bert.ndcg[0])]
    tests.append(permutation_test(adversarial.bias[0], bert.bias[0]))
    assert [test and round(test, 3) for test in tests] == [0.017, 0.004]
    assert int((bert.bias[0] != adversarial.bias[0]).sum()) == 9


@pytest.mark.long
def test_re_ranking_takes_more_and_costs_less(systems: dict[str, System]) -> None:
    row = systems["bert_L2"].row()

    assert (row["nDCG_balanced"], row["abs_ARaB_balanced"]) == ("0.6709", "0.0000")
    assert row["p_of_nDCG"] == "0.19"


def test_each_system_is_drawn_with_what_it_is_once_balanced(systems: dict[str, System]) -> None:
    [axes] = figure_of(list(systems.values())).axes

    assert [text.get_text() for text in axes.texts] == list(systems)
    drawn = np.asarray(axes.lines[0].get_xdata())
    assert drawn.tolist() == [values.mean() for values in systems["bert_L2"].bias]
