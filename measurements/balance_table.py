"""`python -m measurements.balance_table`: settings of `fairpool balance` on TREC DL 2019.

BM25's run re-ranked by each method at one strength, nDCG beside the exact p of its change: the
table of docs/rankers.md, in Markdown.
"""

import tempfile
from collections.abc import Iterator
from pathlib import Path

from metrics.mitigation.rerank import join_for_reranking
from metrics.mitigation.sweep import sweep
from metrics.reports.formats.tables import Row
from metrics.runs import read_run
from metrics.runs.qrels import read_qrels
from metrics.texts.lexicon import read_lexicon
from metrics.texts.magnitude_store import open_magnitudes
from metrics.texts.scoring import score_collection
from metrics.vocabulary import BalanceMethod
from tests.conftest import SHARED_DATA

DL19 = SHARED_DATA / "msmarco_dl19"
SETTINGS: tuple[tuple[BalanceMethod, float], ...] = (
    ("interpolate", 0.4),
    ("mmr", 0.5),
    ("exposure", 0.3),
    ("exposure", 0.5),
    ("count", 0.6),
    ("detgreedy", 0.8),
)
_COLUMNS = {
    "nDCG": "nDCG",
    "permutation_p": "p",
    "abs_ARaB": "mean absolute ARaB",
    "NFaiRR": "NFaiRR",
    "TExFAIR": "TExFAIR",
}


def rows(folder: Path) -> Iterator[tuple[str, Row]]:
    """The measures of the run as it is, and of each setting."""
    scored = folder / "magnitudes.parquet"
    score_collection(DL19 / "collection.tsv", scored, lexicon=read_lexicon())
    magnitudes = open_magnitudes(scored)
    ranked = join_for_reranking(read_run(DL19 / "runs" / "BM25.run"), magnitudes, 100)
    qrels = read_qrels(DL19 / "qrels.txt")
    for method, strength in (("interpolate", 0.0), *SETTINGS):
        (row,) = sweep(ranked, magnitudes, [method], [strength], qrels=qrels).rows
        name = f"{method} {strength:g}".replace(" 0.", " .")
        yield name if strength else "the run itself", row


def lines(named: Iterator[tuple[str, Row]]) -> Iterator[str]:
    """The rows as a table in Markdown."""
    yield f"| method, strength | {' | '.join(_COLUMNS.values())} |"
    yield "|---" * (1 + len(_COLUMNS)) + "|"
    for name, row in named:
        is_itself = row["strength"] == 0
        cells = [
            "" if is_itself and column == "permutation_p" else _short(column, row[column])
            for column in _COLUMNS
        ]
        yield f"| {name} | {' | '.join(cells)} |".replace("|  |", "| |")


def _short(column: str, value: object) -> str:
    """Four decimals, of a p two, and no zero before the point."""
    digits = 2 if column == "permutation_p" else 4
    return f"{float(str(value)):.{digits}f}".removeprefix("0")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as temporary:
        for line in lines(rows(Path(temporary))):
            print(line)  # noqa: T201
