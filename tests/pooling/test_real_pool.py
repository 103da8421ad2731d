"""Pools of real runs through build_pool, and one of 10,000 generated queries by brute force."""

import csv
import random
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path

import pytest

from metrics.measures import Inputs, get
from metrics.runs import read_run
from metrics.runs.queries import read_queries
from metrics.runs.ranked import join
from metrics.texts.lexicon import read_lexicon
from metrics.texts.magnitude_store import open_magnitudes
from metrics.texts.scoring import score_collection
from pooling.building import build_pool
from pooling.models import Pool
from tests.commands import failure, run_json, runs

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def folder(shared_data: Path) -> Path:
    return shared_data / "msmarco_dl19"


@pytest.fixture(scope="module")
def scored(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("scored") / "m.parquet"
    score_collection(
        folder / "collection.tsv", path, lexicon=read_lexicon(), tokenizer="whitespace"
    )
    return path


def brute_force(
    biases: Mapping[str, Mapping[str, float | Fraction]], cutoff: int
) -> dict[str, str]:
    """The lists of each pooled query, from the bias of each query in each run."""
    places: dict[str, list[str]] = {}
    for name in sorted(biases):
        for direction, sign in (("f", 1), ("m", -1)):
            ranked = sorted(biases[name], key=lambda q: (sign * biases[name][q], q))
            for place, qid in enumerate(ranked[:cutoff], start=1):
                places.setdefault(qid, []).append(f"{name}:{direction}:{place}")
    return {qid: "|".join(places[qid]) for qid in sorted(places)}


def biases_of(paths: dict[str, Path], scored: Path, qids: set[str]) -> dict[str, dict[str, float]]:
    magnitudes = open_magnitudes(scored)
    found = {}
    for name, path in paths.items():
        ranked = join(read_run(path, name, queries=qids), magnitudes, 10, "skip")
        values = get("RaB@10").compute(Inputs(ranked)).value.tolist()
        found[name] = {q: round(value, 12) for q, value in zip(ranked.qids, values, strict=True)}
    return found


def exact_biases(
    paths: dict[str, Path], scored: Path, qids: set[str], magnitude: str, cutoff: int
) -> dict[str, dict[str, Fraction]]:
    """RaB of counts in rational arithmetic."""
    magnitudes = open_magnitudes(scored)
    counts = {group: magnitudes.magnitude(magnitude, group) for group in "fm"}
    found: dict[str, dict[str, Fraction]] = {}
    for name, path in paths.items():
        run = read_run(path, name, queries=qids)
        for qid in run.qids:
            rows = magnitudes.find(run.documents(qid)[:cutoff])
            bias = sum(int(counts["m"][row]) - int(counts["f"][row]) for row in rows)
            found.setdefault(name, {})[qid] = Fraction(bias, len(rows))
    return found


@pytest.mark.long
@pytest.mark.shared_data
@pytest.mark.parametrize("magnitude", ["bool", "tc"])
@pytest.mark.parametrize("rank_cutoff", [5, 8, 10])
def test_pools_of_counts_are_those_of_rational_arithmetic(
    folder: Path, scored: Path, magnitude: str, rank_cutoff: int
) -> None:
    queries = read_queries(folder / "queries.tsv")
    paths = {path.stem: path for path in (folder / "runs").glob("*.run")}
    built = build_pool(
        paths,
        open_magnitudes(scored),
        queries,
        cutoff=5,
        magnitude=magnitude,
        rank_cutoff=rank_cutoff,
    )
    exact = exact_biases(paths, scored, set(queries.ids), magnitude, rank_cutoff)
    assert {
        query.qid: "|".join(map(str, query.places)) for query in built.pool.queries
    } == brute_force(exact, 5)


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@pytest.mark.long
@pytest.mark.shared_data
def test_six_systems_pool_as_brute_force_does(folder: Path, scored: Path, tmp_path: Path) -> None:
    output = tmp_path / "pool.csv"
    said = run_json(
        *("pool", "build", "--name", "six", "--scores", scored, *runs(folder / "runs")),
        *("--queries", folder / "queries.tsv", "--cutoff", "5", "--output", output),
    )

    qids = set(read_queries(folder / "queries.tsv").ids)
    paths = {path.stem: path for path in (folder / "runs").glob("*.run")}
    expected = brute_force(biases_of(paths, scored, qids), 5)
    rows = rows_of(output)
    assert {row["qid"]: row["lists"] for row in rows} == expected
    assert [row["qid"] for row in rows] == sorted(expected)
    assert {name: said[name] for name in ("n_runs", "n_lists", "cutoff", "n_queries")} == {
        "n_runs": 6,
        "n_lists": 12,
        "cutoff": 5,
        "n_queries": 43,
    }
    assert said["n_pooled"] == len(rows)
    assert set(said["unique_to_run"]) == set(paths)
    for row in rows:
        assert int(row["n_lists"]) == row["lists"].count("|") + 1
        assert int(row["best_rank"]) == min(
            int(place.rpartition(":")[2]) for place in row["lists"].split("|")
        )

    stored = Pool.objects.get(name="six")
    assert stored.summary == said
    assert {
        query.qid: "|".join(str(place) for place in query.places.all())
        for query in stored.queries.prefetch_related("places")
    } == expected
    assert stored.queries.get(qid="1037798").text == "who is robert gray"


@pytest.mark.long
@pytest.mark.shared_data
def test_sixteen_systems_pool_over_their_common_queries(
    folder: Path, scored: Path, tmp_path: Path
) -> None:
    fair = [
        argument.replace("BM25=", "BM25_fair=") if argument.startswith("BM25=") else argument
        for argument in runs(folder / "runs_fair")
    ]
    arguments = ["pool", "build", "--scores", scored, *runs(folder / "runs"), *fair]
    arguments += ["--queries", folder / "queries.fair30.tsv", "--cutoff", "4"]

    assert "not in the scored collection" in failure(*arguments, "--name", "stopped")
    assert not Pool.objects.filter(name="stopped").exists()

    output = tmp_path / "pool.csv"
    said = run_json(*arguments, "--name", "sixteen", "--missing", "skip", "--output", output)
    assert (said["n_runs"], said["n_lists"], said["n_queries"]) == (16, 32, 30)
    qids = set(read_queries(folder / "queries.fair30.tsv").ids)
    paths = {path.stem: path for path in (folder / "runs").glob("*.run")}
    paths |= {
        path.stem.replace("BM25", "BM25_fair"): path
        for path in (folder / "runs_fair").glob("*.run")
    }
    expected = brute_force(biases_of(paths, scored, qids), 4)
    assert {row["qid"]: row["lists"] for row in rows_of(output)} == expected


@pytest.mark.long
def test_ten_thousand_queries_and_seven_runs_pool_as_brute_force_does(tmp_path: Path) -> None:
    chance = random.Random(20)
    words = ("she", "her", "he", "him", "man", "tree", "stone", "river", "cloud")
    texts = [" ".join(chance.choices(words, k=chance.randint(0, 6))) for _ in range(400)]
    collection = tmp_path / "collection.tsv"
    collection.write_text("".join(f"{i}\t{text}\n" for i, text in enumerate(texts)))
    scored = tmp_path / "m.parquet"
    score_collection(collection, scored, lexicon=read_lexicon())
    qids = [str(number) for number in chance.sample(range(1_000_000), 10_000)]
    queries = tmp_path / "queries.tsv"
    queries.write_text("".join(f"{qid}\tquery, number {qid}\n" for qid in qids))
    options = []
    for name in "ABCDEFG":
        path = tmp_path / f"{name}.run"
        path.write_text(
            "".join(
                f"{qid} Q0 {docno} {rank} {10 - rank} t\n"
                for qid in qids
                for rank, docno in enumerate(chance.sample(range(400), 4), start=1)
            )
        )
        options += ["--run", f"{name}={path}"]

    output = tmp_path / "pool.csv"
    said = run_json(
        *("pool", "build", "--name", "big", "--scores", scored, "--queries", queries),
        *(*options, "--output", output),
    )

    paths = {name: tmp_path / f"{name}.run" for name in "ABCDEFG"}
    biases = biases_of(paths, scored, set(qids))
    expected = brute_force(biases, 500)
    assert {row["qid"]: row["lists"] for row in rows_of(output)} == expected
    assert said["n_pooled"] == len(expected) == Pool.objects.get(name="big").queries.count()
    assert said["unique_to_run"] == {
        name: sum({place[0] for place in lists.split("|")} == {name} for lists in expected.values())
        for name in "ABCDEFG"
    }
    assert said["n_zero_bias"] == sum(
        biases[place[0]][qid] == 0 for qid, lists in expected.items() for place in lists.split("|")
    )
