import dataclasses
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from metrics.errors import InputError
from metrics.texts import magnitude_writer
from metrics.texts.lexicon import Lexicon, read_lexicon
from metrics.texts.magnitude import score_texts
from metrics.texts.magnitude_file import schema_of
from metrics.texts.magnitude_store import Metadata, open_magnitudes
from metrics.texts.magnitude_writer import writing_magnitudes

TEXTS = ["he and her", "", "She, her mother", "him", "nobody"]
DOCNOS = ["10", "11", "b", "c", "d"]


def metadata_of(lexicon: Lexicon, n_documents: int) -> Metadata:
    return Metadata(
        lexicon_name=lexicon.name,
        lexicon_sha256=lexicon.sha256,
        groups=lexicon.groups,
        tokenizer="word",
        collection_name="c.tsv",
        collection_size=99,
        collection_digest=f"blake3:{0:064}",
        n_documents=n_documents,
        program_version="0.0",
    )


def store(path: Path, *, lexicon: Lexicon | None = None, rows_at_once: int = 2) -> Path:
    lexicon = lexicon or read_lexicon()
    with writing_magnitudes(path, lexicon.groups) as writer:
        for start in range(0, len(TEXTS), rows_at_once):
            part = slice(start, start + rows_at_once)
            writer.write(DOCNOS[part], score_texts(TEXTS[part], lexicon))
        writer.finish(metadata_of(lexicon, len(TEXTS)))
    return path


def test_what_is_written_is_read_back(tmp_path: Path) -> None:
    magnitudes = open_magnitudes(store(tmp_path / "m.parquet"))
    expected = score_texts(TEXTS, read_lexicon())

    assert magnitudes.metadata == metadata_of(read_lexicon(), 5)
    assert magnitudes.groups == ("f", "m")
    assert magnitudes.docnos == DOCNOS
    assert np.array_equal(magnitudes.n_tokens, expected.n_tokens)
    for group in ("f", "m"):
        assert np.array_equal(magnitudes.tc[group], expected.tc[group])
        assert np.array_equal(magnitudes.tf[group], expected.tf[group])
    assert magnitudes.find(["d", "10", "x"]).tolist() == [4, 0, -1]


def test_the_file_has_exactly_the_documented_columns(tmp_path: Path) -> None:
    three = Lexicon("three", ("f", "m", "x"), (("she",), ("he",), ("they",)))

    schema = pq.read_schema(store(tmp_path / "m.parquet", lexicon=three))

    assert [(field.name, field.type) for field in schema] == [
        ("docno", pa.string()),
        ("n_tokens", pa.int32()),
        ("f_tc", pa.int32()),
        ("f_tf", pa.float64()),
        ("m_tc", pa.int32()),
        ("m_tf", pa.float64()),
        ("x_tc", pa.int32()),
        ("x_tf", pa.float64()),
    ]
    assert schema.metadata[b"fairpool.lexicon_sha256"] == three.sha256.encode()


def test_a_file_of_an_earlier_version_says_that_its_digest_is_of_sha_256(tmp_path: Path) -> None:
    table = pq.read_table(store(tmp_path / "m.parquet"))
    old = {**table.schema.metadata, b"fairpool.collection_sha256": b"0" * 64}
    del old[b"fairpool.collection_digest"]
    pq.write_table(table.replace_schema_metadata(old), tmp_path / "old.parquet")

    found = open_magnitudes(tmp_path / "old.parquet").metadata

    assert found.collection_digest == f"sha256:{0:064}"


def test_the_bytes_do_not_depend_on_how_many_rows_come_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(magnitude_writer, "ROWS_PER_GROUP", 2)
    files = {store(tmp_path / f"{n}.parquet", rows_at_once=n).read_bytes() for n in (1, 2, 3, 5)}

    assert len(files) == 1
    assert pq.ParquetFile(tmp_path / "3.parquet").metadata.num_row_groups == 3
    assert open_magnitudes(tmp_path / "3.parquet").docnos == DOCNOS


def test_the_mean_magnitude_is_that_of_the_whole_collection(tmp_path: Path) -> None:
    magnitudes = open_magnitudes(store(tmp_path / "m.parquet"))

    assert magnitudes.mean_magnitude("tc", "f") == pytest.approx(4 / 5)
    assert magnitudes.mean_magnitude("bool", "m") == pytest.approx(2 / 5)


def test_a_group_that_was_not_scored_is_an_error(tmp_path: Path) -> None:
    magnitudes = open_magnitudes(store(tmp_path / "m.parquet"))

    with pytest.raises(InputError, match=r'"x".* f, m'):
        magnitudes.magnitude("tf", "x")


@pytest.mark.parametrize("content", [b"", b"docno,f_tc\n", b"PAR1" + bytes(100) + b"PAR1"])
def test_a_file_that_is_no_parquet_is_an_error(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "m.parquet"
    path.write_bytes(content)

    with pytest.raises(InputError):
        open_magnitudes(path)


def test_a_truncated_file_is_an_error(tmp_path: Path) -> None:
    path = store(tmp_path / "m.parquet")
    path.write_bytes(path.read_bytes()[:-20])

    with pytest.raises(InputError):
        open_magnitudes(path)


def test_a_changed_byte_inside_a_column_is_an_error(tmp_path: Path) -> None:
    path = store(tmp_path / "m.parquet")
    column = pq.ParquetFile(path).metadata.row_group(0).column(1)
    content = bytearray(path.read_bytes())
    content[column.dictionary_page_offset + column.total_compressed_size - 1] ^= 0xFF
    path.write_bytes(content)

    with pytest.raises(InputError):
        _ = open_magnitudes(path).n_tokens


def test_a_parquet_file_of_somebody_else_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "m.parquet"
    pq.write_table(pa.table({"docno": ["1"], "f_tc": [1]}), path)

    with pytest.raises(InputError):
        open_magnitudes(path)


def test_a_file_whose_rows_are_not_what_it_says_is_an_error(tmp_path: Path) -> None:
    path, lexicon = tmp_path / "m.parquet", read_lexicon()
    with writing_magnitudes(path, lexicon.groups) as writer:
        writer.finish(dataclasses.replace(metadata_of(lexicon, 0), n_documents=3))

    with pytest.raises(InputError):
        open_magnitudes(path)


def test_a_missing_file_and_a_folder_are_plain_errors(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="score"):
        open_magnitudes(tmp_path / "none.parquet")
    with pytest.raises(InputError):
        open_magnitudes(tmp_path)


@pytest.mark.parametrize("failure", [KeyboardInterrupt, InputError("stop")])
def test_an_interrupted_writer_leaves_nothing(
    tmp_path: Path, failure: type[BaseException] | BaseException
) -> None:
    def fail_midway() -> None:
        with writing_magnitudes(tmp_path / "m.parquet", ("f",)) as writer:
            writer.write(["1"], score_texts(["he"], Lexicon("l", ("f",), (("she",),))))
            raise failure

    with pytest.raises((KeyboardInterrupt, InputError)):
        fail_midway()

    assert list(tmp_path.iterdir()) == []


def test_a_writer_that_was_not_finished_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError), writing_magnitudes(tmp_path / "m.parquet", ("f",)):
        pass

    assert list(tmp_path.iterdir()) == []


def repeated(path: Path, docno: str, rows: int, groups: int) -> Path:
    """A scored collection of one document `rows * groups` times."""
    schema = schema_of(("f", "m"))
    ids = pa.DictionaryArray.from_arrays(np.zeros(rows, dtype=np.int32), [docno])
    numbers = [pa.array(np.zeros(rows, kind.to_pandas_dtype())) for kind in schema.types[1:]]
    table = pa.table([ids.cast(pa.string()), *numbers], schema=schema)
    made_from = Metadata(
        "words", "0" * 64, ("f", "m"), "word", "c.tsv", 1, f"blake3:{0:064}", rows * groups, "1.0"
    )
    with pq.ParquetWriter(path, schema, compression="zstd", write_page_checksum=True) as writer:
        for _ in range(groups):
            writer.write_table(table)
        writer.add_key_value_metadata(made_from.to_key_values())
    return path


@pytest.mark.long
def test_a_small_file_of_very_many_rows_is_refused_before_it_is_read(tmp_path: Path) -> None:
    path = repeated(tmp_path / "m.parquet", "1", rows=1_000_000, groups=30)
    assert path.stat().st_size < 1_000_000

    with pytest.raises(InputError, match="grows to"):
        open_magnitudes(path)


def test_a_small_file_of_very_long_ids_is_refused_before_they_are_copied(tmp_path: Path) -> None:
    magnitudes = open_magnitudes(repeated(tmp_path / "m.parquet", "1" * 100_000, 1_000, groups=2))

    with pytest.raises(InputError, match="grows to"):
        _ = magnitudes.docnos
