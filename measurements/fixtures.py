"""Write the folder `fixtures`: small runs with the values of every measure, for other programs.

    python -m measurements.fixtures [FOLDER]

The texts are in small letters with a blank between words, so that every program sees the same
words, and ids are numbers, since some programs read nothing else. Each query shows something that
programs do differently; `fixtures/README.md` tells what.
"""

import argparse
import csv
import hashlib
import json
import math
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from metrics.api import evaluate
from metrics.io.files import write_text
from metrics.measures import get
from metrics.version import VERSION

FOLDER = Path(__file__).resolve().parents[1] / "fixtures"
#: Decimals that are kept: below them the order of a sum and the processor show.
DECIMALS = 12

WORDS = {
    "f": ("she", "her", "woman", "women", "mother", "queen"),
    "m": ("he", "his", "man", "men", "father", "king"),
}
TEXTS = {
    101: "he said that his father was a king",
    102: "she came home",
    103: "the road is wet after the rain",
    104: "his mother and her father met here",
    105: "men and men and men and one woman",
    106: "a queen and her mother and the women of the court",
    107: "rain falls on the hills",
    108: "he left",
    109: "the man who would be king",
    110: "she wrote to her mother that she would come",
    111: "bread is made of flour and water",
    112: "the woman",
    113: "a list of lakes and rivers of the north with their lengths",
    114: "her",
}
#: Rankings by query, best first; "tied" has the same lists with scores that are equal in pairs.
RANKINGS = {
    "1": (101, 104, 103, 102, 105, 106),
    "2": (103, 107, 111, 113, 104, 101),
    "3": (106, 110, 102, 112, 114, 103),
    "4": (109, 112),
    "5": (113, 108, 110, 109, 101, 104),
}
#: The lists of "short": it answers no query 5, and each of the others by two documents at most.
SHORT = {"1": (105, 106), "2": (111,), "3": (101, 114), "4": (103, 107)}
GRADES = {
    "1": {101: 2, 103: 1, 106: 3, 110: 1},
    "2": {107: 1, 111: 0},
    "3": {110: 2, 114: 1},
    "4": {112: 1, 109: 0},
    "5": {104: 1, 108: 2, 109: 1},
}
#: Whom a document was written by; of the others nobody knows.
AUTHORS = {101: "m", 102: "f", 104: "f", 105: "m", 106: "f", 108: "m", 109: "m", 110: "f", 112: "f"}

_MAGNITUDES = ("tf", "logtc", "bool", "tc", "tfnorm")
_UNKNOWN = ("left-out", "group")
MEASURES = (
    *(f"{name}(magnitude={kind})" for name in ("RaB", "ARaB") for kind in _MAGNITUDES),
    "RaB-adjusted",
    "FaiRR",
    "NFaiRR(background=collection)",
    "NFaiRR(background=distinct)",
    *(f"AWRF(distance={distance})" for distance in ("absolute", "tv", "js", "kl")),
    *(f"AWRF-TREC(unknown={unknown})" for unknown in (*_UNKNOWN, "discount")),
    *(f"{name}(unknown={unknown})" for name in ("EE-L", "EE-D", "EE-R") for unknown in _UNKNOWN),
    *(f"NDKL(before={before})" for before in ("left-out", "counted")),
    *("ExposureRatio", "TED", "TED-noRBDF", "TExFAIR", "TExFAIR-noRBDF"),
    *("LabelExposure(group=f)", "LabelShare(group=f)", "LabelAWRF"),
    *("MRR", "Recall", "P", "DCG", "nDCG"),
)
CUTOFFS = (3, 5)


def write(folder: Path) -> None:
    """Write the inputs into `folder`, and the values that the library gives for them."""
    (folder / "runs").mkdir(parents=True, exist_ok=True)
    for name, lines in inputs().items():
        write_text(folder / name, "".join(f"{line}\n" for line in lines))
    document = {
        "version": VERSION,
        "sha256": {name: _digest(folder / name) for name in sorted(inputs())},
        "measures": {name: _conventions(name) for name in MEASURES},
        "values": list(values(folder)),
    }
    text = json.dumps(document, ensure_ascii=False, indent=1, allow_nan=False)
    write_text(folder / "values.json", f"{text}\n")
    arrow, parquet = import_module("pyarrow"), import_module("pyarrow.parquet")
    table = arrow.Table.from_pylist(document["values"])
    parquet.write_table(table, folder / "values.parquet")


def inputs() -> dict[str, list[str]]:
    """The lines of every file that is measured, by its name."""
    runs = {
        "distinct": {qid: _scored(docnos) for qid, docnos in RANKINGS.items()},
        "tied": {qid: _scored(docnos, of_a_tie=2) for qid, docnos in RANKINGS.items()},
        "short": {qid: _scored(docnos) for qid, docnos in SHORT.items()},
    }
    return {
        **{f"runs/{name}.run": list(_run_lines(name, of)) for name, of in runs.items()},
        "texts.tsv": [f"{docno}\t{text}" for docno, text in TEXTS.items()],
        "words.csv": [f"{word},{group}" for group, words in WORDS.items() for word in words],
        "labels.csv": ["docno,group", *(f"{docno},{group}" for docno, group in AUTHORS.items())],
        "qrels.txt": [
            f"{qid} 0 {docno} {grade}"
            for qid, grades in GRADES.items()
            for docno, grade in grades.items()
        ],
    }


def values(folder: Path) -> Iterator[dict[str, Any]]:
    """A row for each measure, cut-off, run and query; null where the measure is undefined.

    With the value of the authors' program where `authors.csv` has one.
    """
    with (folder / "authors.csv").open(encoding="utf-8", newline="") as stream:
        authors = {
            (row["measure"], row["run"], row["qid"]): (float(row["value"]), row["program"])
            for row in csv.DictReader(stream)
        }
    for row in evaluated(folder):
        key = row["measure"], row["run"], row["qid"]
        value, program = authors.pop(key, (None, None))
        yield {**row, "authors_value": value, "authors_program": program}
    if authors:
        raise SystemExit(f"authors.csv has values of what is not measured: {list(authors)}")


def evaluated(folder: Path) -> Iterator[dict[str, Any]]:
    """The values of the library, rounded below what the order of a sum changes."""
    runs = {run: folder / f"runs/{run}.run" for run in ("distinct", "tied", "short")}
    for name in MEASURES:
        needs = get(name).needs
        with warnings.catch_warnings():
            # That "short" does not answer every query is what it is for.
            warnings.filterwarnings("ignore", "judged queries for which a run has no document")
            frame = evaluate(
                runs,
                [f"{name}@{cutoff}" for cutoff in CUTOFFS],
                folder / "texts.tsv",
                lexicon=folder / "words.csv",
                tokenizer="whitespace",
                qrels=folder / "qrels.txt" if "qrels" in needs else None,
                labels=folder / "labels.csv" if "labels" in needs else None,
                queries=list(RANKINGS),
                per_query=True,
            )
        for row in frame.to_dict("records"):
            value = None if math.isnan(row["value"]) else round(row["value"], DECIMALS)
            measure = f"{name}@{row['cutoff']}"
            yield {"measure": measure, "run": row["run"], "qid": row["qid"], "value": value}


def _conventions(name: str) -> dict[str, Any]:
    """The formula of a measure, and the rules that its values rest on."""
    measure = get(name)
    definition = measure.definition
    return {
        "formula": definition.formula,
        "source": definition.citation,
        "parameters": dict(measure.params),
        "list shorter than the cut-off": definition.short_list,
        "query without documents": definition.empty_list,
        "document without group words": definition.no_group_words,
    }


def _scored(docnos: Sequence[int], of_a_tie: int = 1) -> list[tuple[int, float]]:
    """Documents with falling scores, so many at a time with the same one."""
    return [(docno, 9.0 - rank // of_a_tie) for rank, docno in enumerate(docnos)]


def _run_lines(name: str, rankings: Mapping[str, Iterable[tuple[int, float]]]) -> Iterator[str]:
    for qid, scored in rankings.items():
        for rank, (docno, score) in enumerate(scored, start=1):
            yield f"{qid} Q0 {docno} {rank} {score} {name}"


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Write the fixtures.")
    parser.add_argument("folder", nargs="?", type=Path, default=FOLDER)
    write(parser.parse_args().folder)
