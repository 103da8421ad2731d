"""Buttons of the editor of a scheme: they add, remove and move questions and options."""

from collections.abc import Sequence
from typing import NamedTuple, TypeVar

from annotation.batches.pages.scheme_draft import (
    OptionDraft,
    QuestionDraft,
    SchemeDraft,
    Typed,
)
from annotation.schemes.scheme import ENGLISH
from annotation.task_page.texts import fixed_texts

_STEPS = {"up": -1, "down": 1}

Part = TypeVar("Part", QuestionDraft, OptionDraft)


class Done(NamedTuple):
    """Words for the act of a button, and the id of the control that has the focus next."""

    words: str
    focus: str


def act_on(draft: SchemeDraft, act: str) -> Done:
    """Change the draft as the button `KEY:VERB` says; another one only shows the form again.

    `:add` adds a question, `q0:add` an option to it; `up`, `down` and `remove` are of the part.
    `q0:none` adds the option "none of these", `q0:paste` tells of options that came along with the
    form.
    """
    key, _, verb = act.rpartition(":")
    question = draft.question(key.partition("-")[0])
    if verb == "add":
        return _add_option(question) if question else _add_question(draft)
    if question is None:
        return Done("", "")
    if verb == "none":
        words = fixed_texts(str(draft.typed.get("language") or ENGLISH))["none"]
        return _add_option(question, {"label": words, "alone": True})
    if verb == "paste":
        return Done(f"{len(question.options)} options now.", f"id_{question.options[-1].key}-label")
    if "-" not in key:
        done = _moved(draft.questions, question, "Question", verb)
    else:
        option = next((option for option in question.options if option.key == key), None)
        noun = "Point" if question.kind.has_points else "Option"
        done = _moved(question.options, option, noun, verb) if option else Done("", "")
    return done._replace(focus=done.focus or _add_button(key))


def _add_question(draft: SchemeDraft) -> Done:
    key = f"q{_next_number([question.key for question in draft.questions])}"
    options = [OptionDraft(f"{key}-o{n}") for n in range(2)]
    draft.questions.append(QuestionDraft(key, {"required": True, "cannot_tell": True}, options))
    return Done(f"Question {len(draft.questions)} added.", f"id_{key}-text")


def _add_option(question: QuestionDraft, typed: Typed | None = None) -> Done:
    numbers = [option.key.partition("-")[2] for option in question.options]
    key = f"{question.key}-o{_next_number(numbers)}"
    question.options.append(OptionDraft(key, typed or {}))
    noun = "Point" if question.kind.has_points else "Option"
    return Done(f"{noun} {len(question.options)} added.", f"id_{key}-label")


def _next_number(keys: Sequence[str]) -> int:
    return max((int(key[1:]) for key in keys), default=-1) + 1


def _add_button(key: str) -> str:
    return f"{key.partition('-')[0]}-add" if "-" in key else "add"


def _moved(parts: list[Part], part: Part, noun: str, verb: str) -> Done:
    at, name = parts.index(part), f"{noun} “{part.words}”" if part.words else noun
    if verb == "remove":
        parts.remove(part)
        if not parts:
            return Done(f"{name} removed. None is left.", "")
        near = parts[min(at, len(parts) - 1)]
        text = "text" if isinstance(near, QuestionDraft) else "label"
        return Done(f"{name} removed, {len(parts)} left.", f"id_{near.key}-{text}")
    to = at + _STEPS.get(verb, 0)
    if verb not in _STEPS or not 0 <= to < len(parts):
        return Done("", "")
    parts[at], parts[to] = parts[to], parts[at]
    # At an end the button that was pressed has nothing to do any more.
    ends = {0: "down", len(parts) - 1: "up"}
    return Done(f"{name} is now {to + 1} of {len(parts)}.", f"{part.key}-{ends.get(to, verb)}")
