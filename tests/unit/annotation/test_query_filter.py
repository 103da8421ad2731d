"""What an address may ask of a list of queries."""

from annotation.batches.queries.queries import QueryFilter
from annotation.core.parameters import usable_parameters


def test_each_value_that_means_something_is_taken() -> None:
    asked = {"label": "tie", "pattern": "2-1", "first": "f", "second": "m", "worker": "7"}

    wanted = usable_parameters(QueryFilter, {**asked, "text": " film "})

    assert wanted == QueryFilter(**asked, text="film")


def test_a_value_that_means_nothing_asks_for_nothing_and_leaves_the_others() -> None:
    wanted = usable_parameters(
        QueryFilter,
        {
            "label": "nonsense",
            "pattern": "2-1; drop",
            "first": "",
            "worker": "\u0663",
            "text": "a\0b",
            "page": "2",
            "second": "n",
        },
    )

    assert wanted == QueryFilter(second="n")
