"""The error of bad input: what is wrong, where, and what to do."""

from collections.abc import Callable, Iterable
from difflib import get_close_matches
from os import PathLike
from typing import TYPE_CHECKING, Any, Self

from .aliases import ATTRIBUTES
from .remedies import Remedy, in_python, sentence


class InputError(Exception):
    """Input that cannot be used, with its place and a remedy.

    `path` and `line` (counted from 1) say where; `remedy` is a sentence that says what to do, and
    `remedies` are arguments to add, which the text names as Python writes them. The text reads
    `bm25.run:17: expected 6 columns, found 5. Write: qid Q0 docno rank score tag.`
    """

    def __init__(
        self,
        message: str,
        *,
        path: str | PathLike[str] | None = None,
        line: int | None = None,
        remedy: str = "",
        remedies: Iterable[Remedy] = (),
    ) -> None:
        self.message = message
        self.path = None if path is None else str(path)
        self.line = line
        self.remedy = remedy
        self.remedies = tuple(remedies)
        super().__init__(self.text())

    def text(self, write: Callable[[Remedy], str] = in_python) -> str:
        """The whole message, with the remedies as the interface writes them."""
        place = ":".join(str(part) for part in (self.path, self.line) if part is not None)
        return " ".join(filter(None, [place and f"{place}:", self.message, self.advice(write)]))

    def with_advice(self, remedy: str, remedies: Iterable[Remedy]) -> Self:
        """Copy the error with other advice."""
        return type(self)(
            self.message, path=self.path, line=self.line, remedy=remedy, remedies=remedies
        )

    def advice(self, write: Callable[[Remedy], str] = in_python) -> str:
        """The advice, with the remedies as the interface writes them."""
        return " ".join(filter(None, [sentence(self.remedies, write), self.remedy]))


class InputTypeError(InputError, TypeError):
    """Input of a type that cannot be used, such as a number for a text."""


class InputKeyError(InputError, KeyError):
    """A key that does not exist."""

    __str__ = Exception.__str__  # KeyError quotes its text


class InputAttributeError(InputError, AttributeError):
    """An attribute that does not exist."""


def no_attribute(of: object, name: str) -> AttributeError:
    """The error of an object, or of a class, without an attribute `name`, for `__getattr__`."""
    kinds = of.__mro__ if isinstance(of, type) else type(of).__mro__
    fields = kinds[0].__dict__.get("__dataclass_fields__", ())
    own = [known for known in sorted({*dir(kinds[0]), *fields}) if not known.startswith("_")]
    names = [*(kind.__name__ for kind in kinds), *([""] if "to_frame" in own else [])]
    tables = (ATTRIBUTES.get(name_of_kind, {}) for name_of_kind in names)
    hint = next((table[name] for table in tables if name in table), None)
    known = did_you_mean(name, own).strip() or f"It has {', '.join(own)}."
    return InputAttributeError(
        f"{kinds[0].__name__} has no attribute {name!r}.", remedy=hint.text if hint else known
    )


class Hinted:
    """Lets an object say what to type in the place of an attribute that it has not."""

    if not TYPE_CHECKING:  # type checkers know what it has

        def __getattr__(self, name: str) -> Any:
            raise no_attribute(self, name)

        def __getitem__(self, key: object) -> Any:
            own = ", .".join(getattr(type(self), "__dataclass_fields__", ()))
            kind = type(self).__name__
            raise InputTypeError(f"{kind} has no part {key!r}.", remedy=f"Use one of .{own}.")


class Hinting(type):
    """Lets a class say what to type in the place of an attribute that it has not."""

    def __getattr__(cls, name: str) -> Any:
        raise no_attribute(cls, name)


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """The sentence that names the nearest of the known words, after a blank; "" if none is near."""
    by_lower_case = {name.lower(): name for name in known}
    nearest = get_close_matches(word.lower(), by_lower_case, n=1)
    return f" Did you mean {by_lower_case[nearest[0]]}?" if nearest else ""
