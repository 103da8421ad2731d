"""Categories that label words of other programs mean, where a word can mean only one."""

from ...vocabulary import CANNOT_TELL_IN_RELEASE, Category
from .options import Options

_WORDS: dict[str, tuple[str, ...]] = {
    Category.NON_GENDERED: (
        *("non-gendered", "nongendered", "non gendered", "not gendered", "no gender"),
        *("gender-neutral", "gender neutral", "genderless"),
    ),
    Category.FEMALE: ("female", "feminine"),
    Category.MALE: ("male", "masculine"),
    Category.OTHER: ("other or multiple genders", "multiple genders", "both genders"),
    CANNOT_TELL_IN_RELEASE: (
        *("i cannot tell", "cannot tell", "can't tell", "i can't tell"),
        *("i don't know", "don't know", "unsure", "not sure"),
    ),
}
_MEANING = {
    **{word: code for code, words in _WORDS.items() for word in words},
    **{category.label.casefold(): category.value for category in Category},
    **{code: str(code) for code in (*Category.values, CANNOT_TELL_IN_RELEASE)},
}


def suggested_category(word: str) -> str:
    """The code of the category that a label word means; "" where a person has to say it.

    Words such as "neutral", "women" or "0" are asked for: studies mean different things by them.
    """
    return str(_MEANING.get(" ".join(word.casefold().replace("_", " ").split()), ""))


def suggested_option(options: Options, word: str) -> str:
    """The code that a label word means among the options.

    A word for a category means an option that bears the category's code and label.
    """
    code = suggested_category(word)
    if code == CANNOT_TELL_IN_RELEASE:
        return options.cannot_tell
    is_option = code in options.codes and options.labels[code] == Category(code).label
    return code if is_option else ""
