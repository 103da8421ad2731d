"""Rankings and texts kept for looking up one query: what was ranked is what is found again."""

from collections.abc import Iterator
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metrics.errors import InputError
from metrics.runs import Run, documents, read_run
from metrics.runs.documents import read_rankings, write_rankings, write_texts

PASSAGES = [(f"d{number}", f"passage {number}") for number in range(300)]


def run_of(folder: Path, name: str, rankings: dict[str, list[str]]) -> Run:
    lines = [
        f"{qid} Q0 {docno} {rank} {100 - rank} x\n"
        for qid, docnos in rankings.items()
        for rank, docno in enumerate(docnos, start=1)
    ]
    path = folder / f"{name}.run"
    path.write_text("".join(lines), encoding="utf-8")
    return read_run(path, name)


@pytest.fixture
def kept(tmp_path: Path) -> tuple[Path, Path]:
    """Rankings of two runs down to rank 2, and the texts of all documents but d299."""
    runs = [
        run_of(tmp_path, "B", {"q1": ["d3", "d150", "d7"], "q2": ["d299", "d3"]}),
        run_of(tmp_path, "A", {"q1": ["d150", "d8"]}),
    ]
    wanted = {docno for run in runs for qid in run.qids for docno in run.documents(qid)}
    rows = write_texts(PASSAGES[:-1], wanted, tmp_path / "texts")
    write_rankings(runs, 2, rows, tmp_path / "rankings")
    return tmp_path / "rankings", tmp_path / "texts"


def test_a_query_is_found_in_every_run_that_has_it(kept: tuple[Path, Path]) -> None:
    first, second = read_rankings(*kept, "q1")
    assert (first.run, first.docnos, first.scores) == ("A", ("d150", "d8"), (99.0, 98.0))
    assert (second.run, second.docnos) == ("B", ("d3", "d150"))
    assert second.texts == {"d3": "passage 3", "d150": "passage 150"}
    (only,) = read_rankings(*kept, "q2")
    assert only.run == "B"
    assert read_rankings(*kept, "q3") == []


def test_a_document_that_the_collection_lacks_has_no_text(kept: tuple[Path, Path]) -> None:
    (only,) = read_rankings(*kept, "q2")
    assert only.docnos == ("d299", "d3")
    assert only.texts == {"d3": "passage 3"}


def test_a_stored_ranking_is_a_run_again(kept: tuple[Path, Path]) -> None:
    run = read_rankings(*kept, "q1")[1].as_run("q1")
    assert (run.name, list(run.qids), run.documents("q1")) == ("B", ["q1"], ["d3", "d150"])
    assert run.scores.tolist() == [99.0, 98.0]
    assert run.ranks.tolist() == [1, 2]


def test_texts_are_kept_once_in_the_order_of_the_collection(tmp_path: Path) -> None:
    told: list[None] = []
    wanted = {"d8", "d2", "nothing"}
    rows = write_texts(PASSAGES[:10], wanted, tmp_path / "t", lambda: told.append(None))
    assert rows == {"d2": 0, "d8": 1}
    assert len(told) == 10


@pytest.mark.long
@given(st.sets(st.integers(0, 299), max_size=300))
def test_any_number_of_texts_leads_back_to_each(
    tmp_path_factory: pytest.TempPathFactory, some: set[int]
) -> None:
    """At the borders of row groups too."""
    folder = tmp_path_factory.mktemp("texts")
    wanted = {f"d{number}" for number in some}
    rows = write_texts(PASSAGES, wanted, folder / "t")
    found = documents._texts_at(folder / "t", list(rows.values()))
    assert {docno: found[row] for docno, row in rows.items()} == {
        docno: text for docno, text in PASSAGES if docno in wanted
    }


def test_one_text_is_read_without_many_others(tmp_path: Path) -> None:
    write_texts(PASSAGES, {docno for docno, _ in PASSAGES}, tmp_path / "t")
    file = pq.ParquetFile(tmp_path / "t")
    assert max(file.metadata.row_group(n).num_rows for n in range(file.num_row_groups)) == 64


def test_what_cannot_be_read_is_said_with_its_file(kept: tuple[Path, Path], tmp_path: Path) -> None:
    rankings, texts = kept
    with pytest.raises(InputError, match="gone:"):
        read_rankings(tmp_path / "gone", texts, "q1")
    texts.write_bytes(b"no Parquet")
    with pytest.raises(InputError, match="texts:"):
        read_rankings(rankings, texts, "q1")


def test_nothing_stays_of_texts_whose_collection_breaks_off(tmp_path: Path) -> None:
    def passages() -> Iterator[tuple[str, str]]:
        yield PASSAGES[0]
        raise InputError("no tab.", path="c.tsv", line=2)

    with pytest.raises(InputError, match=r"c\.tsv:2"):
        write_texts(passages(), {"d0"}, tmp_path / "t")
    assert list(tmp_path.iterdir()) == []
