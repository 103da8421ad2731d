"""From a collection to CRBO in one command: swapped, ranked twice, compared, reported."""

import csv
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from metrics.runs import read_run
from tests.program import failure, run, run_json

# The query names a woman: swapped, the first passage no longer matches and the second does.
PASSAGES = {
    "d1": "the queen and her garden",
    "d2": "the king and his garden",
    "d3": "a garden of many roses",
    "d4": "boats on the river",
}


def material(folder: Path) -> Path:
    lines = "".join(f"{docno}\t{text}\n" for docno, text in PASSAGES.items())
    (folder / "c.tsv").write_text(lines, encoding="utf-8")
    (folder / "q.tsv").write_text("1\tqueen garden\n2\triver boats\n", encoding="utf-8")
    return folder


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return material(tmp_path)


def ranked(folder: Path, *more: object) -> list[object]:
    return [
        "rank", "--counterfactual", "--collection", folder / "c.tsv", "--queries", folder / "q.tsv",
        "--output", folder / "out", "--rankers", "BM25", *more,
    ]  # fmt: skip


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """What the command says of the passages above."""
    return run_json(*ranked(material(tmp_path_factory.mktemp("made"))))


def test_the_same_ranker_ranks_both_collections(made: Any) -> None:
    before, after = (
        read_run(made["runs"]["BM25"][side]) for side in ("original", "counterfactual")
    )
    assert before.documents("1")[0] == "d1"
    assert after.documents("1")[0] == "d2"
    assert before.documents("2") == after.documents("2")
    assert (made["runs"]["BM25"]["n_queries"], made["runs"]["BM25"]["n_changed"]) == (2, 1)


def test_the_changes_are_listed_per_query_most_changed_first(made: Any) -> None:
    with Path(made["changes"]).open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert [row["qid"] for row in rows] == ["1", "2"]
    # d1, d3, d2 (equal scores stand by docno descending) becomes d2, d3, d1.
    assert [rows[0][name] for name in ("n_kept", "n_moved", "largest_move")] == ["1", "2", "2"]
    assert float(rows[1]["CRBO"]) == 1
    mean = sum(float(row["CRBO"]) for row in rows) / 2
    assert made["runs"]["BM25"]["crbo"] == pytest.approx(mean)


class Cells(HTMLParser):
    """The bold texts of a page: the documents of both lists."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.bold: list[str] = []
        self._depth = 0
        self.feed(page)

    def handle_starttag(self, tag: str, _attrs: list[tuple[str, str | None]]) -> None:
        self._depth += tag == "strong"

    def handle_endtag(self, tag: str) -> None:
        self._depth -= tag == "strong"

    def handle_data(self, data: str) -> None:
        if self._depth:
            self.bold.append(data)


def test_the_query_that_changed_most_is_shown_with_both_lists(made: Any) -> None:
    page = Path(made["most_changed"]).read_text(encoding="utf-8")
    assert Cells(page).bold == ["d1", "d2", "d3", "d3", "d2", "d1"]


def test_a_collection_without_gendered_words_changes_nothing(folder: Path) -> None:
    (folder / "c.tsv").write_text("d3\ta garden of roses\nd4\tboats on the river\n")

    made = run_json(*ranked(folder))

    assert made["runs"]["BM25"]["crbo"] == 1
    assert "most_changed" not in made


@pytest.mark.long
def test_with_magnitudes_the_report_shows_crbo_of_the_runs(folder: Path) -> None:
    run("score", folder / "c.tsv", "--output", folder / "m.parquet")

    made = run_json(*ranked(folder, "--scores", folder / "m.parquet"))

    with (Path(made["report"]) / "crbo.csv").open(encoding="utf-8") as file:
        [row] = csv.DictReader(file)
    assert float(row["CRBO"]) == pytest.approx(made["runs"]["BM25"]["crbo"])


def test_the_command_replaces_what_it_made_and_nothing_else(folder: Path) -> None:
    run(*ranked(folder))
    run(*ranked(folder))
    (folder / "out" / "changes.csv").write_text("my notes\n")

    said = failure(*ranked(folder))

    assert str(folder / "out" / "changes.csv") in said
    assert (folder / "out" / "changes.csv").read_text() == "my notes\n"


@pytest.mark.parametrize("more", [("--model", "m"), ("--run", "{f}/q.tsv")])
def test_a_model_needs_its_candidates(folder: Path, more: tuple[str, str]) -> None:
    assert "--run" in failure(*ranked(folder, *(one.format(f=folder) for one in more)))
    assert not (folder / "out").exists()


def test_lists_are_explained_side_by_side_on_the_command_line(made: Any, folder: Path) -> None:
    pair = made["runs"]["BM25"]
    call = (
        "explain", "1", "--run", f"BM25={pair['original']}", "--collection",
        folder / "c.tsv", "--counterfactual", f"BM25={pair['counterfactual']}",
    )  # fmt: skip

    found = run_json(*call, "--counterfactual-collection", made["counterfactual"])

    first = found["counterfactual"][0]["ranks"][0]
    assert (first["original"]["docno"], first["new_rank"]) == ("d1", 3)
    assert (first["counterfactual"]["docno"], first["old_rank"]) == ("d2", 3)
    assert "queen" in first["counterfactual"]["text"]
    assert "--counterfactual-collection" in failure(*call)
