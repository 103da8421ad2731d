"""A run of ranx, measured."""

from types import ModuleType

import pytest

from .conftest import SCORES, TEXTS


@pytest.mark.long
def test_a_run_of_ranx_goes_through_its_frame_or_dictionary(fairpool: ModuleType) -> None:
    ranx = pytest.importorskip("ranx")
    run = ranx.Run(SCORES["A"], name="A")

    of_frame = fairpool.evaluate({"A": run.to_dataframe()}, ["RaB@2"], TEXTS)
    of_dict = fairpool.evaluate({"A": run.to_dict()}, ["RaB@2"], TEXTS)

    expected = fairpool.evaluate({"A": SCORES["A"]}, ["RaB@2"], TEXTS)
    assert of_frame.equals(expected)
    assert of_dict.equals(expected)
