"""Gold questions: what is known about a query, as a batch stores it."""

from annotation.schemes import KNOWN_ANSWERS, Scheme, known_answers, known_text
from annotation.vocabulary import Category
from metrics.errors import InputError

#: Characters of the known answers to a scheme.
LONGEST = 2_000


def known_answer(label: str, scheme: Scheme | None) -> str:
    """`label` as it is stored: a category of the paper, or the known answers to `scheme`.

    `InputError` for anything else, with what it may be.
    """
    if scheme is None:
        if label in Category.values:
            return label
        raise InputError(f"{label!r} is no category.", remedy=f"Use {', '.join(Category)}.")
    try:
        known = known_text(scheme, known_answers(scheme, label))
    except InputError as error:
        raise InputError(error.message, remedy=f"{error.remedy} Write {KNOWN_ANSWERS}.") from None
    if len(known) > LONGEST:
        raise InputError(f"its known answers are longer than {LONGEST:,} characters.")
    return known
