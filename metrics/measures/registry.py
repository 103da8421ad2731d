"""The measures that exist, by name: each `Definition` that a module of this package makes."""

import re
from functools import cache

from ..aliases import MEASURES, OF_IR_MEASURES, plain
from ..errors import InputError
from ..modules import defined_in
from .base import Definition, Measure, parse
from .of_ir_measures import measure_of

_TREC_EVAL = re.compile(r"(?P<name>[a-z]+([_-][a-z]+)?)([_@.](?P<cutoff>\d{1,9}))?", re.ASCII)


def available() -> tuple[Definition, ...]:
    """All measures, in the order of the tables."""
    return tuple(_definitions().values())


def get(text: str) -> Measure:
    """The measure of a name such as `ARaB@10`, `RaB` or `ARaB(magnitude=bool)@5`.

    Where none is named so, one of ir_measures, such as `AP@100`, if that is installed; the names of
    trec_eval are read, too: `map`, `ndcg_cut_10`.
    """
    try:
        return parse(text, _definitions())
    except InputError:
        name = _as_defined(_of_trec_eval(text))
        if name != text and name.partition("@")[0].partition("(")[0] in _definitions():
            return parse(name, _definitions())
        if len(several := [part for part in re.split(r"[,;\s]+", text) if "@" in part]) > 1:
            raise InputError(
                f"{text!r} names several measures.", remedy=f"Give them as a list: {several}."
            ) from None
        if (theirs := measure_of(name)) is not None:
            return theirs
        if name.partition("@")[0].partition("(")[0].strip() in OF_IR_MEASURES:
            raise InputError(
                f"{name} needs fairpool[ir].", remedy="Install it with: pip install '.[ir]'."
            ) from None
        raise


def _of_trec_eval(text: str) -> str:
    """The name here of a measure of trec_eval, or any other as it is."""
    match = _TREC_EVAL.fullmatch(text.strip().lower())
    name = match["name"].replace("-", "_") if match else ""
    if match is None or name not in MEASURES:
        return text
    return MEASURES[name] + (f"@{match['cutoff']}" if match["cutoff"] else "")


def _as_defined(text: str) -> str:
    """The name with the capitals of the measure that it names, rab@10; any other as it is."""
    name = text.strip().partition("@")[0].partition("(")[0].strip()
    by_plain_name = {plain(known): known for known in _definitions()}
    known = by_plain_name.get(plain(name))
    return text if known is None else text.strip().replace(name, known, 1)


@cache
def _definitions() -> dict[str, Definition]:
    return defined_in(__package__, Definition)
