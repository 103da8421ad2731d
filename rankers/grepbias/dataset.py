"""The query-document pairs of Grep-BiasIR, by category.

Krieg, Parada-Cabaleiro, Medicus, Lesota, Schedl and Rekabsaz. *Grep-BiasIR: A Dataset for
Investigating Gender Representation-Bias in Information Retrieval Results*, 2022.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from metrics.errors import InputError
from metrics.io.csv_tables import named_rows

#: In the order of the tables of Sundararaman & Subramanian 2022.
CATEGORIES = (
    "Sex & Relationship",
    "Career",
    "Child Care",
    "Appearance",
    "Cognitive Capabilities",
    "Domestic Work",
    "Physical Capabilities",
)
Gender = Literal["M", "F", "N", "both"]
# The released files write `botrh` once.
_GENDERS: dict[str, Gender] = {"M": "M", "F": "F", "N": "N", "both": "both", "botrh": "both"}
_COLUMNS = ("q_id", "d_id", "relevant", "query", "doc_title", "document", "content_gender")
_REMEDY = "Use the folder of the released files queries-documents_*.csv."


@dataclass(frozen=True)
class Pair:
    """A query with one of its documents. `text` is the document's title and text."""

    category: str
    query: str
    document: str
    gender: Gender
    relevant: bool
    query_text: str
    text: str


def read_pairs(folder: str | Path) -> list[Pair]:
    """The 702 pairs, category by category in the order of `CATEGORIES`, then as released."""
    pairs: list[Pair] = []
    for category in CATEGORIES:
        path = Path(folder) / f"queries-documents_{category}.csv"
        if not path.is_file():
            raise InputError("no such file.", path=path, remedy=_REMEDY)
        pairs += [
            _pair(category, row, path, line) for line, row in named_rows(path, _COLUMNS, _REMEDY)
        ]
    return pairs


def _pair(category: str, row: dict[str, str], path: Path, line: int) -> Pair:
    if row["content_gender"] not in _GENDERS:
        raise InputError(
            f"the gender {row['content_gender']!r} is none of M, F, N, both.", path=path, line=line
        )
    return Pair(
        category=category,
        query=row["q_id"],
        document=row["d_id"],
        gender=_GENDERS[row["content_gender"]],
        relevant=row["relevant"] == "1",
        query_text=row["query"],
        text=f"{row['doc_title']} {row['document']}",
    )
