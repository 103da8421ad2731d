"""RaB and ARaB of real runs through the commands, against what the authors' program gave.

`reference_per_query.csv` was computed with the released code of Rekabsaz & Schedl (2020): six
decimals, cut-off 10; its `split_space` is our `whitespace`, its `tf` our `logtc`.
"""

import csv
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from metrics.runs import read_run
from tests import program
from tests.commands import runs

pytestmark = pytest.mark.shared_data

LISTS = {
    "sigir20_32": "wordlist_genderspecific.sigir20.txt",
    "sigir21_163": "wordlist_gender_representative.sigir21.txt",
}
COLUMN = {
    (measure, magnitude): f"{measure}_{theirs}"
    for measure in ("RaB", "ARaB")
    for magnitude, theirs in (("logtc", "tf"), ("tc", "tc"), ("bool", "bool"))
}
Scored = Callable[[str], Path]


@pytest.fixture(scope="module")
def folder(shared_data: Path) -> Path:
    return shared_data / "msmarco_dl19"


@pytest.fixture(scope="module")
def scored(shared_data: Path, folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Scored:
    """The collection scored with a word list, made once."""
    made = tmp_path_factory.mktemp("scored")

    def score(wordlist: str) -> Path:
        path = made / f"{wordlist}.parquet"
        if not path.exists():
            words = shared_data / "wordlists" / LISTS[wordlist]
            options = ["--lexicon", words, "--tokenizer", "whitespace", "--output", path]
            program.run("score", folder / "collection.tsv", *options)
        return path

    return score


@pytest.mark.parametrize("wordlist", LISTS)
def test_every_query_of_six_systems_equals_the_reference(
    folder: Path, scored: Scored, tmp_path: Path, wordlist: str
) -> None:
    per_query = tmp_path / "q.parquet"
    options = ["--magnitude", "logtc,tc,bool", "--cutoff", "10", "--per-query", per_query]
    program.run("measure", "--scores", scored(wordlist), *runs(folder / "runs"), *options)

    reference = {}
    with (folder / "reference_per_query.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            if (row["tokenizer"], row["wordlist"]) == ("split_space", wordlist):
                reference[row["run"].removeprefix("dl19."), row["qid"]] = row
    compared: dict[str, int] = defaultdict(int)
    for row in pq.read_table(per_query).to_pylist():
        theirs = reference[row["run"], row["qid"]]
        column = COLUMN[row["measure"], row["magnitude"]]
        assert row["value"] == pytest.approx(float(theirs[column]), abs=1e-6), row
        assert row["male"] - row["female"] == pytest.approx(row["value"], abs=1e-12)
        compared[row["run"]] += 1
    assert compared == {path.stem: 43 * 6 for path in (folder / "runs").glob("*.run")}
    assert len(reference) == 43 * 6


def test_the_table_has_the_mean_of_the_queries(folder: Path, scored: Scored) -> None:
    # Rekabsaz et al. (2021), 163 words, BM25: the README beside the data.
    found = program.run_json(
        *("measure", "--scores", scored("sigir21_163")),
        *("--run", f"BM25={folder / 'runs' / 'BM25.run'}"),
        *("--magnitude", "logtc", "--cutoff", "10"),
    )
    values = {row["measure"]: row["value"] for row in found["rows"]}
    assert values["RaB"] == pytest.approx(0.025076, abs=1e-6)
    assert values["ARaB"] == pytest.approx(0.012214, abs=1e-6)
    assert {row["n_queries"] for row in found["rows"]} == {43}
    assert found["magnitudes"]["tokenizer"] == "whitespace"


def test_documents_without_text_stop_with_an_error_that_counts_them(
    folder: Path, scored: Scored, tmp_path: Path
) -> None:
    arguments = ["measure", "--scores", scored("sigir20_32"), "--cutoff", "5,10"]
    arguments += runs(folder / "runs_fair")
    output = tmp_path / "bias.csv"

    said = program.failure(*arguments, "--output", output)
    assert "of the documents in the first 10 ranks of run" in said
    assert not list(tmp_path.iterdir())

    counted = {}
    for rule in ("skip", "zero"):
        program.run(*arguments, "--missing", rule, "--output", output)
        with output.open(encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        assert len(rows) == 10 * 2 * 2
        assert {row["n_queries"] for row in rows} == {"30"}
        counted[rule] = {
            (row["run"], row["cutoff"]): int(row["n_docs_missing"])
            for row in rows
            if row["measure"] == "RaB"
        }
    assert counted["skip"] == counted["zero"]
    # The README beside the data: 0 to 6 of the 300 documents in the top 10 have no text.
    tens = [count for (_, cutoff), count in counted["skip"].items() if cutoff == "10"]
    assert (min(tens), max(tens)) == (0, 6)
    assert all(
        counted["skip"][name, "5"] <= counted["skip"][name, "10"] for name, _ in counted["skip"]
    )


@pytest.mark.long
def test_a_run_whose_rank_column_is_the_first_stage_s_is_ranked_by_score(folder: Path) -> None:
    messy = read_run(folder / "runs_messy_bm25_VBERT.res")
    (notice,) = [notice for notice in messy.notices if notice.kind == "conflict"]
    assert (notice.count, len(messy)) == (43, 43)
    for query in range(len(messy)):
        scores = messy.scores[messy.offsets[query] : messy.offsets[query + 1]]
        assert (scores[:-1] >= scores[1:]).all()
    by_rank = read_run(folder / "runs_messy_bm25_VBERT.res", order="rank")
    assert by_rank.documents("156493")[:2] == ["8182161", "6139386"]
    # The best score of the query's lines, found with sort(1).
    assert messy.scores[messy.offsets[messy.place_of["156493"]]] == 0.999686


@pytest.mark.long
def test_the_output_is_the_same_byte_for_byte(folder: Path, scored: Scored, tmp_path: Path) -> None:
    names = ("bias.csv", "bias.csv.meta.json", "q.parquet")
    made = []
    for attempt in ("one", "two"):
        place = tmp_path / attempt
        place.mkdir()
        program.run(
            *("measure", "--scores", scored("sigir20_32"), *runs(folder / "runs")),
            *("--output", place / "bias.csv", "--per-query", place / "q.parquet"),
        )
        made.append([(place / name).read_bytes() for name in names])
    assert made[0] == made[1]


def test_a_run_of_fewer_queries_has_one_value_alone_and_beside_a_full_one(folder: Path) -> None:
    ir_measures = pytest.importorskip("ir_measures")
    partial, qrels = folder / "runs_fair" / "BM25.run", folder / "qrels.txt"
    theirs = ir_measures.calc_aggregate(
        [ir_measures.nDCG @ 10],
        list(ir_measures.read_trec_qrels(str(qrels))),
        list(ir_measures.read_trec_run(str(partial))),
    )
    full = next((folder / "runs").glob("*BM25*"))

    def value(*beside: str) -> float:
        given = [
            "-r",
            f"A={partial}",
            "--qrels",
            qrels,
            "-m",
            "nDCG",
            "-k",
            10,
            "--category",
            "all",
        ]
        rows = program.run_json("measure", *given, *beside)["rows"]
        return float(next(row["value"] for row in rows if row["run"] == "A"))

    assert (
        value() == value("-r", f"F={full}") == pytest.approx(next(iter(theirs.values())), abs=1e-12)
    )
    assert value() == pytest.approx(0.5338 * 30 / 43, abs=5e-5)
    assert value("--population", "any-run") == pytest.approx(0.5338, abs=5e-5)
