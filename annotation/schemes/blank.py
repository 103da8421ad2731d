"""The scheme of a draft whose questions are still to be written."""

from dataclasses import replace

from annotation.schemes.kinds.single import SINGLE
from annotation.schemes.scheme import About, Option, Question, Scheme, Subset

#: Its name.
BLANK = "blank"
_BLANK = Scheme(
    name=BLANK,
    title="Questions about search results",
    questions=(
        Question(
            name="question",
            text="A question that is still to be written",
            kind=SINGLE,
            options=(
                Option(code="1", label="One answer"),
                Option(code="2", label="Another answer"),
            ),
        ),
    ),
    subset=Subset(words="queries with one answer", question="question", any_of=("1",)),
)


def blank_scheme(about: About) -> Scheme:
    """The scheme that a batch has until somebody writes its questions; it cannot be published."""
    return replace(_BLANK, about=about)


def is_blank(scheme: Scheme) -> bool:
    return scheme == blank_scheme(scheme.about)
