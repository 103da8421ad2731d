from metrics import vocabulary
from metrics.texts.magnitude import MAGNITUDES


def test_the_names_of_the_options_are_those_of_what_computes() -> None:
    assert tuple(MAGNITUDES) == vocabulary.MAGNITUDE_NAMES


def test_the_categories_have_the_codes_of_the_released_data_set() -> None:
    assert vocabulary.CATEGORIES == ("n", "f", "m", "o")
    assert vocabulary.Category("o").label == "Other or multiple genders"
