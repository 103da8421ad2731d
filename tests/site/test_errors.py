from metrics.errors import InputError


def test_an_input_error_says_where_what_and_what_to_do() -> None:
    error = InputError("expected 6 columns, found 5.", path="a.run", line=3, remedy="Add the tag.")

    assert str(error) == "a.run:3: expected 6 columns, found 5. Add the tag."


def test_without_a_place_it_is_the_message_alone() -> None:
    assert str(InputError("No queries.")) == "No queries."
