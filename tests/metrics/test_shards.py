"""Shards scored apart and joined are the file that is scored at once, byte for byte."""

import gzip
import os
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st

from metrics.errors import InputError
from metrics.texts.lexicon import read_lexicon
from metrics.texts.magnitude_store import Metadata
from metrics.texts.scan import docnos, reading
from metrics.texts.scoring import score_collection
from metrics.texts.shards import Shard, checksum_of, join_parts, plan_shards, score_shard

LEXICON = read_lexicon()
TSV = b"".join(b"%d\tshe said no. %d He\n" % (i, i * 7919) for i in range(500))


@pytest.fixture(params=["definition", "kernels"])
def _both_ways(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    few = request.param == "definition"
    monkeypatch.setattr(reading, "SMALL", 1 << 40 if few else 0)
    monkeypatch.setattr(docnos, "_FEW", 1 << 40 if few else 0)


def in_shards(paths: Sequence[Path], output: Path, size: int) -> Metadata:
    plan = plan_shards(paths, shard_size=size)
    parts = [output.parent / f"{number}.part" for number in range(len(plan.shards))]
    for number in range(len(parts)):
        score_shard(plan, number, parts[number], lexicon=LEXICON, tokenizer="word")
    return join_parts(
        plan,
        parts,
        output,
        lexicon=LEXICON,
        tokenizer="word",
        collection_digest=lambda: checksum_of(plan),
    )


def write(path: Path, data: bytes) -> Path:
    path.write_bytes(data)
    return path


@pytest.mark.usefixtures("_both_ways")
@pytest.mark.parametrize("size", [1, 37, 4_000, 1 << 20])
def test_shards_of_any_size_give_the_same_bytes(tmp_path: Path, size: int) -> None:
    data = (
        TSV if size > 99 else TSV[: TSV.index(b"\n30\t") + 1]
    ) + b"and-the-last-line-has-no-end\tking"
    paths = [
        write(tmp_path / "a.tsv", b"\xef\xbb\xbf" + data),
        write(tmp_path / "b.jsonl.gz", gzip.compress(b'{"id": "x", "text": "her"}\n')),
        write(tmp_path / "c.tsv.zst", zstandard.compress(b"y\tmother\nz\t\n")),
        write(tmp_path / "d", b"\xef\xbb\xbfmark\tking\n\xef\xbb\xbfmark\tqueen\r\n"),
    ]
    expected = score_collection(paths, tmp_path / "at-once.parquet", lexicon=LEXICON)

    assert in_shards(paths, tmp_path / "m.parquet", size) == expected
    assert (tmp_path / "m.parquet").read_bytes() == (tmp_path / "at-once.parquet").read_bytes()


@pytest.mark.long
@settings(max_examples=30)
@given(
    lines=st.lists(
        st.one_of(st.text(max_size=9).map(str.encode), st.binary(max_size=5)).filter(
            lambda text: b"\n" not in text
        ),
        min_size=1,
        max_size=9,
    ),
    size=st.integers(1, 40),
    ends=st.booleans(),
)
def test_whatever_the_lines_are_files_and_errors_are_the_same(
    tmp_path_factory: pytest.TempPathFactory, lines: list[bytes], size: int, *, ends: bool
) -> None:
    folder = tmp_path_factory.mktemp("shards")
    text = b"\n".join(b"%d\t%s" % (i, line) for i, line in enumerate(lines))
    path = write(folder / "c.tsv", text + b"\n" * ends)
    at_once = outcome(lambda: score_collection(path, folder / "m", lexicon=LEXICON), folder / "m")

    assert outcome(lambda: in_shards([path], folder / "m", size), folder / "m") == at_once


def outcome(score: Callable[[], object], output: Path) -> bytes | str:
    """The file that was written, or the error."""
    try:
        score()
    except InputError as error:
        return str(error)
    return output.read_bytes()


def test_a_shard_begins_where_a_line_does(tmp_path: Path) -> None:
    plan = plan_shards([write(tmp_path / "c.tsv", b"1\ta\n22\tbb\n3\tc\n4\td\n")], shard_size=4)

    assert plan.shards == (Shard(0, 0, 4), Shard(0, 4, 10), Shard(0, 10, 14), Shard(0, 14, 18))


def test_an_error_names_the_line_of_the_whole_file(tmp_path: Path) -> None:
    path = write(tmp_path / "c.tsv", TSV + b"no tab\n" + TSV)
    plan = plan_shards([path], shard_size=1_000)
    bad = next(i for i, shard in enumerate(plan.shards) if shard.end > len(TSV))

    with pytest.raises(InputError, match=r"c\.tsv:501:"):
        score_shard(plan, bad, tmp_path / "part", lexicon=LEXICON, tokenizer="word")
    assert [one.name for one in tmp_path.iterdir()] == ["c.tsv"]


@pytest.mark.usefixtures("_both_ways")
def test_a_docno_of_another_shard_is_found_with_both_places(tmp_path: Path) -> None:
    paths = [write(tmp_path / "a.tsv", TSV), write(tmp_path / "b.tsv", b"x\t\n17\tagain\n")]

    with pytest.raises(InputError, match=r"b\.tsv:2: .* 18 .*a\.tsv"):
        in_shards(paths, tmp_path / "m.parquet", 999)
    assert not (tmp_path / "m.parquet").exists()


def test_a_file_that_has_changed_since_is_not_scored(tmp_path: Path) -> None:
    path = write(tmp_path / "c.tsv", TSV)
    plan = plan_shards([path])
    os.utime(path, ns=(1, 1))

    with pytest.raises(InputError, match=r"c\.tsv: "):
        score_shard(plan, 0, tmp_path / "part", lexicon=LEXICON, tokenizer="word")
    with pytest.raises(InputError):
        checksum_of(plan)


@pytest.mark.parametrize(
    ("name", "data"),
    [("-", ""), ("empty.tsv", "empty.tsv"), ("absent.tsv", "absent.tsv")],
)
def test_what_cannot_be_cut_is_refused(tmp_path: Path, name: str, data: str) -> None:
    write(tmp_path / "empty.tsv", b"\xef\xbb\xbf")

    with pytest.raises(InputError) as caught:
        plan_shards([name if name == "-" else tmp_path / name])
    assert data in str(caught.value)
    with pytest.raises(InputError, match=r"\b1\b"):
        plan_shards([tmp_path / "empty.tsv"], shard_size=0)


def test_a_part_that_is_not_one_is_refused(tmp_path: Path) -> None:
    plan = plan_shards([write(tmp_path / "c.tsv", TSV)])
    part = write(tmp_path / "part", b"not a part")

    with pytest.raises(InputError):
        join_parts(
            plan,
            [part],
            tmp_path / "m.parquet",
            lexicon=LEXICON,
            tokenizer="word",
            collection_digest=str,
        )
    assert not (tmp_path / "m.parquet").exists()
