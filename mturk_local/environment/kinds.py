"""Kinds of settings: what may be written, and what it is read as.

A kind reads the text of a variable, or raises `ValueError` with a reason (or none) that does not
repeat secrets. Nothing is replaced in a text: `$1` is two characters.
"""

import json
import re
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any, Generic, TypeVar
from urllib.parse import SplitResult, urlsplit

T = TypeVar("T")

#: The words of a switch, in any case.
SWITCHES = {
    **dict.fromkeys(("1", "true", "yes", "on", "t", "y"), True),
    **dict.fromkeys(("0", "false", "no", "off", "f", "n"), False),
}
#: The most days, and seconds, that a setting may say: beyond, dates end.
MOST_DAYS, MOST_SECONDS = 36_500, 36_500 * 86_400
#: The largest number without a range of its own.
MOST = 10**9
_WHOLE = re.compile(r"[0-9]{1,18}")
_DECIMAL = re.compile(r"[0-9]{1,18}(?:\.[0-9]{1,18})?")
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
_HOST = re.compile(r"[A-Za-z0-9_](?:[A-Za-z0-9_.-]*[A-Za-z0-9_])?|\[[0-9A-Fa-f:.]+\]")
_PORT = re.compile(r":[0-9]{1,5}$")
_USUAL_PORTS = {"http": ":80", "https": ":443"}
_RATE = re.compile(r"[1-9][0-9]{0,8}/(?:s|sec|second|m|min|minute|h|hour|d|day)")


@dataclass(frozen=True)
class Kind(Generic[T]):
    """Values that a variable may hold.

    `write` ends the sentence "Write ...". Where the value is secret, or holds secrets, `secrets`
    returns what no log and no message may contain.
    """

    write: str
    read: Callable[[str], T]
    secrets: Callable[[T], Iterable[str]] | None = None


def switch() -> Kind[bool]:
    """On or off."""

    def read(text: str) -> bool:
        if (word := text.lower()) not in SWITCHES:
            raise ValueError
        return SWITCHES[word]

    on = ", ".join(word for word, value in SWITCHES.items() if value)
    off = ", ".join(word for word, value in SWITCHES.items() if not value)
    return Kind(f"one of {on} (on), {off} (off)", read)


def whole(unit: str, low: int = 0, high: int | None = None) -> Kind[int]:
    """A whole number of `unit`, from `low` to `high`."""

    def read(text: str) -> int:
        if not _WHOLE.fullmatch(text) or not low <= int(text) <= (high or MOST):
            raise ValueError
        return int(text)

    return Kind(f"a whole number of {unit} in digits, {_range(low, high)}", read)


def decimal(unit: str, low: str = "0", high: int | None = None) -> Kind[Decimal]:
    """A number of `unit` with a decimal point, from `low` to `high`."""

    def read(text: str) -> Decimal:
        if not _DECIMAL.fullmatch(text) or not Decimal(low) <= Decimal(text) <= (high or MOST):
            raise ValueError
        return Decimal(text)

    return Kind(f"a number of {unit} such as 12 or 0.5, {_range(low, high)}", read)


def number(unit: str, low: str = "0", high: int | None = None) -> Kind[float]:
    """A number like that of `decimal`, for what is not money."""
    exact = decimal(unit, low, high)
    return Kind(exact.write, lambda text: float(exact.read(text)))


def text(what: str) -> Kind[str]:
    """A text on one line, taken as it is written."""
    return Kind(what, _one_line)


def secret(what: str, pattern: str = ".*") -> Kind[str]:
    """A text that is shown nowhere, of which `pattern` is found from beginning to end."""

    def read(text: str) -> str:
        if not re.fullmatch(pattern, _one_line(text)):
            raise ValueError
        return text

    return Kind(what, read, lambda value: [value])


def choice(*known: str, fold: Callable[[str], str] = str.lower) -> Kind[str]:
    """One of the words `known`, in any case."""

    def read(text: str) -> str:
        if (word := fold(text)) not in known:
            raise ValueError
        return word

    return Kind(f"one of {', '.join(known)}", read)


def name(what: str, pattern: str) -> Kind[str]:
    """A text in which `pattern` is found from beginning to end."""

    def read(text: str) -> str:
        if not re.fullmatch(pattern, text):
            raise ValueError
        return text

    return Kind(what, read)


def rate() -> Kind[str]:
    """A number of calls in a second, minute, hour or day."""

    def read(text: str) -> str:
        if not _RATE.fullmatch(text):
            raise ValueError
        return text

    return Kind("a number of calls for each second, minute, hour or day, such as 600/min", read)


def hosts(*, ports: bool = False, patterns: bool = False) -> Kind[list[str]]:
    """Names of hosts between commas, with `ports` as host or host:port.

    With `patterns` also `*` for all, and `.example.org` for a domain and all below it.
    """
    example = "127.0.0.1:8080" if ports else "fairpool.example.org"
    what = f"names of hosts between commas, such as 127.0.0.1,{example}"

    def read_one(text: str) -> str:
        if patterns and text == "*":
            return text
        if "://" in text:
            raise ValueError(f"{text!r} is an address: give only its host")
        bare = text.removeprefix(".") if patterns else text
        without_port = _PORT.sub("", bare)
        if ports:
            bare = without_port
        elif bare != without_port and _HOST.fullmatch(without_port):
            raise ValueError(f"the port of {text!r} does not belong here")
        if not _HOST.fullmatch(bare):
            raise ValueError(f"{text!r} is not a name of a host")
        return text.lower()

    return Kind(what, lambda text: [read_one(part) for part in _parts(text)])


def host() -> Kind[str]:
    """The name of one host."""
    several = hosts()

    def read(text: str) -> str:
        [value] = several.read(text) if "," not in text else [""]
        if not value:
            raise ValueError("there is more than one")
        return value

    return Kind("the name of a host, such as smtp.example.org", read)


def origins() -> Kind[list[str]]:
    """Origins between commas: scheme, host and port, without a path."""
    single = origin()
    return Kind(
        "origins with their scheme between commas, such as https://fairpool.example.org",
        lambda text: [single.read(part) for part in _parts(text)],
    )


def origin() -> Kind[str]:
    """Scheme, host and port, without a path."""

    def read(text: str) -> str:
        parts = _address(text, ("http", "https"))
        if parts.path.strip("/") or parts.query or parts.fragment:
            raise ValueError(f"{text!r} has a path, which does not belong here")
        # Browsers leave out the usual port.
        usual = _USUAL_PORTS[parts.scheme]
        return f"{parts.scheme}://{parts.netloc.lower().removesuffix(usual)}"

    return Kind("an origin with its scheme, such as https://fairpool.example.org", read)


def address(example: str, *, schemes: Collection[str] = ("http", "https")) -> Kind[str]:
    """An address without a name or password in it."""

    def read(text: str) -> str:
        _address(text, schemes)
        return text

    return Kind(f"an address such as {example}", read)


def folder() -> Kind[Path]:
    """A folder that exists, or that can be made."""

    def read(text: str) -> Path:
        if text.startswith(("$", "~")):
            raise ValueError("nothing is replaced in it, neither $ nor ~")
        path = Path(text)
        there = next(above for above in (path, *path.absolute().parents) if above.exists())
        if not there.is_dir():
            raise ValueError(f"{there} is a file")
        return path

    return Kind("the path of a folder, in full", read)


def json_object(
    what: str, check: Callable[[dict[str, Any]], object], hides: Callable[[Any], Iterable[str]]
) -> Kind[dict[str, Any]]:
    """An object of JSON that `check` accepts, with the secrets that `hides` returns."""

    def read(text: str) -> dict[str, Any]:
        try:
            value = json.loads(text)
        except (ValueError, RecursionError):
            raise ValueError("it is not JSON") from None
        if not isinstance(value, dict):
            raise ValueError("it is not an object of JSON")  # noqa: TRY004 - as all kinds do
        check(value)
        return value

    return Kind(what, read, hides)


def _range(low: object, high: object) -> str:
    return f"{low} or more" if high is None else f"from {low} to {high}"


def _one_line(text: str) -> str:
    if _CONTROL.search(text):
        raise ValueError("it has an end of a line or another character that is not printed")
    return text


def _parts(text: str) -> list[str]:
    return [part for piece in text.split(",") if (part := piece.strip())]


def _address(text: str, schemes: Collection[str]) -> SplitResult:
    """The parts of an address; a port is read only when it is asked for."""
    try:
        parts = urlsplit(text)
        _ = parts.port
    except ValueError:
        raise ValueError("it is not an address") from None
    if parts.scheme not in schemes or not parts.hostname or re.search(r"\s", text):
        raise ValueError(f"it is not an address of {' or '.join(schemes)}")
    if "@" in parts.netloc:
        raise ValueError("a name or a password does not belong into it")
    return parts
