"""Where the ids of two sides meet: runs and queries, judgments, documents, votes.

Readers never change the text of an id. A program that has made numbers of ids writes 261 as 261.0;
whether that has happened shows where two sides meet, and is mended there, once, and said.
"""

import re
from collections.abc import Collection, Iterable, Mapping
from collections.abc import Set as AbstractSet
from itertools import islice

from ..errors import InputError

_NAMED = 3
_FLOAT = re.compile(r"[0-9]{1,15}\.0", re.ASCII)
_WHOLE = re.compile(r"[0-9]{1,15}", re.ASCII)
#: A long number, and a day: what spreadsheets make of 123457000000000000 and of 1-2.
_MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split()  # noqa: SIM905
_OF_SPREADSHEETS = re.compile(
    r"[0-9](\.[0-9]+)?E\+[0-9]{1,3}"
    rf"|[0-9]{{1,2}}-({'|'.join(_MONTHS)})"
    rf"|({'|'.join(_MONTHS)})-[0-9]{{2}}",
    re.ASCII,
)


def other_spelling(name: str) -> str:
    """261 for 261.0, and the other way round; any other id as it is.

    >>> other_spelling("261.0"), other_spelling("261"), other_spelling("d1")
    ('261', '261.0', 'd1')
    """
    if _FLOAT.fullmatch(name):
        return name.removesuffix(".0")
    return f"{name}.0" if _WHOLE.fullmatch(name) else name


def is_float(name: str) -> bool:
    """Return whether an id is a number as a program writes it that has made numbers of ids."""
    return bool(_FLOAT.fullmatch(name))


def met(ours: Collection[str], theirs: Collection[str]) -> dict[str, str] | None:
    """Our ids as they are written there, where they only meet so; None where nothing is to change.

    They do where no id is on both sides as it is, and one side writes each of its ids 261.0.

    >>> met(["261.0", "31.0"], ["261", "7"]), met(["31.0", "31.1"], ["31"])
    ({'261.0': '261', '31.0': '31'}, None)
    """
    known = theirs if isinstance(theirs, AbstractSet | Mapping) else set(theirs)
    if any(name in known for name in ours):
        return None
    if not all(map(is_float, ours)) and not all(map(is_float, theirs)):
        return None
    renamed = {name: other_spelling(name) for name in ours}
    return renamed if any(name in known for name in renamed.values()) else None


class Lookup:
    """Ids of one side, looked up while those of the other stream by: as they are, or as `met`."""

    def __init__(self, ours: Collection[str]) -> None:
        self._ours = dict.fromkeys(ours)
        self._other = {other_spelling(name): name for name in ours if other_spelling(name) != name}
        self._are_floats = True
        self._first: list[str] = []

    def wants(self, name: str) -> bool:
        """Return whether an id of the other side, which is now the next, may be one of ours."""
        self._are_floats = self._are_floats and is_float(name)
        if len(self._first) <= _NAMED:
            self._first.append(name)
        return name in self._ours or name in self._other

    def matched(self, kept: Collection[str], what: str, whose: str) -> tuple[dict[str, str], str]:
        """Those `kept` of the other side by our ids; and what is to be said, or "".

        It says that ids are written otherwise there, or that the sides have none in common.
        """
        names = {name: name for name in kept if name in self._ours}
        if names or not self._ours:
            return names, ""
        if self._are_floats or all(map(is_float, self._ours)):
            names = {self._other[name]: name for name in kept if name in self._other}
        if names:
            return names, renamed_text(what, names, names)
        return {}, no_meeting(what, sorted(self._ours), whose, self._first)


def renamed_text(what: str, ours: Iterable[str], renamed: Mapping[str, str]) -> str:
    """The notice for ids that `met` renamed."""
    name = next(iter(ours))
    return f"{what} are taken for those that are written otherwise, {name} for {renamed[name]}."


def form(name: str) -> str:
    """The form of an id, without its own letters and digits.

    >>> form("msmarco_passage_01_7"), form("D105"), form("105")
    ('a_a_0_0', 'A0', '0')
    """
    letters = re.sub(r"[A-Z]+", "A", re.sub(r"[^\W\dA-Z_]+", "a", name))
    return re.sub(r"[0-9]+", "0", letters)


def changed_by_spreadsheets(ids: Iterable[str]) -> list[str]:
    """The ids that look as if a spreadsheet had changed them: 1.23457E+17, 1-Feb.

    >>> changed_by_spreadsheets(["1.23457E+17", "1-Feb", "Feb-01", "d1", "1e5"])
    ['1.23457E+17', '1-Feb', 'Feb-01']
    """
    names = list(ids)
    text = "\n".join(names)
    # Millions of other ids are looked through at once.
    if "E+" not in text and not ("-" in text and any(month in text for month in _MONTHS)):
        return []
    return [name for name in names if _OF_SPREADSHEETS.fullmatch(name)]


def spreadsheet_text(what: str, ids: Iterable[str]) -> str:
    """The notice for such ids; "" where there are none."""
    changed = changed_by_spreadsheets(ids)
    if not changed:
        return ""
    return (
        f"{what}: a spreadsheet has changed {len(changed):,} ids, such as {changed[0]!r}, and "
        "may have made several into one. Export them again as text."
    )


def some(ids: Iterable[str]) -> str:
    """Three different ids of a side, for people.

    >>> some(["a", "a", "b", "c", "d"])
    "'a', 'b', 'c', ..."
    """
    first = list(islice(dict.fromkeys(ids), _NAMED + 1))
    return ", ".join(map(repr, first[:_NAMED])) + (", ..." if len(first) > _NAMED else "")


def no_meeting(what: str, ours: Iterable[str], whose: str, theirs: Iterable[str]) -> str:
    """The sentence for two sides without a common id, with three ids of each."""
    return f"{what} and {whose} have no id in common: {some(ours)} here, {some(theirs)} there."


def nothing_met(
    what: str,
    ours: Iterable[str],
    whose: str,
    theirs: Iterable[str],
    *,
    remedy: str,
) -> InputError:
    """The error for two sides without a common id."""
    return InputError(no_meeting(what, ours, whose, theirs), remedy=remedy)
