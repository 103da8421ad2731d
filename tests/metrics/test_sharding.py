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
from metrics.texts.sharding.joining import join_parts
from metrics.texts.sharding.parts import Scoring, Work, score_shard
from metrics.texts.sharding.plan import Plan, Shard, Span, plan_shards

LEXICON = read_lexicon()
SCORING = Scoring(LEXICON)
TSV = b"".join(b"%d\tshe said no. %d He\n" % (i, i * 7919) for i in range(500))


@pytest.fixture(params=["definition", "kernels"])
def _both_ways(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    few = request.param == "definition"
    monkeypatch.setattr(reading, "SMALL", 1 << 40 if few else 0)
    monkeypatch.setattr(docnos, "_FEW", 1 << 40 if few else 0)


def in_shards(paths: Sequence[Path], output: Path, size: int) -> Metadata:
    plan = plan_shards(paths, shard_size=size)
    return join_parts(plan, score_all(plan, output.parent), output, SCORING)


def score_all(plan: Plan, folder: Path) -> list[Path]:
    parts = [folder / f"{number}.part" for number in range(len(plan.shards))]
    for number, part in enumerate(parts):
        score_shard(Work.of(plan, number, SCORING), part)
    return parts


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
        write(tmp_path / "d", b"\xef\xbb\xbfmark\tking\n\xef\xbb\xbfmark-inside\tqueen\r\n"),
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

    spans = [(0, 4), (4, 10), (10, 14), (14, 18)]
    assert plan.shards == tuple(Shard((Span(0, begin, end, end - begin),)) for begin, end in spans)


def test_small_files_are_gathered_and_large_ones_cut(tmp_path: Path) -> None:
    paths = [write(tmp_path / name, b"%s\ta\n" % name.encode()) for name in "abcde"]
    large = write(tmp_path / "f", b"".join(b"f%d\ta\n" % i for i in range(1_000)))

    plan = plan_shards([*paths, large], shard_size=3_000)
    assert [[span.file for span in shard.spans] for shard in plan.shards] == [
        [0, 1, 2, 3, 4, 5],
        [5],
        [5],
    ]


def test_an_error_names_the_line_of_the_whole_file(tmp_path: Path) -> None:
    path = write(tmp_path / "c.tsv", TSV + b"no tab\n" + TSV)
    plan = plan_shards([path], shard_size=1_000)
    bad = next(i for i, shard in enumerate(plan.shards) if shard.spans[0].end > len(TSV))

    with pytest.raises(InputError, match=r"c\.tsv:501:"):
        score_shard(Work.of(plan, bad, SCORING), tmp_path / "part")
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
        score_shard(Work.of(plan, 0, SCORING), tmp_path / "part")


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
        join_parts(plan, [part], tmp_path / "m.parquet", SCORING)
    assert not (tmp_path / "m.parquet").exists()


def test_no_file_that_is_read_is_replaced(tmp_path: Path) -> None:
    collection = write(tmp_path / "c.tsv", TSV)
    plan = plan_shards([collection])
    work = Work.of(plan, 0, SCORING)
    score_shard(work, tmp_path / "0.part")
    before = (tmp_path / "0.part").read_bytes()

    with pytest.raises(InputError, match="would be overwritten"):
        score_shard(work, collection)
    for output in (collection, tmp_path / "0.part"):
        with pytest.raises(InputError, match="would be overwritten"):
            join_parts(plan, [tmp_path / "0.part"], output, SCORING)

    assert (collection.read_bytes(), (tmp_path / "0.part").read_bytes()) == (TSV, before)
