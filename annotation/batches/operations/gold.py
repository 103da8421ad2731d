"""Gold questions: known answers, as a batch stores them."""

from annotation.schemes import KNOWN_ANSWERS, Scheme, known_answers, known_text
from metrics.errors import InputError

#: Characters of the known answers to a scheme.
LONGEST = 2_000


def known_answer(qid: str, label: str, scheme: Scheme) -> str:
    """Read known answers from `label`, as they are stored.

    `InputError` for others, with the query and what is possible.
    """
    try:
        return _stored(label, scheme)
    except InputError as error:
        only = scheme.questions[0].codes if len(scheme.questions) == 1 else ()
        may_be = f"one of {', '.join(only)}" if only else KNOWN_ANSWERS
        raise InputError(
            f"nothing is known about the query {qid!r}: {error.message}",
            remedy=f"The label is {may_be}.",
        ) from None


def _stored(label: str, scheme: Scheme) -> str:
    known = known_text(scheme, known_answers(scheme, label))
    if len(known) > LONGEST:
        raise InputError(f"that is longer than {LONGEST:,} characters.")
    return known
