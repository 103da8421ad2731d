import gzip
import json
from pathlib import Path

import pytest
import zstandard

from metrics.errors import InputError
from metrics.texts.collection import read_collection
from metrics.texts.counterfactual import read_pairs, rewrite_collection

LINES = "d1\tShe saw him.\nd2\tNothing here.\nd3\tA\ttab and a queen.\n"
SWAPPED = "d1\tHe saw her.\nd2\tNothing here.\nd3\tA\ttab and a king.\n"


@pytest.fixture
def collection(tmp_path: Path) -> Path:
    path = tmp_path / "collection.tsv"
    path.write_text(LINES, encoding="utf-8")
    return path


def test_a_collection_is_written_in_its_order_with_the_genders_swapped(
    tmp_path: Path, collection: Path
) -> None:
    output = tmp_path / "swapped.tsv"

    done = rewrite_collection(collection, output, pairs=read_pairs())

    assert output.read_text(encoding="utf-8") == SWAPPED
    assert (done.n_documents, done.n_changed) == (3, 2)


def test_several_processes_write_the_same_bytes(tmp_path: Path) -> None:
    collection = tmp_path / "collection.tsv"
    lines = [f"d{n}\tShe told {n} men and her mother.\n" for n in range(5_000)]
    collection.write_text("".join(lines), encoding="utf-8")
    outputs = [tmp_path / f"{processes}.tsv" for processes in (1, 2)]

    for processes, output in enumerate(outputs, start=1):
        rewrite_collection(
            collection, output, pairs=read_pairs(), method="rules", processes=processes
        )

    assert outputs[0].read_bytes() == outputs[1].read_bytes()
    assert outputs[0].read_text(encoding="utf-8").count("\n") == 5_000


def test_the_name_of_the_output_says_layout_and_compression(
    tmp_path: Path, collection: Path
) -> None:
    names = ("a.jsonl", "b.tsv.gz", "c.tsv.zst")
    for name in names:
        rewrite_collection(collection, tmp_path / name, pairs=read_pairs())

    first = json.loads((tmp_path / "a.jsonl").read_text(encoding="utf-8").splitlines()[0])
    assert first == {"id": "d1", "contents": "He saw her."}
    assert gzip.decompress((tmp_path / "b.tsv.gz").read_bytes()).decode() == SWAPPED
    with zstandard.open(tmp_path / "c.tsv.zst", "rt", encoding="utf-8") as file:
        assert file.read() == SWAPPED
    for name in names:
        assert len(list(read_collection(tmp_path / name))) == 3


def test_compressed_output_has_no_time_in_it(tmp_path: Path, collection: Path) -> None:
    for name in ("a.tsv.gz", "b.tsv.gz"):
        rewrite_collection(collection, tmp_path / name, pairs=read_pairs())

    assert (tmp_path / "a.tsv.gz").read_bytes() == (tmp_path / "b.tsv.gz").read_bytes()


def test_a_passage_that_tsv_cannot_hold_is_refused_and_nothing_is_left(tmp_path: Path) -> None:
    collection = tmp_path / "collection.jsonl"
    collection.write_text('{"id": "d1", "contents": "one\\ntwo"}\n', encoding="utf-8")

    with pytest.raises(InputError, match=r"\.jsonl"):
        rewrite_collection(collection, tmp_path / "out.tsv", pairs=read_pairs())

    assert [path.name for path in tmp_path.iterdir()] == ["collection.jsonl"]
