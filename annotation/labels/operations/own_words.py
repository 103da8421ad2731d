"""A question whose options are the answers of files of votes, in their own words."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace

from annotation.schemes import CANNOT_TELL, About, Option, Question, Scheme
from annotation.schemes.formats.parts import codes_of, name_of, scheme_of
from annotation.schemes.kinds.single import SINGLE
from annotation.schemes.released import file_codes
from annotation.schemes.validation import LONGEST_LABEL, SchemeError
from metrics.errors import InputError
from metrics.io.unseen import visible
from metrics.remedies import Remedy
from metrics.votes.files.answers import Answer
from metrics.votes.files.own_words import is_cannot_tell, option_words, spelling_key, words_in

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
    meant = option_words(listed, labels)
    options = [*dict.fromkeys(to for to in meant.values() if to not in ("", CANNOT_TELL))]
    if not _FEWEST_OPTIONS <= len(options) <= _MOST_OPTIONS:
        raise InputError(
            f"the answers are {len(options):,} different words.",
            path=listed[0].path if listed else None,
            remedy=f"A question has {_FEWEST_OPTIONS} to {_MOST_OPTIONS} options: match the "
            "column that holds the answers, or leave some out.",
        )
    codes = dict(zip(options, codes_of(options), strict=True))
    question = Question(
        name=name_of(text),
        text=text,
        kind=SINGLE,
        options=tuple(_option(code, words) for words, code in codes.items()),
    )
    about = About.PASSAGE if any(answer.docno for answer in listed) else About.QUERY
    try:
        scheme = replace(scheme_of([question], question.name, text), about=about)
    except SchemeError as error:
        raise _no_option(error, question, listed[0].path) from None
    codes |= {"": "", CANNOT_TELL: file_codes(question, [CANNOT_TELL])}
    return scheme, {word: codes[to] for word, to in meant.items()}


def known_words(question: Question, answers: Iterable[Answer]) -> dict[str, str]:
    """The code of each word of `answers` that is an option of the question, read as above."""
    words = words_in(answers)
    unsure = file_codes(question, [CANNOT_TELL])
    known = {word: code for word in words if (code := question.code_named(word)) is not None}
    whole = {
        spelling_key(option.definition): option.code
        for option in question.options
        if _is_cut(option)
    }
    known |= {word: whole[spelling_key(word)] for word in words if spelling_key(word) in whole}
    return {word: unsure for word in words if is_cannot_tell(word)} | known


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
        f"the answer {visible(words)!r} is not an option as it stands: {error.wrong}",
        path=path,
        remedies=[Remedy("to leave it out", {"labels": {words: ""}})],
        remedy="Or change it in the file.",
    )
