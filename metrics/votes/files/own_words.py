"""Answers in words of their own: the options of a question are what its files say."""

from collections.abc import Iterable, Mapping

from ...io.lines import one_line
from ...vocabulary import CANNOT_TELL, CANNOT_TELL_IN_RELEASE
from .answers import Answer, is_missing, says_several
from .meanings import suggested_category


def words_in(answers: Iterable[Answer]) -> list[str]:
    """The different answers, known ones of gold questions among them, in their order."""
    words = (word.strip() for answer in answers for word in (answer.answer, answer.gold))
    return [*dict.fromkeys(word for word in words if word)]


def option_words(answers: Iterable[Answer], labels: Mapping[str, str]) -> dict[str, str]:
    """The option that each word of `answers` means: the first word that says the same.

    Words that differ in capitals or blanks alone say the same. `labels` has the option of a word,
    "" to leave it out. "I cannot tell" is `CANNOT_TELL`. Words for a missing answer and several
    answers in one are not options, and not in it, unless `labels` has them.
    """
    first: dict[str, str] = {}
    meant: dict[str, str] = {}
    for word in words_in(answers):
        if word not in labels and (is_missing(word) or says_several(word)):
            continue
        option = labels.get(word, word)
        if is_cannot_tell(option):
            meant[word] = CANNOT_TELL
        else:
            meant[word] = option and first.setdefault(spelling_key(option), option)
    return meant


def is_cannot_tell(word: str) -> bool:
    """Return whether a word means "I cannot tell"."""
    return word == CANNOT_TELL or suggested_category(word) == CANNOT_TELL_IN_RELEASE


def spelling_key(word: str) -> str:
    """A text that words have in common which differ in capitals or blanks alone."""
    return one_line(word).casefold()
