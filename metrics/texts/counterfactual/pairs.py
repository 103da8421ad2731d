"""Words and names with their counterparts, one to one."""

import csv
import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from ...errors import InputError
from ...io.csv_tables import rows_of
from ..lexicon import BUILT_IN

_DATA = Path(__file__).resolve().parents[2] / "data"
WORDS = _DATA / "counterfactual_words.csv"

#: The built-in pairs of first names: those of the 163 + 163 gender-representative words (the
#: capitalised ones, paired in the order of the list), or 84 common ones of ours.
REPRESENTATIVE, COMMON = "representative", "common"
_COMMON_NAMES = _DATA / "counterfactual_names.csv"
_REPRESENTATIVE_WORDS = BUILT_IN["rekabsaz_kopeinik_schedl_2021"]

HEADER = ["female", "male"]

#: What has no single counterpart; see `metrics.texts.counterfactual.pronouns`.
PRONOUNS = ("her", "hers", "him", "his")

# Words whose counterpart has another one: swapping twice does not bring them back. "Ms" is not
# among them: in capitals it is a disease, a degree and a company far more often than a title.
_ONE_WAY = {"mum": "dad", "mums": "dads", "mummy": "daddy", "bloke": "gal"}

_COLUMNS = 2


@dataclass(frozen=True)
class Pairs:
    """`words` are swapped in any letter case, `names` only where they are capitalised.

    Both map lower-case text to its counterpart, in both directions. `names` may be empty.
    """

    words: Mapping[str, str]
    names: Mapping[str, str]

    @cached_property
    def sha256(self) -> str:
        """SHA-256 of the pairs as sorted lines, so that a result can name what it was made with."""
        lines = [f"word,{a},{b}\n" for a, b in sorted(self.words.items())]
        lines += [f"name,{a},{b}\n" for a, b in sorted(self.names.items())]
        return hashlib.sha256("".join(lines).encode()).hexdigest()


def read_pairs(words: str | Path | None = None, names: str | Path | None = None) -> Pairs:
    """Read lines `female,male`; without a path, the built-in pairs of words and of first names.

    `names` is a file, `REPRESENTATIVE` (the default: a name is substituted with one of the other
    gender among the gender-representative words, as Abolghasemi et al. 2024 do) or `COMMON`.

    Raises `InputError` with file and line for a line of another shape, for a word that stands in
    two pairs, and for one of the pronouns, which are decided by their part of speech.
    """
    seen: dict[str, str] = {}
    swapped = _both_ways(_read(Path(words or WORDS), seen))
    if words is None:
        swapped |= _ONE_WAY
    if names in (None, REPRESENTATIVE):
        return Pairs(swapped, _both_ways(_representative_names()))
    path = _COMMON_NAMES if names == COMMON else Path(names or "")
    return Pairs(swapped, _both_ways(_read(path, seen)))


def _representative_names() -> list[tuple[str, str]]:
    with _REPRESENTATIVE_WORDS.open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["word"][0].isupper()]
    female, male = (
        [row["word"].lower() for row in rows if row["group"] == group] for group in ("f", "m")
    )
    return list(zip(female, male, strict=True))


def _both_ways(pairs: Iterable[tuple[str, str]]) -> dict[str, str]:
    mapping: dict[str, str] = {}
    for female, male in pairs:
        mapping |= {female: male, male: female}
    return mapping


def _read(path: Path, seen: dict[str, str]) -> list[tuple[str, str]]:
    rows = [*rows_of(path)]
    if rows and rows[0][1] == HEADER:
        del rows[0]
    return [_pair(row, path, number, seen) for number, row in rows]


def _pair(row: list[str], path: Path, number: int, seen: dict[str, str]) -> tuple[str, str]:
    cells = [cell.strip().lower() for cell in row]
    if len(cells) != _COLUMNS or not all(cell.isalpha() for cell in cells):
        raise InputError(
            "is not a pair of words.",
            path=path,
            line=number,
            remedy="Write for example aunt,uncle.",
        )
    for cell in cells:
        if cell in PRONOUNS:
            raise InputError(
                f'"{cell}" has no single counterpart.',
                path=path,
                line=number,
                remedy="Leave it out: it is decided by its part of speech.",
            )
        if cell in seen:
            raise InputError(f'"{cell}" is in {seen[cell]} too.', path=path, line=number)
        seen[cell] = f"line {number} of {path.name}"
    return cells[0], cells[1]
