"""pool build as its users call it: what it stores, writes and refuses."""

import csv
import math
from pathlib import Path

import pytest
from django.db import IntegrityError, transaction

from metrics.errors import InputError
from metrics.texts.lexicon import read_lexicon
from metrics.texts.scoring import score_collection
from pooling.models import ListPlace, Pool, PooledQuery
from pooling.queries import pool_groups, pool_named
from tests import program
from tests.commands import failure, run, run_json

pytestmark = pytest.mark.django_db

HOSTILE = '=1+1, "quoted" <script> ]]> \u202e'


@pytest.fixture
def arguments(tmp_path: Path) -> list[object]:
    (tmp_path / "collection.tsv").write_text("a\tshe\nb\the\nc\tit\n", encoding="utf-8")
    score_collection(tmp_path / "collection.tsv", tmp_path / "m.parquet", lexicon=read_lexicon())
    (tmp_path / "one.run").write_text(
        "1 Q0 a 1 2 t\n2 Q0 b 1 1 t\n3 Q0 c 1 1 t\nother line\n", encoding="utf-8"
    )
    (tmp_path / "queries.tsv").write_text(f"1\t{HOSTILE}\n2\ttwo\n3\tthree\n4\tfour\n")
    options = ["--run", f"A={tmp_path / 'one.run'}", "--queries", tmp_path / "queries.tsv"]
    return ["pool", "build", "--scores", tmp_path / "m.parquet", "--cutoff", "1", *options]


def test_a_pool_is_stored_with_its_origin_and_written(
    arguments: list[object], tmp_path: Path
) -> None:
    output = tmp_path / "pool.csv"
    said = run_json(*arguments, "--name", "P", "--output", output)
    assert said == {
        "n_runs": 1,
        "n_lists": 2,
        "cutoff": 1,
        "n_pooled": 2,
        "n_queries": 4,
        "n_queries_missing": 1,
        "list_sizes": {"A:f": 1, "A:m": 1},
        "unique_to_run": {"A": 2},
        "overlap": {"A:f": {"A:m": 0}},
        "n_zero_bias": 0,
        "n_tied_at_cut": 0,
        "n_tied_zeros": 0,
    }
    assert b"\r" not in output.read_bytes()
    with output.open(encoding="utf-8", newline="") as file:
        assert list(csv.reader(file)) == [
            ["qid", "query", "n_lists", "best_rank", "lists"],
            ["1", HOSTILE, "1", "1", "A:f:1"],
            ["2", "two", "1", "1", "A:m:1"],
        ]
    pool = pool_named("P")
    assert (pool.cutoff, pool.rank_cutoff, pool.magnitude) == (1, 10, "tf")
    assert pool.inputs["runs"]["A"]["file"] == "one.run"
    assert pool.inputs["queries"]["layout"] == "texts"
    assert [query.text for query in pool.queries.all()] == [HOSTILE, "two"]
    assert pool.belongs.study.name == "P"
    place = ListPlace.objects.get(query__qid="1")
    assert (place.run, place.direction, place.rank) == ("A", "f", 1)
    assert place.bias is not None
    assert place.bias < 0


def test_zero_bias_is_counted(arguments: list[object]) -> None:
    assert run_json(*arguments, "--name", "P", "--cutoff", "3")["n_zero_bias"] == 2


def test_the_program_pools_into_a_file_without_the_site(
    arguments: list[object], tmp_path: Path
) -> None:
    of_site, of_program = tmp_path / "site.csv", tmp_path / "program.csv"
    summary = run_json(*arguments, "--name", "P", "--output", of_site)

    assert program.run_json("pool", *arguments[2:], "--output", of_program) == summary

    assert of_program.read_bytes() == of_site.read_bytes()
    assert Pool.objects.count() == 1


def test_it_says_what_it_did(arguments: list[object]) -> None:
    assert "Pool P:\n2 of 4 queries" in run(*arguments, "--name", "P")


def test_a_name_that_exists_is_an_error(arguments: list[object]) -> None:
    run(*arguments, "--name", "P")
    assert "a pool named 'P' exists" in failure(*arguments, "--name", "P")
    assert Pool.objects.count() == 1


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--cutoff", "0"], "--cutoff: 0"),
        (["--rank-cutoff", "0"], "--rank-cutoff: 0"),
        (["--run", "B=absent.run"], "no such file"),
        (["--run", "A=again.run"], "are both named 'A'"),
        (["--name", "x" * 101], "100"),
        (["--output", "/absent/folder/pool.csv"], "the folder does not exist"),
    ],
)
def test_what_cannot_be_done_leaves_no_pool(
    arguments: list[object], options: list[str], said: str
) -> None:
    assert said in failure(*arguments, "--name", "P", *options)
    assert not Pool.objects.exists()
    assert not PooledQuery.objects.exists()


@pytest.mark.parametrize("text", ["1\t  \n2\ttwo\n", "1\n2\n"])
def test_a_pooled_query_without_text_is_an_error_with_its_line(
    arguments: list[object], tmp_path: Path, text: str
) -> None:
    (tmp_path / "queries.tsv").write_text(text)
    said = failure(*arguments, "--name", "P")
    assert f"{tmp_path / 'queries.tsv'}:1: the pooled query '1' has no text" in said


def test_a_query_without_text_that_is_not_pooled_does_no_harm(
    arguments: list[object], tmp_path: Path
) -> None:
    (tmp_path / "queries.tsv").write_text("1\tone\n2\ttwo\n3\t\n")
    assert run_json(*arguments, "--name", "P")["n_pooled"] == 2


def test_an_id_that_is_too_long_to_store_is_an_error(
    arguments: list[object], tmp_path: Path
) -> None:
    (tmp_path / "queries.tsv").write_text(f"{'9' * 201}\tlong\n")
    (tmp_path / "one.run").write_text(f"{'9' * 201} Q0 a 1 1 t\n")
    assert "more than 200 characters" in failure(*arguments, "--name", "P")


def test_the_origin_is_the_same_wherever_the_files_lie(
    arguments: list[object], tmp_path: Path
) -> None:
    run(*arguments, "--name", "P")
    moved = tmp_path / "elsewhere"
    moved.mkdir()
    for name in ("one.run", "queries.tsv", "m.parquet"):
        (tmp_path / name).rename(moved / name)
    run(*(str(part).replace(str(tmp_path), str(moved)) for part in arguments), "--name", "Q")
    assert pool_named("P").inputs == pool_named("Q").inputs


def test_an_unknown_pool_is_an_error_that_names_the_others(arguments: list[object]) -> None:
    run(*arguments, "--name", "P")
    with pytest.raises(InputError, match=r"'Q'.* P\."):
        pool_named("Q")


def test_constraints_hold_in_the_database() -> None:
    pool = Pool.objects.create(name="P", cutoff=1, rank_cutoff=1, magnitude="tf")
    query = PooledQuery.objects.create(pool=pool, qid="1", text="one", best_rank=1)
    place = {"query": query, "run": "A", "direction": "f", "rank": 1, "bias": 0.0}
    ListPlace.objects.create(**place)
    for broken in (
        lambda: Pool.objects.create(name="Q", cutoff=0, rank_cutoff=1, magnitude="tf"),
        lambda: PooledQuery.objects.create(pool=pool, qid="1", text="again", best_rank=2),
        lambda: ListPlace.objects.create(**place),
    ):
        with pytest.raises(IntegrityError), transaction.atomic():
            broken()


def scored_with(arguments: list[object], folder: Path, groups: str) -> list[object]:
    """The arguments with scores by "she", "he" and "they" of these groups, in this order."""
    words = [
        f"{word},{group}\n" for word, group in zip(("she", "he", "they"), groups, strict=False)
    ]
    (folder / "words.csv").write_text("".join(words))
    lexicon = read_lexicon(folder / "words.csv")
    score_collection(folder / "collection.tsv", folder / "n.parquet", lexicon=lexicon)
    return [folder / "n.parquet" if one == folder / "m.parquet" else one for one in arguments]


@pytest.mark.parametrize(
    ("groups", "named", "lists"),
    [
        ("fmx", "", ["A:f", "A:m"]),
        ("fmx", "f, x", ["A:f", "A:x"]),
        ("ab", "", ["A:a", "A:b"]),
        ("abc", "c,a", ["A:a", "A:c"]),
    ],
)
def test_a_pool_has_a_list_for_each_group_that_is_chosen(
    arguments: list[object], tmp_path: Path, groups: str, named: str, lists: list[str]
) -> None:
    said = run_json(*scored_with(arguments, tmp_path, groups), "--name", "P", "--groups", named)
    assert list(said["list_sizes"]) == lists
    pool = pool_named("P")
    assert pool.inputs["magnitudes"].get("groups") == sorted(groups)
    assert pool_groups(pool) == [name.rpartition(":")[2] for name in lists]


def test_of_more_than_two_groups_a_list_begins_with_what_is_most_biased_towards_its_own(
    arguments: list[object], tmp_path: Path
) -> None:
    """By hand: one word each in the documents of queries 1 ("she") and 2 ("he"): log(2)."""
    run_json(*scored_with(arguments, tmp_path, "abc"), "--name", "P", "--cutoff", "1")
    places = ListPlace.objects.order_by("direction")
    whole = math.log(2)
    assert [(one.query.qid, one.direction, one.bias) for one in places] == [
        ("1", "a", pytest.approx(whole)),
        ("2", "b", pytest.approx(whole)),
        ("3", "c", 0),
    ]
    first = PooledQuery.objects.get(qid="1")
    assert first.biases == pytest.approx({"A:a": whole, "A:b": -whole / 2, "A:c": -whole / 2})


@pytest.mark.parametrize(
    ("groups", "named", "said"),
    [
        ("ab", "a,x", "no group 'x': the word list of the scored collection has a, b."),
        ("ab", "b", "compares two or more groups of words, but you named one: b"),
        ("a", "", "Score with another word list."),
    ],
)
def test_groups_that_cannot_be_compared_are_refused(
    arguments: list[object], tmp_path: Path, groups: str, named: str, said: str
) -> None:
    wanted = scored_with(arguments, tmp_path, groups)
    assert said in failure(*wanted, "--name", "P", "--groups", named)
    assert not Pool.objects.exists()
