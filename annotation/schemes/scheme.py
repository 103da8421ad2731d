"""A scheme: ordered questions about an item, their options, and the subset that measures run on."""

import hashlib
import json
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, fields, is_dataclass
from enum import StrEnum
from functools import cached_property
from typing import Any

from annotation.schemes.kind import Kind
from metrics.io.lines import one_line
from metrics.io.option_words import codes_by_text, codes_by_word
from metrics.vocabulary import CANNOT_TELL, Level
from pooling.items import item_noun

#: What people read of it; annotators read it in the language of their page.
CANNOT_TELL_WORDS = "I cannot tell"
#: The language of a scheme that names none.
ENGLISH = "en"
_WHOLE = re.compile(r"-?[0-9]+")
#: Characters of a question in tables and sentences.
_LONGEST_TITLE = 60
#: Keys for options without one of their own: digits, then letters that do nothing else on a page.
KEYS = "123456789acdefghijklm"
#: The key of "I cannot tell".
CANNOT_TELL_KEY = "0"


class About(StrEnum):
    """Kind of item that a scheme judges."""

    QUERY = "query"
    PASSAGE = "passage"  # with the query that it was retrieved for


@dataclass(frozen=True, kw_only=True)
class Option:
    """One answer. `counter_example` is a query that it does not fit, though it seems to.

    One that stands `alone`, such as "none of these", is not chosen with others.
    """

    code: str
    label: str
    definition: str = ""
    examples: tuple[str, ...] = ()
    counter_example: str = ""
    counter_reason: str = ""
    key: str = ""
    alone: bool = False


@dataclass(frozen=True, kw_only=True)
class Condition:
    """Shows a question only to whoever gave one of these answers to an earlier one."""

    question: str
    any_of: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class Question:
    """One question. `name` is the column of its answers, `text` what annotators read."""

    name: str
    text: str
    kind: Kind
    level: Level = Level.NOMINAL
    help: str = ""
    options: tuple[Option, ...] = ()
    required: bool = True
    cannot_tell: bool = True
    shown_if: Condition | None = None

    @property
    def title(self) -> str:
        """The text, cut where a table or a sentence has little room for it."""
        text = one_line(self.text)
        return text if len(text) <= _LONGEST_TITLE else f"{text[: _LONGEST_TITLE - 1].rstrip()}…"

    @cached_property
    def codes(self) -> tuple[str, ...]:
        return tuple(option.code for option in self.options)

    def code_in(self, text: str) -> str | None:
        """The code of the option that `text` is, as it stands or on one line; else None."""
        return self._by_text.get(text)

    @cached_property
    def _by_text(self) -> Mapping[str, str]:
        return codes_by_text(self.codes)

    def code_named(self, word: str) -> str | None:
        """The code of the option that somebody calls `word`: by its code or label, in any case."""
        line = one_line(word)
        return self._by_word.get(line) or self._by_word.get(line.casefold())

    @cached_property
    def _by_word(self) -> Mapping[str, str]:
        return codes_by_word(self.labels)

    def may_be_together(self, codes: Collection[str]) -> bool:
        """Return whether one answer may have all of these codes."""
        alone = {CANNOT_TELL, *(option.code for option in self.options if option.alone)}
        return len(codes) <= 1 or alone.isdisjoint(codes)

    def in_order(self, codes: Collection[str]) -> list[str]:
        """The codes in the order of the options."""
        return [code for code in self.codes if code in codes]

    @cached_property
    def labels(self) -> dict[str, str]:
        """The label of each option, by code."""
        return {option.code: option.label for option in self.options}

    @cached_property
    def with_keys(self) -> list[tuple[Option, str]]:
        """Each option with the key that chooses it, empty where there are not enough.

        It is the option's own, else the code where all codes are digits, else the next free one.
        """
        keys = {option.code: option.key for option in self.options if option.key}
        taken = {*keys.values(), *(CANNOT_TELL_KEY if self.cannot_tell else "")}
        if all(re.fullmatch("[0-9]", code) for code in self.codes):
            keys = {code: code for code in self.codes if code not in taken} | keys
        free = (key for key in KEYS if key not in {*taken, *keys.values()})
        return [(option, keys.get(option.code) or next(free, "")) for option in self.options]

    @cached_property
    def grades(self) -> dict[str, int]:
        """The grade of each option, by code; empty where options are not grades.

        They are the codes where all are whole numbers, else the places from 0 of options in an
        order.
        """
        if not self.kind.takes_one:
            return {}
        if all(_WHOLE.fullmatch(code) for code in self.codes):
            return {code: int(code) for code in self.codes}
        return {} if self.is_nominal else {code: n for n, code in enumerate(self.codes)}

    @property
    def is_nominal(self) -> bool:
        """True if the question takes one answer, of options in no order."""
        return self.kind.takes_one and self.level == Level.NOMINAL

    def words(self, codes: Collection[str]) -> str:
        """The labels of the options as people read them; codes where an option has none."""
        return ", ".join(self.labels.get(code) or code for code in codes)


@dataclass(frozen=True, kw_only=True)
class Subset:
    """The queries that measures run on: by the answer to one question.

    `words` completes "the mean over ...", as in "queries that name no religion". A query is in the
    subset if its answer has one of `any_of`, none of `none_of`, and lies within the points.
    """

    words: str
    question: str
    any_of: tuple[str, ...] = ()
    none_of: tuple[str, ...] = ()
    at_least: int | None = None
    at_most: int | None = None

    def holds(self, answer: frozenset[str]) -> bool:
        """Return whether a query with this answer (its codes) is in the subset; none is not."""
        if not answer or CANNOT_TELL in answer:
            return False
        if self.any_of and not answer.intersection(self.any_of):
            return False
        if answer.intersection(self.none_of):
            return False
        if self.at_least is None and self.at_most is None:
            return True
        point = int(min(answer))
        return not (
            (self.at_least is not None and point < self.at_least)
            or (self.at_most is not None and point > self.at_most)
        )

    def codes_of(self, question: Question) -> list[str]:
        """The options of its question that put a query into the subset by themselves."""
        return [code for code in question.codes if self.holds(frozenset({code}))]


@dataclass(frozen=True, kw_only=True)
class Scheme:
    """Questions in their order, in one language, and the subset that their answers make."""

    name: str
    title: str
    about: About = About.QUERY
    language: str = ENGLISH
    source: str = ""
    instructions: str = ""
    content_warning: str = ""
    #: How a crowd lists the HITs, where the scheme's other words do not say it.
    hit_title: str = ""
    hit_description: str = ""
    hit_keywords: str = ""
    questions: tuple[Question, ...]
    subset: Subset

    @property
    def item_noun(self) -> str:
        """Noun of what the scheme is asked about."""
        return item_noun(of_pairs=self.about == About.PASSAGE)

    @property
    def closed(self) -> list[Question]:
        """The questions with options."""
        return [question for question in self.questions if question.kind.has_options]

    @property
    def subset_question(self) -> Question:
        """The question whose answers make the subset that measures run on."""
        return self.question(self.subset.question)

    @property
    def nominal(self) -> list[Question]:
        """The questions that take one answer, of options in no order."""
        return [question for question in self.questions if question.is_nominal]

    @property
    def is_answered_whole(self) -> bool:
        """True where nobody can leave a query out: something is asked of each, and has to be."""
        asked_always = any(
            question.required and question.shown_if is None for question in self.closed
        )
        return asked_always and not self.content_warning

    def question(self, name: str) -> Question:
        return next(question for question in self.questions if question.name == name)

    def is_shown(self, question: Question, answers: Mapping[str, frozenset[str]]) -> bool:
        """Return whether a worker with `answers`, codes by question, sees `question`."""
        condition = question.shown_if
        if condition is None:
            return True
        before = self.question(condition.question)
        codes = answers.get(before.name, frozenset())
        return self.is_shown(before, answers) and bool(codes.intersection(condition.any_of))

    def as_json(self) -> dict[str, Any]:
        """The scheme as JSON values without what is empty or usual; `scheme_from_json` reads it."""
        values: dict[str, Any] = _json(self, is_short=True)
        return values

    @property
    def digest(self) -> str:
        """Tells one wording from another: 16 hexadecimal digits."""
        values = _json(self, is_short=False)
        # A scheme that has nothing of what came later has the digest that it had before.
        if self.about == About.QUERY:
            del values["about"]
        for question in values["questions"]:
            for option in question["options"]:
                if not option["alone"]:
                    del option["alone"]
        text = json.dumps(values, sort_keys=True, ensure_ascii=True)
        return hashlib.sha256(text.encode()).hexdigest()[:16]


def _json(value: Any, *, is_short: bool) -> Any:
    """The JSON value of a part; a short one lacks what is empty or usual."""
    if isinstance(value, tuple):
        return [_json(member, is_short=is_short) for member in value]
    if isinstance(value, Kind):
        return value.name
    if not is_dataclass(value):
        return value.value if isinstance(value, StrEnum) else value
    members = {}
    for field in fields(value):
        member = getattr(value, field.name)
        usual = field.default
        if isinstance(value, Question) and field.name == "level":
            usual = value.kind.levels[0]
        if not is_short or member != usual:
            members[field.name] = _json(member, is_short=is_short)
    return members
