"""Published figures and other programs' values, computed anew: how many are equal.

    python -m measurements.reproduced [CLONES]

Prints a table: what was computed, whose values it is compared with, how many of them are equal. Two
rows need nothing but a checkout. The others read clones of public repositories in the folder
CLONES, each under its own name (`REPOSITORIES`); a row says which one is missing.
"""

import argparse
import contextlib
import csv
import io
import json
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import ir_measures

from measurements import fixtures
from metrics.api import evaluate
from rankers.registry import RANKERS

ROOT = Path(__file__).resolve().parents[1]
#: Clones that rows read, and the commits that they were tried with.
REPOSITORIES = {
    "GenderBias_IR": ("navid-rekabsaz/GenderBias_IR", "3b940f9"),
    "rank_llm": ("castorini/rank_llm", "916102c"),
    "trec-ragtime-2026": ("jknafou/trec-ragtime-2026", "0e6ea4c"),
    "trec-rag-data": ("TREC-RAG/trec-rag-data", "1de1b22"),
    "TREC-RAG-2026": ("Elyasirankhah/TREC-RAG-2026", "fab7612"),
}
#: The largest difference to a program that prints six decimals, or computes in single precision.
ROUNDED = 1e-6
#: The cut-offs of Table 3 of Rekabsaz & Schedl (2020).
CUTOFFS = (5, 10, 20, 30)
#: Their names of magnitudes, and ours.
MAGNITUDES = {"tf": "logtc", "bool": "bool"}

Lists = dict[str, dict[str, float]]


class Comparison(NamedTuple):
    """Equal values among those of another program, or published ones."""

    equal: int
    of: int

    def __str__(self) -> str:
        return f"{self.equal:,} of {self.of:,}"


def fixtures_by_authors() -> Comparison:
    """The fixtures' values, computed now, and what the authors' programs gave for them."""
    rows = [row for row in fixtures.values(fixtures.FOLDER) if row["authors_value"] is not None]
    equal = sum(abs(row["value"] - row["authors_value"]) <= ROUNDED for row in rows)
    return Comparison(equal, len(rows))


def ndcg_by_ir_measures() -> Comparison:
    """nDCG@10 of each query of the sample under three rankers, and that of ir_measures."""
    collection, queries = (
        _lines(ROOT / f"sample/{name}.tsv") for name in ("collection", "queries")
    )
    qrels = ROOT / "sample/qrels.txt"
    judged = list(ir_measures.read_trec_qrels(str(qrels)))
    equal = compared = 0
    for name in ("BM25", "TFIDF", "LSA"):
        ranked = RANKERS[name].rank(collection, queries, 100, 1)
        run: Lists = {qid: dict(documents) for qid, documents in ranked}
        ours = evaluate(run, "nDCG@10", qrels=qrels, per_query=True)
        theirs = {
            m.query_id: m.value for m in ir_measures.iter_calc([ir_measures.nDCG @ 10], judged, run)
        }
        for qid, value in zip(ours["qid"], ours["value"], strict=True):
            equal += abs(value - theirs[qid]) <= ROUNDED
            compared += 1
    return Comparison(equal, compared)


def table_3_by_authors(notebooks: Path, rank_llm: Path) -> Comparison:
    """Table 3 of Rekabsaz & Schedl (2020) for runs of TREC DL 2019, and by their notebooks.

    The cells are means over queries of RaB and ARaB, TF and Bool, at four cut-offs.
    """
    texts: dict[str, str] = {}
    runs: dict[str, Lists] = {}
    for path in sorted(rank_llm.glob("retrieve_results/*/retrieve_results_dl19.json")):
        run = runs.setdefault(path.parent.name, {})
        for query in json.loads(path.read_text(encoding="utf-8")):
            for hit in query["hits"]:
                # Their reader of the collection takes what stands between the first two tabs.
                texts[hit["docid"]] = " ".join(hit["content"].split("\n"))
                run.setdefault(str(hit["qid"]), {})[hit["docid"]] = -float(hit["rank"])
    theirs = _by_notebooks(notebooks, texts, runs)
    frame = evaluate(
        runs,
        [f"{m}(magnitude={kind})" for m in ("RaB", "ARaB") for kind in MAGNITUDES.values()],
        texts,
        cutoffs=CUTOFFS,
        lexicon=notebooks / "resources/wordlist_genderspecific.txt",
        tokenizer="whitespace",
    )
    ours = {
        (row["measure"], row["run"], row["magnitude"], row["cutoff"]): float(row["value"])
        for row in frame.to_dict("records")
    }
    equal = sum(
        abs(ours[measure, name, MAGNITUDES[kind], cutoff] - value) <= ROUNDED
        for (measure, name, kind, cutoff), value in theirs.items()
    )
    return Comparison(equal, len(theirs))


def _by_notebooks(
    clone: Path, texts: Mapping[str, str], runs: Mapping[str, Lists]
) -> dict[tuple[str, str, str, int], float]:
    """The values of the three notebooks, run cell by cell with paths of our own."""
    with TemporaryDirectory() as folder:
        place = Path(folder)
        (place / "collection").write_text(
            "".join(f"{docno}\t{text}\n" for docno, text in texts.items()), encoding="utf-8"
        )
        qids = sorted({qid for run in runs.values() for qid in run})
        (place / "queries").write_text("".join(f"{qid},a query,n\n" for qid in qids))
        for name, run in runs.items():
            rows = [
                f"{qid} Q0 {docno} {rank} {-rank} {name}\n"
                for qid, documents in run.items()
                for rank, docno in enumerate(sorted(documents, key=lambda d: -documents[d]), 1)
            ]
            (place / f"{name}.run").write_text("".join(rows))
        kept = {kind: str(place / f"docs_{kind}.pkl") for kind in ("tc", "tf", "bool")}
        per_query = {
            measure: {
                name: {kind: f"{place}/run_bias_{name}_{kind}_{measure}.pkl" for kind in MAGNITUDES}
                for name in runs
            }
            for measure in ("RaB", "ARaB")
        }
        common = {
            "queries_gender_annotated_path": str(place / "queries"),
            "at_ranklist": list(CUTOFFS),
        }
        _run_notebook(clone / "step1_calculate_bias_documents.ipynb", {
            "collection_path": str(place / "collection"),
            "wordlist_path": str(clone / "resources/wordlist_genderspecific.txt"),
            "docs_bias_save_paths": kept,
        })  # fmt: skip
        _run_notebook(clone / "step2_calculate_bias_runs.ipynb", {
            "experiments": {name: str(place / f"{name}.run") for name in runs},
            "docs_bias_paths": kept,
            "save_path_base": str(place),
            **common,
        })  # fmt: skip
        end = _run_notebook(clone / "step3_bias_metrics.ipynb", {
            "experiments": list(runs),
            "qry_bias_paths": per_query,
            **common,
        })  # fmt: skip
    return {
        (measure, name, kind, cutoff): float(value)
        for measure, by_run in end["eval_results_bias"].items()
        for name, by_kind in by_run.items()
        for kind, by_cutoff in by_kind.items()
        for cutoff, value in by_cutoff.items()
    }


def _run_notebook(path: Path, settings: Mapping[str, Any]) -> dict[str, Any]:
    """The names at the end of a notebook, whose settings are replaced once a cell has set them."""
    names: dict[str, Any] = {}
    with contextlib.redirect_stdout(io.StringIO()):
        for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
            if cell["cell_type"] == "code":
                exec("".join(cell["source"]), names)  # noqa: S102 - the program that is compared with
                names.update({name: value for name, value in settings.items() if name in names})
    return names


def languages_of_ragtime(clone: Path) -> Comparison:
    """Shares of four languages at the first rank of three runs, and the table beside the runs."""
    runs = {"native text": 1, "Opus-MT (low tier)": 3, "NLLB (high tier)": 2}
    frame = evaluate(
        {name: clone / f"submission/task2/T2_run_{number}.txt" for name, number in runs.items()},
        "LabelShare@1",
        labels=clone / "analysis/doc_languages.tsv",
    )
    page = (clone / "analysis/task2_language_mix.md").read_text(encoding="utf-8")
    first = page.partition("## Down to rank 1\n")[2].partition("\n## ")[0]
    equal = compared = 0
    for name in runs:
        [cells] = re.findall(rf"^\| {re.escape(name)} \|(.*)$", first, re.MULTILINE)
        for group, published in zip(("en", "es", "ru", "zh"), cells.split("|"), strict=False):
            [value] = frame[
                (frame["run"] == name) & (frame["measure"] == f"LabelShare(group={group})")
            ]["value"]
            equal += f"{100 * value:.1f}%" == published.strip()
            compared += 1
    return Comparison(equal, compared)


def order_by_judges(judgments: Path, runs: Path) -> Comparison:
    """nDCG@10 of two runs under each of three judges, here and in ir_measures."""
    [dual], [listwise] = (
        list(runs.glob(f"runs/dev/*{name}*.tsv")) for name in ("dual", "listwise")
    )
    folder = judgments / "trec-rag-2026/development-data/rag25-dev-umbrela-qrels"
    judges = {path.stem: path for path in sorted(folder.glob("*.qrels"))}
    systems = {"dual": dual, "listwise": listwise}
    frame = evaluate(systems, "nDCG@10", judge_qrels=judges, order="trec_eval")
    ours = [
        row
        for row in frame.to_dict("records")
        if row["source"] == "judge" and row["baseline"] not in systems
    ]
    equal = 0
    for name, path in judges.items():
        values = {row["run"]: float(row["value"]) for row in ours if row["judge"] == name}
        theirs = {
            system: ir_measures.calc_aggregate(
                [ir_measures.nDCG @ 10],
                ir_measures.read_trec_qrels(str(path)),
                ir_measures.read_trec_run(str(file)),
            )[ir_measures.nDCG @ 10]
            for system, file in systems.items()
        }
        equal += all(abs(values[system] - value) <= ROUNDED for system, value in theirs.items())
        sys.stderr.write(f"{name}: {', '.join(f'{s} {v:.3f}' for s, v in values.items())}\n")
    return Comparison(equal, len(judges))


def _lines(path: Path) -> list[tuple[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return [
            (row[0], row[1]) for row in csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
        ]


class Claim(NamedTuple):
    """A line of the table: its words, the clones that it reads, and what compares."""

    computed: str
    compared_with: str
    clones: tuple[str, ...]
    compare: Callable[..., Comparison]


CLAIMS = (
    Claim(
        "values of the fixtures",
        "the programs of the measures' authors, TREC's and ir_measures",
        (),
        fixtures_by_authors,
    ),
    Claim(
        "nDCG@10 of each query of the sample, three rankers",
        "ir_measures",
        (),
        ndcg_by_ir_measures,
    ),
    Claim(
        "Table 3 of Rekabsaz & Schedl (2020) for runs of TREC DL 2019",
        "their notebooks",
        ("GenderBias_IR", "rank_llm"),
        table_3_by_authors,
    ),
    Claim(
        "languages at the first rank of three runs of TREC RAGTIME 2026",
        "the table published with the runs",
        ("trec-ragtime-2026",),
        languages_of_ragtime,
    ),
    Claim(
        "nDCG@10 of two runs of TREC RAG 2026 under each of three judges",
        "ir_measures",
        ("trec-rag-data", "TREC-RAG-2026"),
        order_by_judges,
    ),
)


def rows(clones: Path | None) -> Iterator[str]:
    """The lines of the table."""
    for claim in CLAIMS:
        paths = [(clones or Path("nowhere")) / name for name in claim.clones]
        missing = [
            name for name, path in zip(claim.clones, paths, strict=True) if not path.is_dir()
        ]
        result = ", ".join(
            f"git clone https://github.com/{REPOSITORIES[name][0]}" for name in missing
        )
        yield f"| {claim.computed} | {claim.compared_with} | {result or claim.compare(*paths)} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("clones", type=Path, nargs="?", help="The folder with the clones.")
    sys.stdout.write("| computed | compared with | equal |\n|---|---|---|\n")
    for row in rows(parser.parse_args().clones):
        sys.stdout.write(f"{row}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
