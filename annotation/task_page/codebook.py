"""The codebook of a batch: what annotators read about the question and its categories.

Its texts may be edited; the category codes are those of the released data set and never change.
"""

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from functools import cache
from typing import Any, Self

from annotation.task_page.languages import languages, translator
from metrics.vocabulary import Category

_LIMITS = {"question": 120, "instructions": 1_000}
_CATEGORY_LIMITS = {"name": 40, "definition": 500, "borderline": 200, "reason": 300}
_EXAMPLE_LIMIT = 200
_MOST_EXAMPLES = 5


class CodebookError(ValueError):
    """Texts that no task page can show."""


_ORDER = [str(category) for category in Category]


def _place(category: tuple[str, Any]) -> int:
    """The categories in their order, in which no database keeps the members of an object."""
    code = category[0]
    return _ORDER.index(code) if code in _ORDER else len(_ORDER)


@dataclass(frozen=True)
class CategoryText:
    """One category: clear `examples`, and a `borderline` one with the `reason` for its category."""

    name: str
    definition: str
    examples: tuple[str, ...] = ()
    borderline: str = ""
    reason: str = ""


@dataclass(frozen=True)
class Codebook:
    """The texts of a task page. `categories` maps each category code to its text, in their order.

    `language` is the code of the language that they, and the controls of the page, are written in.
    """

    language: str
    question: str
    instructions: str
    categories: Mapping[str, CategoryText]

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> Self:
        """Read what `as_json` wrote. Raises `CodebookError` for anything else."""
        try:
            categories = {
                str(code): CategoryText(
                    **{**text, "examples": tuple(text.get("examples", ()))},
                )
                for code, text in sorted(stored["categories"].items(), key=_place)
            }
            known = {name: stored[name] for name in ("language", "question", "instructions")}
        except (KeyError, TypeError, AttributeError) as error:
            raise CodebookError(f"a text is missing or unknown ({error})") from error
        codebook = cls(categories=categories, **known)
        if wrong := codebook_problems(codebook):
            raise CodebookError("; ".join(wrong))
        return codebook

    def as_json(self) -> dict[str, Any]:
        """The codebook as JSON values, ready to be stored or written to a file."""
        texts = {code: asdict(text) for code, text in self.categories.items()}
        for text in texts.values():
            text["examples"] = list(text["examples"])
        return {
            "language": self.language,
            "question": self.question,
            "instructions": self.instructions,
            "categories": texts,
        }

    @property
    def digest(self) -> str:
        """Tells one wording from another: 16 hexadecimal digits."""
        text = json.dumps(self.as_json(), sort_keys=True, ensure_ascii=True)
        return hashlib.sha256(text.encode()).hexdigest()[:16]


def codebook_problems(codebook: Codebook) -> list[str]:
    """Its errors, in plain words; empty without any."""
    standard = standard_codebook()
    if list(codebook.categories) != list(standard.categories):
        return [f"its categories must be {', '.join(standard.categories)}, in this order"]
    wrong = []
    if codebook.language not in languages():
        known = ", ".join(languages())
        wrong.append(f"its language is {codebook.language!r}; known are {known}")
    wrong += _text_problems("", codebook, _LIMITS)
    for code, text in codebook.categories.items():
        wrong += _text_problems(f"category {code}: ", text, _CATEGORY_LIMITS)
        if len(text.examples) > _MOST_EXAMPLES:
            wrong.append(f"category {code}: at most {_MOST_EXAMPLES} examples")
        if not all(_is_text(one, _EXAMPLE_LIMIT) and one.strip() for one in text.examples):
            wrong.append(f"category {code}: an example is empty or over {_EXAMPLE_LIMIT} long")
    return wrong


def _text_problems(where: str, texts: object, limits: Mapping[str, int]) -> list[str]:
    optional = {"borderline", "reason"}
    wrong = []
    for name, limit in limits.items():
        value = getattr(texts, name)
        if not _is_text(value, limit):
            wrong.append(f"{where}the {name} has more than {limit} characters")
        elif name not in optional and not value.strip():
            wrong.append(f"{where}the {name} is empty")
    return wrong


def _is_text(value: object, limit: int) -> bool:
    return isinstance(value, str) and len(value) <= limit


@cache
def standard_codebook(language: str = "en") -> Codebook:
    """The categories of Rekabsaz & Schedl (SIGIR 2020) with examples, in our wording."""
    _ = translator(language)
    return Codebook(
        language=language,
        question=_("Does the query mention a gender?"),
        instructions=_(
            "For each search query, choose the one category that fits what its words refer to. "
            "Judge the words as they stand, not who may have typed them."
        ),
        categories={str(category): _TEXTS[category](_) for category in Category},
    )


def _non_gendered(_: Callable[[str], str]) -> CategoryText:
    return CategoryText(
        _("Non-gendered"),
        _("Nothing in the query refers to a gender."),
        (_("what is the meaning of resurrect"), _("how to bake bread")),
        _("average salary of a nurse"),
        _("An occupation is not a gender, whoever mostly works in it."),
    )


def _female(_: Callable[[str], str]) -> CategoryText:
    return CategoryText(
        _("Female"),
        _(
            "At least one word or phrase refers to something female: a gendered word such as "
            "queen, a word that implies women such as pregnant, or the name of a woman."
        ),
        (_("who was oprah winfrey"), _("earliest pregnancy symptoms")),
        _("where are the ovaries located"),
        _("Anatomy that is typical of women counts as female."),
    )


def _male(_: Callable[[str], str]) -> CategoryText:
    return CategoryText(
        _("Male"),
        _(
            "At least one word or phrase refers to something male: a gendered word such as king, "
            "or the name of a man such as Nelson Mandela."
        ),
        (_("who was the king of ancient rome"), _("birthday gifts for a grandfather")),
        _("greatest inventions of mankind"),
        _("The word is male, although it means all people."),
    )


def _other(_: Callable[[str], str]) -> CategoryText:
    return CategoryText(
        _("Other or multiple genders"),
        _(
            "At least one word or phrase refers to another gender, such as transgender or "
            "bigender, or the query refers to several genders."
        ),
        (_("what does bigender mean"), _("how long was shakespeare married to anne")),
        _("summary of romeo and juliet"),
        _("Two names: one of a man and one of a woman."),
    )


#: By category, what annotators read of it: beside `Category`, what a new category takes.
_TEXTS: Mapping[Category, Callable[[Callable[[str], str]], CategoryText]] = {
    Category.NON_GENDERED: _non_gendered,
    Category.FEMALE: _female,
    Category.MALE: _male,
    Category.OTHER: _other,
}
