"""A question whose options are the answers of files of votes, in their own words."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace

from annotation.schemes import CANNOT_TELL, About, Option, Question, Scheme
from annotation.schemes.formats.parts import codes_of, name_of, scheme_of
from annotation.schemes.kinds.single import SINGLE
from annotation.schemes.released import CANNOT_TELL as CANNOT_TELL_IN_FILES
from annotation.schemes.released import file_codes
from annotation.schemes.validation import LONGEST_LABEL, SchemeError
from metrics.errors import InputError
from metrics.io.lines import one_line
from metrics.io.unseen import visible
from metrics.remedies import Remedy
from metrics.votes.files.answers import Answer, is_missing, says_several
from metrics.votes.files.meanings import suggested_category

#: The question where nobody wrote it.
USUAL_QUESTION = "Which answer fits?"
_MOST_OPTIONS, _FEWEST_OPTIONS = 50, 2
_CUT = "…"
_OPTION_AT = re.compile(r"options\[(\d+)\]")


def own_question(
    text: str, answers: Iterable[Answer], labels: Mapping[str, str]
) -> tuple[Scheme, dict[str, str]]:
    """The scheme of the question `text`, and the code of each word of `answers`.

    Its options are the words in the order of the file; words that differ in capitals or blanks
    alone are one. `labels` leaves a word out (""), or says another that means the same. Words for
    "I cannot tell" are that, and those for a missing answer are none, unless `labels` has them.
    A long answer is cut to a label, and stands whole in the option's definition. `InputError` for
    one that cannot be shown.
    """
    listed = list(answers)
    words = dict.fromkeys(
        word.strip() for answer in listed for word in (answer.answer, answer.gold) if word.strip()
    )
    meant = {word: labels.get(word, word) for word in words if word in labels or _is_word(word)}
    unsure = {word for word, to in meant.items() if _is_unsure(to)}
    options: dict[str, str] = {}
    for word, to in meant.items():
        if to and word not in unsure:
            options.setdefault(_key(to), to)
    if not _FEWEST_OPTIONS <= len(options) <= _MOST_OPTIONS:
        raise InputError(
            f"the answers are {len(options):,} different words.",
            path=listed[0].path if listed else None,
            remedy=f"A question has {_FEWEST_OPTIONS} to {_MOST_OPTIONS} options: match the "
            "column that holds the answers, or leave some out.",
        )
    codes = dict(zip(options, codes_of(list(options.values())), strict=True))
    question = Question(
        name=name_of(text),
        text=text,
        kind=SINGLE,
        options=tuple(_option(codes[key], words) for key, words in options.items()),
    )
    about = About.PASSAGE if any(answer.docno for answer in listed) else About.QUERY
    try:
        scheme = replace(scheme_of([question], question.name, text), about=about)
    except SchemeError as error:
        raise _no_option(error, question, listed[0].path) from None
    of_words = {word: codes[_key(to)] if to else "" for word, to in meant.items()
                if word not in unsure}  # fmt: skip
    return scheme, of_words | dict.fromkeys(unsure, file_codes(question, [CANNOT_TELL]))


def known_words(question: Question, answers: Iterable[Answer]) -> dict[str, str]:
    """The code of each word of `answers` that is an option of the question, read as above."""
    words = {word.strip() for answer in answers for word in (answer.answer, answer.gold)}
    unsure = file_codes(question, [CANNOT_TELL])
    known = {word: code for word in words if (code := question.code_named(word)) is not None}
    whole = {_key(option.definition): option.code for option in question.options if _is_cut(option)}
    known |= {word: whole[_key(word)] for word in words if _key(word) in whole}
    return {word: unsure for word in words if _is_unsure(word)} | known


def _option(code: str, words: str) -> Option:
    if len(words) <= LONGEST_LABEL:
        return Option(code=code, label=words)
    cut = words[: LONGEST_LABEL - len(_CUT)].rstrip() + _CUT
    return Option(code=code, label=cut, definition=words)


def _is_cut(option: Option) -> bool:
    return option.label.endswith(_CUT) and option.definition.startswith(option.label[: -len(_CUT)])


def _no_option(error: SchemeError, question: Question, path: str) -> InputError:
    """The error about the words of an option, for whoever knows the file alone."""
    place = _OPTION_AT.search(error.place)
    if place is None:
        return error
    option = question.options[int(place[1]) - 1]
    words = option.definition if _is_cut(option) else option.label
    return InputError(
        f"the answer {visible(words)!r} is no option as it stands: {error.wrong}",
        path=path,
        remedies=[Remedy("to leave it out", {"labels": {words: ""}})],
        remedy="Else change it in the file.",
    )


def _is_word(word: str) -> bool:
    return not is_missing(word) and not says_several(word)


def _is_unsure(word: str) -> bool:
    return word == CANNOT_TELL or suggested_category(word) == CANNOT_TELL_IN_FILES


def _key(word: str) -> str:
    return one_line(word).casefold()
