"""The variables of a program, read once, at the start."""

import difflib
import io
import re
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.core.exceptions import ImproperlyConfigured

from mturk_local.environment.kinds import Kind

#: Characters of a value that a message repeats.
_MOST_SHOWN = 100
_LINE = re.compile(r"""(?:export )?[A-Za-z_][A-Za-z_0-9]*=(?:'[^']*'|"(?:[^"\\]|\\.)*"|[^'"].*|)""")
_COMMENT = re.compile(r"""=[^'"].*\s#""")


class SettingsError(ImproperlyConfigured):
    """Settings that are not understood: a line each, with variable, value and what to write."""


@dataclass(frozen=True)
class Variable:
    """One variable: its kind, its description, and its value where it is not set.

    A `default` that follows from other variables is a function of the `Environment`, and `usual`
    says it in words. `example` is what a file of examples shows; it is understood by the kind.
    """

    name: str
    kind: Kind[Any]
    about: str
    default: Any = None
    usual: str = ""
    example: str = ""


@dataclass(frozen=True)
class Group:
    """Variables under one heading."""

    heading: str
    variables: Sequence[Variable]


@dataclass(frozen=True)
class Shown:
    """A variable as people may see it."""

    name: str
    value: str
    is_set: bool


class Environment:
    """The values of `groups`' variables in `environ`, all of them understood.

    An empty value counts as none. Raises `SettingsError` with a line for each other value that is
    not understood.
    """

    def __init__(self, groups: Sequence[Group], environ: Mapping[str, str]) -> None:
        self.groups = groups
        self._known = {row.name: row for group in groups for row in group.variables}
        self._environ = environ
        self._values: dict[str, Any] = {}
        wrong = list(self._read())
        if wrong:
            raise SettingsError("\n".join(wrong))

    def __call__(self, name: str) -> Any:
        """Return the value of the variable."""
        variable = self._known[name]
        if name in self._values:
            return self._values[name]
        return variable.default(self) if callable(variable.default) else variable.default

    def is_set(self, name: str) -> bool:
        """Return whether the variable has a value of its own."""
        return name in self._values

    def refusal(self, name: str, reason: str) -> SettingsError:
        """The error of a variable whose value is understood, and cannot be used."""
        variable = self._known[name]
        return SettingsError(_refusal(variable, self._environ.get(name, str(self(name))), reason))

    def secrets(self) -> list[str]:
        """Texts that no log may contain, of all variables."""
        return [
            secret
            for name, value in self._values.items()
            if (secrets := self._known[name].kind.secrets) is not None
            for secret in secrets(value)
            if secret
        ]

    def shown(self) -> list[Shown]:
        """All variables in the order of the table; secrets are hidden."""
        return [Shown(name, self._in_words(name), self.is_set(name)) for name in self._known]

    def misspelt(self) -> Iterator[tuple[str, str]]:
        """Variables that nothing reads, each with the known one that was probably meant."""
        for name in sorted(set(self._environ) - set(self._known)):
            near = difflib.get_close_matches(name, self._known, n=1, cutoff=0.88)
            if near and near[0] not in self._environ:
                yield name, near[0]

    def example(self) -> str:
        """A file of settings that describes every variable, each commented out."""
        lines = ["# Copy to .env and change what differs. Nothing here is needed on a laptop."]
        for group in self.groups:
            lines += ["", f"# {group.heading}".upper()]
            for row in group.variables:
                about = f"{row.about}. Default: {_usual(row)}. Write {row.kind.write}."
                lines += [
                    "",
                    *textwrap.wrap(about, 100, initial_indent="# ", subsequent_indent="# "),
                ]
                lines.append(
                    f"#{row.name}={row.example or (not row.usual and _written(row.default)) or ''}"
                )
        return "\n".join(lines) + "\n"

    def documentation(self) -> str:
        """Every variable in a table of Markdown, by group; `example` has what to write for each."""
        lines: list[str] = []
        for group in self.groups:
            lines += ["", f"## {group.heading}", "", "| variable | default | meaning |"]
            lines.append("|---|---|---|")
            for row in group.variables:
                cells = (f"`{row.name}`", _usual(row), row.about)
                lines.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
        return "\n".join(lines) + "\n"

    def _read(self) -> Iterator[str]:
        for name, variable in self._known.items():
            text = self._environ.get(name, "")
            if not text.strip():
                continue
            try:
                # The blanks around a secret may be a part of it.
                plain = text if variable.kind.secrets else text.strip()
                self._values[name] = variable.kind.read(plain)
            except ValueError as error:
                yield _refusal(variable, text, str(error))

    def _in_words(self, name: str) -> str:
        variable, value = self._known[name], self(name)
        if variable.kind.secrets is not None:
            return "(hidden)" if self.is_set(name) else variable.usual
        return _written(value) or variable.usual


def _refusal(variable: Variable, text: str, reason: str) -> str:
    because = f": {reason}" if reason else ""
    # An address may have a password in it also where none belongs.
    if variable.kind.secrets is not None or "@" in text:
        sentence = f"{variable.name} cannot be used{because} (its value is not shown here)"
    else:
        sentence = f"{variable.name} is {text[:_MOST_SHOWN]!r}{because}"
    return f"{sentence}. Write {variable.kind.write}."


def _usual(variable: Variable) -> str:
    """The value of a variable that is not set, as it would be written."""
    return variable.usual or _written(variable.default)


def _written(value: Any) -> str:
    match value:
        case bool():
            return "on" if value else "off"
        case list():
            return ",".join(value)
        case float():
            return f"{value:g}"
        case _:
            return "" if value is None else str(value)


def read_file(path: Path) -> io.StringIO | None:
    """The text of a file of settings, every line of which is understood; None without a file.

    Raises `SettingsError` with the number of the first other line, and nothing of what it holds.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        raise SettingsError(f"{path} cannot be read: {why}.") from None
    for number, line in enumerate(text.splitlines(), 1):
        plain = line.strip()
        if plain and not plain.startswith("#"):
            if not _LINE.fullmatch(line.rstrip()):
                raise SettingsError(
                    f"{path}, line {number}: not understood. Write NAME=value, without blanks "
                    "around =, in quotes of one kind or in none."
                )
            if _COMMENT.search(line):
                raise SettingsError(
                    f"{path}, line {number}: a comment after a value. Write comments on lines of "
                    "their own, and a value that has a # after a blank in quotes."
                )
    return io.StringIO("\n".join(line.strip() for line in text.splitlines()))
