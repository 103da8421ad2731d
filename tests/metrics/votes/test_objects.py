"""Ways to decide as objects, against the functions that they call."""

import pandas as pd
import pytest

import metrics
from metrics.errors import InputError

from .test_public_votes import drawn


@pytest.mark.parametrize(
    ("maker", "method"),
    [(metrics.Majority, "majority"), (metrics.DawidSkene, "dawid_skene"), (metrics.MACE, "mace")],
)
def test_an_object_decides_as_the_function_does(maker: type, method: str) -> None:
    frame = drawn(40)
    decided = maker().fit_predict(frame)
    table = metrics.decide(frame, method)
    assert decided.index.tolist() == table.item.tolist()
    assert decided.fillna("").tolist() == table.decided.fillna("").tolist()
    fitted = maker().fit(frame)
    assert fitted.decisions_.state.tolist() == table.state.tolist()


def test_models_give_probabilities_by_item() -> None:
    frame = drawn(40)
    of_options = metrics.DawidSkene().fit_predict_proba(frame)
    assert list(of_options.columns) == ["a", "b", "c"]
    assert of_options.sum(axis=1).tolist() == pytest.approx([1] * 40)
    sure = metrics.decide(frame, "dawid_skene").confidence
    assert of_options.max(axis=1).tolist() == pytest.approx(sure.tolist())
    assert not hasattr(metrics.Majority(), "fit_predict_proba")
    with pytest.raises(InputError, match="majority gives no probabilities"):
        metrics.decide(frame, "majority", probabilities=True)


def test_arguments_of_the_function_are_those_of_the_objects() -> None:
    tie = pd.DataFrame({"item": [1] * 5, "worker": [*"abcde"], "value": [*"xxyzw"]})
    assert metrics.Majority().fit_predict(tie).tolist() == ["x"]
    assert metrics.Majority(strict=True).fit_predict(tie).isna().all()
    numbers = pd.DataFrame({"thing": [1] * 3, "worker": [*"abc"], "value": [1, 2, 10]})
    assert metrics.Median().fit_predict(numbers, item="thing").tolist() == ["2"]
    known = {0: "a", 1: "b"}
    weighted = metrics.GoldWeighted(known).fit(drawn(40))
    assert set(weighted.decisions_.method) == {"gold_weighted"}
    several = pd.concat([drawn(5).assign(q="x"), drawn(5).assign(q="y")])
    assert metrics.Majority().fit_predict(several, question="q").index.names == ["question", "item"]
