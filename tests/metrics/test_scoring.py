import gzip
import math
from collections.abc import Callable
from pathlib import Path

import pytest
import zstandard
from blake3 import blake3

import metrics
from metrics.errors import InputError
from metrics.io.digests import digest_of
from metrics.texts.lexicon import read_lexicon
from metrics.texts.magnitude import score_texts
from metrics.texts.magnitude_store import open_magnitudes
from metrics.texts.scan import reading
from metrics.texts.scoring import score_collection
from metrics.vocabulary import Tokenizer


@pytest.fixture(autouse=True, params=["definition", "kernels"])
def _both_ways(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every test scores with the definition, as small collections are, and with the kernels."""
    monkeypatch.setattr(reading, "SMALL", 0 if request.param == "kernels" else 1 << 40)


TEXTS = ["He said\u0085she left", "", "İ her MOTHER", "nobody"]
TSV = "".join(f"{i}\t{text}\n" for i, text in enumerate(TEXTS)).encode()


def score(path: Path, data: bytes, output: Path) -> metrics.Magnitudes:
    path.write_bytes(data)
    score_collection(path, output, lexicon=read_lexicon())
    return open_magnitudes(output)


@pytest.mark.long
def test_the_file_holds_what_score_texts_gives(tmp_path: Path) -> None:
    magnitudes = score(tmp_path / "c.tsv", TSV, tmp_path / "m.parquet")
    expected = score_texts(TEXTS, read_lexicon())

    assert magnitudes.docnos == ["0", "1", "2", "3"]
    assert magnitudes.n_tokens.tolist() == expected.n_tokens.tolist()
    for group in ("f", "m"):
        assert magnitudes.tc[group].tolist() == expected.tc[group].tolist()
        assert magnitudes.tf[group].tobytes() == expected.tf[group].tobytes()


@pytest.mark.parametrize("suffix", ["", ".gz", ".zst"])
def test_the_metadata_say_what_it_was_made_from(tmp_path: Path, suffix: str) -> None:
    pack: dict[str, Callable[[bytes], bytes]] = {
        "": bytes,
        ".gz": gzip.compress,
        ".zst": zstandard.compress,
    }
    data = pack[suffix](TSV)
    metadata = score(tmp_path / f"c.tsv{suffix}", data, tmp_path / "m.parquet").metadata

    assert metadata.collection_name == f"c.tsv{suffix}"
    assert metadata.collection_size == len(data)
    assert metadata.collection_digest == f"blake3:{blake3(data).hexdigest()}"
    assert metadata.lexicon_sha256 == read_lexicon().sha256
    assert (metadata.tokenizer, metadata.n_documents) == ("word", 4)
    assert metadata.program_version == metrics.__version__


def test_the_same_collection_gives_the_same_bytes(tmp_path: Path) -> None:
    score(tmp_path / "c.tsv", TSV, tmp_path / "first.parquet")
    score(tmp_path / "c.tsv", TSV, tmp_path / "second.parquet")

    assert (tmp_path / "first.parquet").read_bytes() == (tmp_path / "second.parquet").read_bytes()


def test_a_bad_collection_keeps_the_file_that_was_there(tmp_path: Path) -> None:
    output = tmp_path / "m.parquet"
    score(tmp_path / "c.tsv", TSV, output)
    before = output.read_bytes()

    with pytest.raises(InputError, match=r"\b1\b"):
        score(tmp_path / "c.tsv", TSV + b"0\tagain\n", output)

    assert output.read_bytes() == before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["c.tsv", "m.parquet"]


def test_a_folder_that_does_not_exist_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(InputError):
        score(tmp_path / "c.tsv", TSV, tmp_path / "none" / "m.parquet")


def lines(first: int, last: int) -> bytes:
    return "".join(f"D{i}\tShe’s here, HE said {i} é\n" for i in range(first, last)).encode()


@pytest.mark.parametrize("suffix", ["", ".gz", ".zst"])
@pytest.mark.long
def test_a_collection_of_many_blocks_is_scored_as_the_definition_says(
    tmp_path: Path, suffix: str
) -> None:
    pack: dict[str, Callable[[bytes], bytes]] = {
        "": bytes,
        ".gz": gzip.compress,
        ".zst": zstandard.compress,
    }
    path = tmp_path / f"c.tsv{suffix}"
    path.write_bytes(pack[suffix](lines(0, 80_000)))
    outputs = []
    for threads in (1, 3):
        outputs.append(tmp_path / f"{threads}.parquet")
        score_collection(path, outputs[-1], lexicon=read_lexicon(), threads=threads)

    magnitudes = open_magnitudes(outputs[0])
    assert magnitudes.docnos == [f"D{i}" for i in range(80_000)]
    assert set(magnitudes.n_tokens.tolist()) == {6}
    assert magnitudes.tc["f"].sum() == magnitudes.tc["m"].sum() == 80_000
    assert outputs[0].read_bytes() == outputs[1].read_bytes()


@pytest.mark.long
@pytest.mark.parametrize(
    ("line", "said"),
    [
        (b"D1\tagain\n", " 2"),
        (b"no tab\n", ""),
        (b"\tno docno\n", "docno"),
        (b"D-1\t\xff\n", "UTF-8"),
    ],
)
def test_a_bad_line_far_into_a_collection_is_named(tmp_path: Path, line: bytes, said: str) -> None:
    data = lines(0, 60_000) + line + lines(60_000, 61_000)

    with pytest.raises(InputError) as caught:
        score(tmp_path / "c.tsv", data, tmp_path / "m.parquet")
    assert said in str(caught.value)
    assert caught.value.line == 60_001
    assert [path.name for path in tmp_path.iterdir()] == ["c.tsv"]


@pytest.mark.long
def test_several_files_are_one_collection(tmp_path: Path) -> None:
    (tmp_path / "a.tsv").write_bytes(lines(0, 40_000))
    (tmp_path / "b.tsv.gz").write_bytes(gzip.compress(lines(40_000, 41_000)))
    paths = [tmp_path / "a.tsv", tmp_path / "b.tsv.gz"]
    metadata = score_collection(paths, tmp_path / "m.parquet", lexicon=read_lexicon())

    assert metadata.n_documents == 41_000
    assert metadata.collection_name == "a.tsv + b.tsv.gz"
    checksums = [digest_of(path) for path in paths]
    assert metadata.collection_digest == " + ".join(checksums)
    assert open_magnitudes(tmp_path / "m.parquet").find(["D40500"]).tolist() == [40_500]


def test_a_docno_repeated_in_another_file_is_named_with_both_places(tmp_path: Path) -> None:
    (tmp_path / "a.tsv").write_bytes(lines(0, 10))
    (tmp_path / "b.tsv").write_bytes(lines(20, 25) + lines(3, 4))

    with pytest.raises(InputError, match=r"b\.tsv:6: .* 4 .*a\.tsv"):
        score_collection(
            [tmp_path / "a.tsv", tmp_path / "b.tsv"],
            tmp_path / "m.parquet",
            lexicon=read_lexicon(),
        )


def test_a_docno_of_a_small_file_repeated_in_a_large_one_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.tsv").write_bytes(lines(0, 10))
    (tmp_path / "b.tsv").write_bytes(lines(20, 60) + lines(3, 4))
    # The first is scored by the definition, the second by the kernels.
    monkeypatch.setattr(reading, "SMALL", len(lines(0, 20)))

    with pytest.raises(InputError, match=r"b\.tsv:41: .* 4 .*a\.tsv"):
        score_collection(
            [tmp_path / "a.tsv", tmp_path / "b.tsv"],
            tmp_path / "m.parquet",
            lexicon=read_lexicon(),
        )


@pytest.mark.long
def test_a_passage_longer_than_a_block_is_scored(tmp_path: Path) -> None:
    data = b"a\t" + b"he said " * 400_000 + b"\nb\tshe\n" + b"c\t" + b"her " * 500_000
    magnitudes = score(tmp_path / "c.tsv", data, tmp_path / "m.parquet")

    assert magnitudes.tc["m"].tolist() == [400_000, 0, 0]
    assert magnitudes.tc["f"].tolist() == [0, 1, 500_000]
    assert magnitudes.n_tokens.tolist() == [800_000, 1, 500_000]
    assert magnitudes.tf["f"][2] == pytest.approx(math.log(500_001))


@pytest.mark.long
def test_a_byte_order_mark_before_a_large_collection_is_dropped(tmp_path: Path) -> None:
    data = b"\xef\xbb\xbf" + lines(0, 60_000)

    assert score(tmp_path / "c.tsv", data, tmp_path / "m.parquet").find(["D0"]).tolist() == [0]


@pytest.mark.long
def test_a_collection_that_is_extended_is_that_which_is_scored_at_once(tmp_path: Path) -> None:
    (tmp_path / "a.tsv").write_bytes(lines(0, 70_000))
    (tmp_path / "b.tsv.gz").write_bytes(gzip.compress(lines(70_000, 71_000)))
    (tmp_path / "c.jsonl").write_bytes(b'{"id": "x", "text": "her"}\n')
    paths = [tmp_path / "a.tsv", tmp_path / "b.tsv.gz", tmp_path / "c.jsonl"]
    output, lexicon = tmp_path / "m.parquet", read_lexicon()
    score_collection(paths, tmp_path / "at_once.parquet", lexicon=lexicon)

    score_collection(paths[0], output, lexicon=lexicon)
    paths[0].unlink()
    score_collection(paths[1], output, lexicon=lexicon, extend=output)
    score_collection(paths[2], output, lexicon=lexicon, extend=output)

    assert output.read_bytes() == (tmp_path / "at_once.parquet").read_bytes()


def test_a_collection_is_not_extended_with_what_it_has(tmp_path: Path) -> None:
    output = tmp_path / "m.parquet"
    score(tmp_path / "c.tsv", TSV, output)
    before = output.read_bytes()
    (tmp_path / "d.tsv").write_bytes(b"5\tnew\n3\tagain\n")

    with pytest.raises(InputError, match=r" 4 .*m\.parquet") as caught:
        score_collection(tmp_path / "d.tsv", output, lexicon=read_lexicon(), extend=output)

    assert (caught.value.path, caught.value.line) == (str(tmp_path / "d.tsv"), 2)
    assert output.read_bytes() == before


@pytest.mark.parametrize(
    ("words", "tokenizer", "data"),
    [
        (None, "whitespace", "whitespace"),
        ("he,m\nshe,f\n", "word", ""),
    ],
)
def test_a_collection_is_not_extended_in_another_way(
    tmp_path: Path, words: str | None, tokenizer: Tokenizer, data: str
) -> None:
    output = tmp_path / "m.parquet"
    score(tmp_path / "c.tsv", TSV, output)
    if words:
        (tmp_path / "words.csv").write_text(words)
    lexicon = read_lexicon(tmp_path / "words.csv" if words else None)

    with pytest.raises(InputError) as caught:
        score_collection(
            tmp_path / "c.tsv", output, lexicon=lexicon, tokenizer=tokenizer, extend=output
        )
    assert data in str(caught.value)

    assert caught.value.path == str(output)
