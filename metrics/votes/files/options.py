"""The options of a question, as readers of files need them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from ...io.lines import one_line
from ...io.option_words import codes_by_word
from ...vocabulary import (
    CANNOT_TELL,
    CANNOT_TELL_IN_RELEASE,
    CATEGORIES,
    CATEGORY_QUESTION,
    Category,
)


@dataclass(frozen=True, kw_only=True)
class Options:
    """The answers to a question with options: their `codes` in order, and what files call them.

    `labels` are the words for the codes that have any, `grades` the whole numbers for them where
    they are grades, and `cannot_tell` is the code of "I cannot tell" in files.
    """

    codes: tuple[str, ...]
    labels: Mapping[str, str] = field(default_factory=dict)
    grades: Mapping[str, int] = field(default_factory=dict)
    cannot_tell: str = CANNOT_TELL
    #: What errors call the question.
    name: str = ""

    @property
    def answers(self) -> tuple[str, ...]:
        """All codes that an answer may have: "I cannot tell" is the last."""
        return (*self.codes, self.cannot_tell)

    def code_named(self, word: str) -> str | None:
        """The code of the option that a file calls `word`: by its code or label, in any case.

        >>> Options(codes=("f", "F"), labels={"f": "Female"}).code_named("FEMALE")
        'f'
        """
        line = one_line(word)
        return self._by_word.get(line) or self._by_word.get(line.casefold())

    @cached_property
    def _by_word(self) -> Mapping[str, str]:
        return codes_by_word({code: self.labels.get(code, "") for code in self.codes})


#: Those of the four categories, as the released files have them.
CATEGORY_OPTIONS = Options(
    codes=CATEGORIES,
    labels={category.value: category.label for category in Category},
    cannot_tell=CANNOT_TELL_IN_RELEASE,
    name=CATEGORY_QUESTION,
)
