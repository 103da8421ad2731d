"""The subset that a scheme has until somebody says another: the first answer to a question."""

from collections.abc import Sequence

from annotation.schemes.scheme import About, Question, Subset

#: Characters of the words of a subset.
LONGEST_WORDS = 120


def usual_subset(questions: Sequence[Question], about: About) -> Subset | None:
    """The queries with the first answer to the first question with options; None without one.

    A report measures any other answer where that is chosen for it.
    """
    closed = next(
        (question for question in questions if question.kind.has_options and question.options), None
    )
    if closed is None:
        return None
    first = closed.options[0]
    words = subset_words([first.label or first.code], about, are_points=closed.kind.has_points)
    if closed.kind.has_points and first.code.isdecimal():
        return Subset(words=words, question=closed.name, at_most=int(first.code))
    return Subset(words=words, question=closed.name, any_of=(first.code,))


def subset_words(labels: Sequence[str], about: About, *, are_points: bool) -> str:
    """Words for the queries or passages with one of these labels, as `queries labelled Yes`."""
    items = "passages" if about == About.PASSAGE else "queries"
    words = f"{items} {'rated' if are_points else 'labelled'} {' or '.join(labels)}"
    return words if len(words) <= LONGEST_WORDS else f"{words[: LONGEST_WORDS - 1]}…"
