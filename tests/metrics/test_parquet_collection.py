"""A collection in Parquet is scored as the same passages in JSON lines are."""

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from metrics.api import evaluate
from metrics.errors import InputError
from metrics.io.strings import strings
from metrics.texts.collection import read_collection
from metrics.texts.magnitude_store import Magnitudes, open_magnitudes
from metrics.texts.parquet_collection import read_batches
from metrics.texts.scan import reading
from metrics.texts.scan.selection import Selection
from metrics.texts.scoring import score_collection
from metrics.vocabulary import TOKENIZERS, Tokenizer
from tests.program import run_json

#: Line ends, tabs, a sign that lower-cases to a letter of its own, and texts that are empty.
TEXTS = [
    "He said\nshe\tsaid.",
    "",
    "\u212aing and queen's WOMAN\r",
    "  man",
    "É mother\x00she",
    "x",
]
TITLES = ["Her", "", None]
ROWS = [
    {"id": f"D{i}", "text": TEXTS[i % len(TEXTS)] + " she" * (i % 3), "title": TITLES[i % 3]}
    for i in range(5_000)
]


@pytest.fixture(autouse=True, params=["definition", "kernels"])
def _both_ways(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "SMALL", 0 if request.param == "kernels" else 1 << 40)


def write(path: Path, rows: list[dict[str, Any]], **how: Any) -> Path:
    pq.write_table(pa.Table.from_pylist(rows), path, **how)
    return path


def without_rows(path: Path) -> Path:
    none = pa.array([], pa.string())
    pq.write_table(pa.table({"id": none, "text": none}), path)
    return path


def score(path: Path, **how: Any) -> Magnitudes:
    output = path.with_name(f"{path.name}-{len(list(path.parent.iterdir()))}.scored")
    score_collection(path, output, **how)
    return open_magnitudes(output)


def columns(scored: Magnitudes) -> list[Any]:
    numbers: list[Any] = [scored.n_tokens, *scored.tc.values(), *scored.tf.values()]
    return [scored.docnos, *(column.tobytes() for column in numbers)]


@pytest.mark.parametrize("tokenizer", TOKENIZERS)
@pytest.mark.parametrize("repair", [False, True])
def test_the_scores_are_those_of_the_same_passages_in_lines(
    tmp_path: Path, tokenizer: Tokenizer, repair: bool
) -> None:
    lines = tmp_path / "c.jsonl"
    lines.write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    table = write(tmp_path / "c.parquet", ROWS, row_group_size=1_700)

    how: dict[str, Any] = {"tokenizer": tokenizer, "repair_encoding": repair}
    assert columns(score(table, **how)) == columns(score(lines, **how))
    assert list(read_collection(table)) == list(read_collection(lines))


def test_only_the_documents_of_runs_are_scored(tmp_path: Path) -> None:
    table = write(tmp_path / "c.parquet", ROWS)
    chosen = ["D0", "D7", "D4999"]
    part = score(table, selection=Selection([strings([*chosen, "none"])], "blake3:1"))
    whole = score(table)

    assert part.docnos == chosen
    assert part.tf["f"].tobytes() == whole.tf["f"][whole.find(chosen)].tobytes()


@pytest.mark.parametrize(
    "kind", [pa.large_string(), pa.binary(), pa.dictionary(pa.int32(), pa.string())]
)
def test_texts_of_other_types_and_ids_that_are_numbers_are_read(
    tmp_path: Path, kind: pa.DataType
) -> None:
    path = tmp_path / "c.bin"
    texts = pa.array([row["text"] for row in ROWS]).cast(kind)
    pq.write_table(pa.table({"docid": range(len(ROWS)), "contents": texts}), path)

    assert (
        columns(score(path))[1:]
        == columns(
            score(
                write(
                    tmp_path / "c.parquet", [{"id": row["id"], "text": row["text"]} for row in ROWS]
                )
            )
        )[1:]
    )
    assert [docno for docno, _ in read_collection(path)] == [str(i) for i in range(len(ROWS))]


@pytest.mark.long
@pytest.mark.parametrize(
    ("row", "said"),
    [
        ({"id": "D1", "text": "the docno of row 2"}, "docno is that of line 2"),
        ({"id": "a blank", "text": ""}, "a blank"),
        ({"id": "", "text": ""}, "empty"),
        ({"id": None, "text": ""}, "column id"),
        ({"id": "new", "text": None}, "column text"),
    ],
)
def test_an_error_has_its_row(tmp_path: Path, row: dict[str, Any], said: str) -> None:
    path = write(tmp_path / "c.parquet", [*ROWS[:3_000], row, *ROWS[3_001:]])
    with pytest.raises(InputError, match=said) as caught:
        score(path)
    assert (caught.value.path, caught.value.line) == (str(path), 3_001)
    with pytest.raises(InputError, match=said) as caught:
        list(read_collection(path))
    assert caught.value.line == 3_001


def test_what_is_no_collection_is_refused(tmp_path: Path) -> None:
    scored = score(write(tmp_path / "c.parquet", ROWS)).path
    with pytest.raises(InputError, match="no column contents or text"):
        score(scored)
    with pytest.raises(InputError, match="not texts"):
        score(write(tmp_path / "numbers.parquet", [{"id": "D1", "text": 1.5}]))
    with pytest.raises(InputError, match="empty"):
        score(without_rows(tmp_path / "empty.parquet"))
    cut = tmp_path / "cut.parquet"
    cut.write_bytes((tmp_path / "c.parquet").read_bytes()[:-20])
    with pytest.raises(InputError, match="damaged"):
        score(cut)
    with pytest.raises(InputError, match="standard input"):
        score_collection("-", tmp_path / "out.parquet", format="parquet")


def test_text_that_is_not_utf_8_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "c.parquet"
    pq.write_table(pa.table({"id": ["a", "b"], "text": pa.array([b"he", b"\xff"])}), path)
    with pytest.raises(InputError, match="UTF-8"):
        score(path)


def test_the_program_reads_it_as_it_is(tmp_path: Path) -> None:
    path = write(tmp_path / "c.parquet", ROWS)
    scored = run_json("score", path, "--output", tmp_path / "m.parquet")
    assert (scored["n_documents"], scored["collection_size"]) == (len(ROWS), path.stat().st_size)


def test_one_long_text_that_is_repeated_neither_fills_the_memory_nor_goes_on_for_long(
    tmp_path: Path,
) -> None:
    path = tmp_path / "c.parquet"
    sizes: list[int] = []
    texts = pa.DictionaryArray.from_arrays(pa.array([0] * 3_000, pa.int32()), ["she " * 250_000])
    pq.write_table(pa.table({"id": range(3_000), "text": texts}), path, compression="zstd")

    assert path.stat().st_size < 1 << 18
    with pytest.raises(InputError, match=r"grows to more than 67,108,864 bytes"):
        sizes.extend(texts.nbytes for _, texts, _ in read_batches(path))
    assert max(sizes) < 1 << 26


@pytest.mark.long
def test_what_grows_beyond_any_text_is_refused_before_it_is_unpacked(tmp_path: Path) -> None:
    path = write(tmp_path / "c", [{"id": "1", "text": "he " * 30_000_000}], compression="zstd")
    before = pa.total_allocated_bytes()
    with pytest.raises(InputError, match=r"the table grows to 90,0\d\d,\d\d\d bytes"):
        next(read_batches(path))
    assert pa.total_allocated_bytes() == before


def test_more_rows_than_bytes_are_refused_before_they_are_read(tmp_path: Path) -> None:
    path = tmp_path / "c.parquet"
    same = pa.DictionaryArray.from_arrays(pa.array([0] * 1_100_000, pa.int32()), ["she"])
    pq.write_table(pa.table({"id": same, "text": same}), path, compression="zstd")
    with pytest.raises(InputError, match=r"has 1,100,000 rows in [\d,]+ bytes"):
        next(read_batches(path))


def test_a_text_that_is_longer_than_a_line_may_be_is_refused_with_its_row(tmp_path: Path) -> None:
    rows = [{"id": "1", "text": "x"}, {"id": "2", "text": "he " * 6_000_000}]
    with pytest.raises(InputError, match="longer than") as refused:
        list(read_batches(write(tmp_path / "c", rows)))
    assert refused.value.line == 2


def test_runs_are_measured_on_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAIRPOOL_CACHE_DIR", str(tmp_path / "kept"))
    path, run = write(tmp_path / "c.parquet", ROWS[:10]), {"q": {"D1": 2.0, "D2": 1.0}}
    by_texts = evaluate(run, scores=path)
    assert by_texts["value"].tolist() == evaluate(run, scores=score(path).path)["value"].tolist()
