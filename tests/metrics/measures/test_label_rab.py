"""RaB by labels of passages: what leans to neither side counts, and what is not labelled does."""

from pathlib import Path

import numpy as np
import pytest

from metrics.errors import InputError
from metrics.measures import Inputs, get
from metrics.runs import Run
from metrics.runs.qrels import read_passage_labels
from metrics.runs.ranked import join

RUN = Run.from_dict({"q1": ["a", "b", "c", "d"], "q2": ["a"], "q3": ["a", "b"]}, "run")


def test_it_is_rab_of_the_sides_that_people_saw(tmp_path: Path) -> None:
    path = tmp_path / "labels.csv"
    path.write_text("qid,docno,label\nq1,a,m\nq1,b,both\nq1,c,f\nq1,d,M\nq2,a,f\nq2,z,n\n")
    passages = read_passage_labels(path)
    assert passages == {"q1": {"a": 1, "b": 0, "c": -1, "d": 1}, "q2": {"a": -1, "z": 0}}
    inputs = Inputs(join(RUN, None, 4), passages=passages)
    measure = get("LabelRaB").definition
    at_2, at_4 = measure.compute(inputs, [2, 4])
    # A list that is shorter than the cut-off is divided by its length; q3 has no label at all.
    np.testing.assert_array_equal(at_2.value, [1 / 2, -1, np.nan])
    np.testing.assert_array_equal(at_4.value, [1 / 4, -1, np.nan])


def test_another_label_is_refused_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "labels.txt"
    path.write_text("q1 0 a m\nq1 0 b male\n")
    with pytest.raises(InputError, match="'male'") as caught:
        read_passage_labels(path)
    assert caught.value.line == 2


def test_without_labels_it_says_so() -> None:
    with pytest.raises(InputError, match="passages"):
        get("LabelRaB@2").compute(Inputs(join(RUN, None, 2)))
