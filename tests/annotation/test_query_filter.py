"""What an address may ask of a list of queries."""

from typing import Any

import pytest

from annotation.batches.queries.queries import QueryFilter
from annotation.core.parameters import ParametersError, read_parameters


def test_each_value_that_means_something_is_taken() -> None:
    asked: dict[str, Any] = {
        "label": "tie",
        "pattern": "2-1",
        "first": "f",
        "second": "m",
        "worker": "7",
    }

    wanted = read_parameters(QueryFilter, {**asked, "text": " film "})

    assert wanted == QueryFilter(**asked, text="film")


@pytest.mark.parametrize(
    "sent",
    [{"label": "n" * 41}, {"pattern": "2-1; drop"}, {"worker": "\u0663"}, {"text": "a\0b"}],
)
def test_a_value_that_means_nothing_is_refused(sent: dict[str, str]) -> None:
    with pytest.raises(ParametersError):
        read_parameters(QueryFilter, sent)
