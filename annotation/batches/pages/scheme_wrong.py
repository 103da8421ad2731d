"""Problems of a scheme beside the fields of its form, in the words of the form."""

import re
from collections import defaultdict
from collections.abc import Iterable

from django.utils.text import capfirst

from annotation.batches.pages.scheme_draft import QuestionDraft, SchemeDraft
from annotation.schemes import SchemeError

#: Problems by the name of a field; of a list of questions or options by its name.
Wrong = dict[str, list[str]]

_PLACE = re.compile(r"questions\[(\d+)\](?:\.options\[(\d+)\])?(?:\.(.+))?")
_LINE = re.compile(r"examples\[(\d+)\]")
#: Fields whose names are others than those in the place of an error.
_FIELDS = {"shown_if": "after", "shown_if.any_of": "any_of", "subset": "subset-any_of"}
#: In place of what an error says where it speaks of files, by place.
_WORDS = {
    "subset": "Mark at least one answer.",
    "subset.question": "Choose a question with options.",
    "shown_if.any_of": "Mark at least one answer.",
}


def problems_by_field(draft: SchemeDraft, problems: Iterable[SchemeError]) -> Wrong:
    """Problems of the draft's scheme in the words of the form, by field."""
    wrong = defaultdict[str, list[str]](list)
    for problem in problems:
        match = _PLACE.fullmatch(problem.place)
        if match is None:
            name = _FIELDS.get(problem.place, problem.place.replace(".", "-"))
            words = _words(problem, problem.place)
        else:
            question = draft.questions[int(match[1]) - 1]
            name, words = _of_question(question, match[2], match[3] or "", problem)
        if words not in wrong[name]:
            wrong[name].append(words)
    return wrong


def _of_question(
    question: QuestionDraft, option: str | None, rest: str, problem: SchemeError
) -> tuple[str, str]:
    words = _words(problem, rest)
    if option is None:
        return f"{question.key}-{_FIELDS.get(rest, rest)}", words
    if question.kind.has_points and rest == "code":
        return f"{question.key}-options", words
    key = question.filled[int(option) - 1].key
    if line := _LINE.fullmatch(rest):
        return f"{key}-examples", f"Line {line[1]}: {words}"
    return f"{key}-{rest}", words


def _words(problem: SchemeError, place: str) -> str:
    words = f"{problem.wrong} {problem.remedy}"
    return _WORDS.get(place) or capfirst(words)
