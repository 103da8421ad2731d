"""A scheme while somebody types it: the texts of the fields, complete or not, and their parts.

A question or an option has a key, with which the names of its fields begin. It keeps the key when
it is moved or renamed, and conditions refer to it by the key. The order is that of the fields.
"""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

from django.http import QueryDict

from annotation.schemes import About, Kind, Option, Question, Scheme
from annotation.schemes.codes import distinct, option_codes
from annotation.schemes.formats.parts import name_of
from annotation.schemes.kinds import KINDS
from annotation.schemes.kinds.single import SINGLE
from annotation.schemes.subsets import subset_words, usual_subset

_FIELD = re.compile(r"(?P<question>q\d{1,6})(?P<option>-o\d{1,6})?-(?P<name>\w+)", re.ASCII)
#: Fields with several values, and boxes to tick.
_SEVERAL = frozenset({"any_of", "none_of"})
_BOXES = frozenset({"required", "cannot_tell", "alone"})
_QUESTION_BOXES = ("required", "cannot_tell")
#: The code of the first point of a scale, unless somebody says another.
FIRST_POINT = "1"
_OPTION_TEXTS = ("code", "label", "definition", "counter_example", "counter_reason", "key")
_SCHEME_TEXTS = (
    *("title", "language", "instructions", "content_warning", "name", "source"),
    *("hit_title", "hit_description", "hit_keywords"),
)

Typed = dict[str, Any]


@dataclass
class OptionDraft:
    key: str
    typed: Typed = field(default_factory=dict)

    @property
    def words(self) -> str:
        return str(self.typed.get("label") or self.typed.get("code") or "")

    @property
    def is_empty(self) -> bool:
        return not any(str(value).strip() for name, value in self.typed.items() if name != "alone")


@dataclass
class QuestionDraft:
    key: str
    typed: Typed = field(default_factory=dict)
    options: list[OptionDraft] = field(default_factory=list)

    @property
    def words(self) -> str:
        return str(self.typed.get("text") or self.typed.get("name") or "")

    @property
    def kind(self) -> Kind:
        return KINDS.get(str(self.typed.get("kind")), SINGLE)

    @property
    def filled(self) -> list[OptionDraft]:
        """The options that count: of a scale every point, else those in which something stands."""
        if not self.kind.has_options:
            return []
        return [option for option in self.options if self.kind.has_points or not option.is_empty]

    def codes(self) -> dict[str, str]:
        """The code of each option that counts, by key; where nobody typed one, it is derived."""
        if self.kind.has_points:
            first = str(self.typed.get("first") or FIRST_POINT).strip()
            return {
                option.key: str(int(first) + n) if first.isdecimal() else f"{first}+{n}"
                for n, option in enumerate(self.filled)
            }
        codes = option_codes(
            [str(option.typed.get("code", "")) for option in self.filled],
            [str(option.typed.get("label", "")).lower() for option in self.filled],
        )
        return {option.key: code for option, code in zip(self.filled, codes, strict=True)}


@dataclass
class SchemeDraft:
    about: About
    typed: Typed = field(default_factory=dict)
    questions: list[QuestionDraft] = field(default_factory=list)
    subset: Typed = field(default_factory=dict)

    def question(self, key: str) -> QuestionDraft | None:
        return next((question for question in self.questions if question.key == key), None)

    def subset_question(self) -> QuestionDraft | None:
        """The question that makes the subset: the chosen one, else the first with options."""
        closed = [question for question in self.questions if question.kind.has_options]
        return self.question(str(self.subset.get("question"))) or next(iter(closed), None)

    def as_json(self) -> dict[str, Any]:
        """The JSON values of the scheme, unchecked."""
        named = distinct(
            [str(question.typed.get("name", "")).strip() for question in self.questions],
            [name_of(question.words) for question in self.questions],
        )
        keys = [question.key for question in self.questions]
        names = dict(zip(keys, named, strict=True))
        texts = {name: str(self.typed.get(name, "")).strip() for name in _SCHEME_TEXTS}
        filled = {name: text for name, text in texts.items() if text}
        return {
            "name": name_of(texts["title"]),
            "title": "",
            "about": self.about.value,
            **filled,
            "questions": [self._question(question, names) for question in self.questions],
            **self._subset(names),
        }

    def _question(self, question: QuestionDraft, names: Mapping[str, str]) -> dict[str, Any]:
        codes, typed = question.codes(), question.typed
        values: dict[str, Any] = {"name": names[question.key], "kind": question.kind.name}
        values |= {name: str(typed.get(name, "")).strip() for name in ("text", "help")}
        values |= {name: bool(typed.get(name)) for name in _QUESTION_BOXES}
        if typed.get("level") in question.kind.levels:
            values["level"] = typed["level"]
        values["options"] = [
            _option(option, codes[option.key], may_exclude=question.kind.takes_several)
            for option in question.filled
        ]
        if before := self.question(str(typed.get("after", ""))):
            offered = before.codes()
            # Without a mark, any answer will do.
            marked = _chosen(offered, typed.get("any_of", [])) or list(offered.values())
            values["shown_if"] = {"question": names[before.key], "any_of": marked}
        return values

    def _subset(self, names: Mapping[str, str]) -> dict[str, Any]:
        """The subset as typed; what nobody typed is that of the first answer, in its words."""
        question, words = self.subset_question(), str(self.subset.get("words", "")).strip()
        if question is None:
            return {}
        codes = question.codes()
        values: dict[str, Any] = {
            name: _chosen(codes, self.subset.get(name, [])) for name in sorted(_SEVERAL)
        }
        for name in ("at_least", "at_most"):
            point = codes.get(str(self.subset.get(name, "")), "")
            if question.kind.has_points and point.isdecimal():
                values[name] = point
        first = next(iter(codes.values()), "")
        if first and not (words or any(values.values())):
            is_point = question.kind.has_points and first.isdecimal()
            values |= {"at_most": first} if is_point else {"any_of": [first]}
            words = self._words(question, [first])
        elif not words and values["any_of"] and not values["none_of"]:
            words = self._words(question, values["any_of"])
        return {"subset": {"words": words, "question": names[question.key], **values}}

    def _words(self, question: QuestionDraft, marked: Collection[str]) -> str:
        labels = [
            str(option.typed.get("label", "")).strip() or code
            for option, code in zip(question.filled, question.codes().values(), strict=True)
            if code in marked
        ]
        return subset_words(labels, self.about, are_points=question.kind.has_points)


def blank_draft(about: About) -> SchemeDraft:
    """One question with room for two options."""
    first = QuestionDraft("q0", {"required": True, "cannot_tell": True})
    first.options = [OptionDraft("q0-o0"), OptionDraft("q0-o1")]
    return SchemeDraft(about, questions=[first])


def draft_of(scheme: Scheme) -> SchemeDraft:
    """The fields that say the whole of a scheme."""
    keys = {question.name: f"q{n}" for n, question in enumerate(scheme.questions)}
    options = {
        question.name: {
            code: f"{keys[question.name]}-o{n}" for n, code in enumerate(question.codes)
        }
        for question in scheme.questions
    }
    subset = scheme.subset
    is_usual = subset == usual_subset([scheme.question(subset.question)], scheme.about)
    of_subset = options.get(subset.question, {})
    points = {name: getattr(subset, name) for name in ("at_least", "at_most")}
    return SchemeDraft(
        scheme.about,
        {name: getattr(scheme, name) for name in _SCHEME_TEXTS},
        [_question_draft(question, keys, options) for question in scheme.questions],
        {"question": keys[subset.question]}
        if is_usual
        else {
            "words": subset.words,
            "question": keys[subset.question],
            **{name: [of_subset[code] for code in getattr(subset, name)] for name in _SEVERAL},
            **{name: of_subset.get(str(point), "") for name, point in points.items()},
        },
    )


def draft_typed(post: QueryDict, about: About) -> SchemeDraft:
    """The fields of a form as they were typed; a name that the form does not have is left out."""
    draft = SchemeDraft(about, {name: post.get(name, "") for name in _SCHEME_TEXTS})
    questions: dict[str, QuestionDraft] = {}
    options: dict[str, OptionDraft] = {}
    for name in post:
        if not (match := _FIELD.fullmatch(name)):
            continue
        key, of_option, field_name = match.groups()
        question = questions.setdefault(
            key, QuestionDraft(key, dict.fromkeys(_QUESTION_BOXES, False))
        )
        part: QuestionDraft | OptionDraft = question
        if of_option:
            part = options.setdefault(key + of_option, OptionDraft(key + of_option))
            if part not in question.options:
                question.options.append(part)
        part.typed[field_name] = _value(post, name, field_name)
    draft.questions = list(questions.values())
    draft.subset = {
        name: _value(post, f"subset-{name}", name)
        for name in ("words", "question", "any_of", "none_of", "at_least", "at_most")
    }
    return draft


def _value(post: QueryDict, name: str, of: str) -> Any:
    if of in _SEVERAL:
        return post.getlist(name)
    return name in post if of in _BOXES else post.get(name, "")


def _question_draft(
    question: Question, keys: Mapping[str, str], options: Mapping[str, Mapping[str, str]]
) -> QuestionDraft:
    typed: Typed = {
        name: getattr(question, name) for name in ("text", "name", "help", *_QUESTION_BOXES)
    }
    typed |= {"kind": question.kind.name, "level": question.level.value}
    if question.kind.has_points:
        typed["first"] = question.codes[0]
    if (condition := question.shown_if) is not None:
        typed["after"] = keys[condition.question]
        typed["any_of"] = [options[condition.question][code] for code in condition.any_of]
    return QuestionDraft(
        keys[question.name],
        typed,
        [
            OptionDraft(options[question.name][option.code], _option_typed(option))
            for option in question.options
        ],
    )


def _option_typed(option: Option) -> Typed:
    texts = {name: getattr(option, name) for name in _OPTION_TEXTS}
    return {**texts, "examples": "\n".join(option.examples), "alone": option.alone}


def _option(option: OptionDraft, code: str, *, may_exclude: bool) -> dict[str, Any]:
    texts = {name: str(option.typed.get(name, "")).strip() for name in _OPTION_TEXTS}
    lines = str(option.typed.get("examples", "")).splitlines()
    examples = [line.strip() for line in lines if line.strip()]
    values: dict[str, Any] = {**texts, "code": code, "examples": examples}
    if may_exclude and option.typed.get("alone"):
        values["alone"] = True
    if not values["label"] and code.isdecimal():
        del values["label"]  # a plain point is its number
    return values


def _chosen(codes: Mapping[str, str], keys: Collection[str]) -> list[str]:
    return [code for key, code in codes.items() if key in keys]
