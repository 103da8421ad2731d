"""The content of a file of votes: JSON records with their lines, or a table; read once."""

import json
import re
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

from ...errors import InputError
from ...io.csv_tables import separator_said
from ...io.lines import open_text
from ...io.parquet_tables import is_parquet
from ...vocabulary import LARGEST_TABLE
from .mturk_results import MAY_END_EARLY
from .option_columns import with_options_joined
from .people import NOTHING_CHOSEN, Choice
from .table import Table, read_parquet, read_table

#: Characters of one text in JSON.
_LONGEST_TEXT = 100_000
_NO_CHARACTER = re.compile("[\x00\ud800-\udfff]")
_BLANKS = re.compile(r"[ \t\r\n]*")
#: Separators of cells, the first of equally frequent ones.
_DELIMITERS = (",", "\t", ";")
#: Number of records whose members tell which program wrote a file.
_FIRST = 20


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a number of JSON")


_DECODER = json.JSONDecoder(parse_constant=_refuse_constant)


class Record(NamedTuple):
    """One JSON object of a file: the line on which it begins, and its number; both from 1."""

    path: str
    line: int
    number: int
    value: dict[str, Any]

    def error(self, message: str, remedy: str = "") -> InputError:
        message = f"record {self.number}: {message}"
        return InputError(message, path=self.path, line=self.line, remedy=remedy)

    def text(self, value: Any) -> str:
        """A single value as a cell; "" for None, a list or an object."""
        if value is None or isinstance(value, list | dict):
            return ""
        if isinstance(value, bool):
            return "true" if value else "false"
        if isinstance(value, float):
            return repr(value)
        text = str(value)
        if len(text) > _LONGEST_TEXT:
            raise self.error(f"holds a text of {len(text):,} characters.", "Shorten it.")
        if _NO_CHARACTER.search(text):
            raise self.error(
                "holds a character that is not valid (NUL, or half of one).", "Remove it."
            )
        return text


class VoteFile:
    """A file whose content, not name, tells its program.

    `choice` is a person's choice of columns.
    """

    def __init__(self, path: str | Path, choice: Choice = NOTHING_CHOSEN) -> None:
        self.path = str(path)
        self.choice = choice

    @property
    def stem(self) -> str:
        """The file's name up to the first dot, which some programs use for the annotator."""
        return Path(self.path).name.partition(".")[0]

    @cached_property
    def is_json(self) -> bool:
        if is_parquet(self.path):
            return False
        with open_text(self.path) as stream:
            start = stream.read(1_000).lstrip(b" \r\n\t")
        return start[:1] == b"{" or re.match(rb"\[\s*[\{\]]", start) is not None

    @cached_property
    def records(self) -> list[Record]:
        """The objects of a JSON array, of JSON lines, or the one of the file, in order."""
        return list(self._records())

    @property
    def first(self) -> list[dict[str, Any]]:
        """The first records; empty for a table."""
        return [record.value for record in self.records[:_FIRST]] if self.is_json else []

    @cached_property
    def table(self) -> Table:
        """The rows of a table, whose first line tells the separator: names, or `sep=;`."""
        if is_parquet(self.path):
            return with_options_joined(read_parquet(self.path))
        with open_text(self.path) as stream:
            header = stream.readline(1_000_000).decode("utf-8", "replace")
        mark = separator_said(header) or max(_DELIMITERS, key=header.count)
        table = read_table(self.path, may_end_early=MAY_END_EARLY, delimiter=mark)
        return with_options_joined(table)

    def _records(self) -> Iterator[Record]:
        text = self._text()
        begin = _after_blanks(text, 0)
        in_array = text.startswith("[", begin)
        line, counted, number = 1, 0, 0
        at = _after_blanks(text, begin + in_array)
        while at < len(text) and not (in_array and text[at] == "]"):
            if in_array and number:
                at = self._after_comma(text, at)
            line, counted = line + text.count("\n", counted, at), at
            number += 1
            value, end = self._object(text, at)
            yield Record(self.path, line, number, value)
            at = _after_blanks(text, end)
        if in_array and (end := _after_blanks(text, at + 1)) != len(text):
            self._refuse(text, min(end, len(text)), "the array is not all of the file")
        if not number:
            raise InputError("holds no record.", path=self.path)

    def _after_comma(self, text: str, at: int) -> int:
        if text[at] != ",":
            self._refuse(text, at, "expected a comma between two records")
        return _after_blanks(text, at + 1)

    def _object(self, text: str, at: int) -> tuple[dict[str, Any], int]:
        try:
            value, end = _DECODER.raw_decode(text, at)
        except json.JSONDecodeError as error:
            self._refuse(text, error.pos, error.msg)
        except RecursionError:
            self._refuse(text, at, "nested too deeply")
        except ValueError as error:
            self._refuse(text, at, str(error))
        if not isinstance(value, dict):
            self._refuse(text, at, "a record is not an object")
        return value, end

    def _text(self) -> str:
        with open_text(self.path) as stream:
            content = stream.read(LARGEST_TABLE + 1)
        if len(content) > LARGEST_TABLE:
            raise InputError(
                f"holds more than {LARGEST_TABLE // 1_000_000} MB of JSON.",
                path=self.path,
                remedy="Export it in several parts.",
            )
        try:
            return content.decode("utf-8")
        except UnicodeDecodeError as error:
            raise InputError(
                "is not UTF-8.",
                path=self.path,
                line=content.count(b"\n", 0, error.start) + 1,
                remedy="Save the file as UTF-8.",
            ) from None

    def _refuse(self, text: str, at: int, why: str) -> NoReturn:
        line = text.count("\n", 0, at) + 1
        raise InputError(f"is not JSON here ({why[:100]}).", path=self.path, line=line) from None


def _after_blanks(text: str, at: int) -> int:
    matched = _BLANKS.match(text, at)
    return matched.end() if matched else at
