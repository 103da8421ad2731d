"""The fast reader against the definition, on every dialect, odd line and bad line."""

import gzip
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st

from metrics.errors import InputError
from metrics.kernels.decimals import quotient
from metrics.runs import ORDERS, Order, Run
from metrics.runs.blocks import hash_of
from metrics.runs.fast import FastReader
from metrics.runs.reading import read_by_definition, read_run
from metrics.runs.splitting import read_by_columns

QIDS = st.sampled_from(["1", "2", "10", "1048585", "ü", "query-nine"])
DOCNOS = st.sampled_from(["a", "b", "10", "9", "é", "D123456789", "D12345678"])
BLANKS = st.sampled_from([" ", " ", " ", "\t", "  ", " \t"])
ENDS = st.sampled_from(["\n", "\n", "\n", "\r\n", " \n", "\n\n", " \r\n"])
RANKS = st.one_of(
    st.integers(0, 5).map(str), st.sampled_from(["+3", "007", "999999999999999999", "12"])
)
SCORES = st.one_of(
    st.sampled_from(["1", "2", "0.5", ".5", "5.", "-0", "0", "+1.25", "1e3", "1E-2", "12.5e+1"]),
    st.floats(allow_nan=False, allow_infinity=False).map(repr),
    st.decimals(-1000, 1000, places=6, allow_nan=False).map(str),
)
GOOD = st.tuples(QIDS, st.just("Q0"), DOCNOS, RANKS, SCORES, st.sampled_from(["t", "täg"]))
BAD_FIELDS = st.sampled_from(
    ["nan", "-inf", "x", "", "1.0", "-1", "1_0", "a\0b", "\x01", "\x7f", "\r"]
)


@st.composite
def lines(draw: st.DrawFn) -> bytes:
    fields = list(draw(GOOD))
    if draw(st.integers(0, 60)) == 0:
        fields[draw(st.integers(0, 5))] = draw(BAD_FIELDS)
    if draw(st.integers(0, 60)) == 0:
        fields = fields[: draw(st.integers(1, 5))] if draw(st.booleans()) else [*fields, "more"]
    # A byte order mark stands before a line where files were put together.
    lead = draw(st.sampled_from(["", "", "", " ", "\t", "\ufeff"]))
    text = (lead + draw(BLANKS).join(fields) + draw(ENDS)).encode()
    return text.replace("ü".encode(), b"\xff") if draw(st.integers(0, 80)) == 0 else text


FILES = st.lists(lines(), min_size=0, max_size=30).map(b"".join)


def outcome(read: object) -> tuple[str, object]:
    assert callable(read)
    try:
        return "run", read()
    except InputError as error:
        return "error", str(error)


def assert_same(fast: Run, slow: Run) -> None:
    assert fast.qids == slow.qids
    assert fast.docnos.tolist() == slow.docnos.tolist()
    for name in ("offsets", "ranks", "lines"):
        np.testing.assert_array_equal(getattr(fast, name), getattr(slow, name))
    # Bit for bit: -0.0 is not 0.0 here.
    np.testing.assert_array_equal(fast.scores.view(np.int64), slow.scores.view(np.int64))
    assert (fast.notices, fast.digest) == (slow.notices, slow.digest)


@pytest.mark.long
@settings(max_examples=300, deadline=None)  # the first call compiles
@given(
    st.tuples(FILES, st.booleans()).map(lambda drawn: drawn[0].rstrip() if drawn[1] else drawn[0]),
    st.fixed_dictionaries(
        {
            "order": st.sampled_from(ORDERS),
            "depth": st.one_of(st.none(), st.integers(1, 4)),
            "ties": st.booleans(),
            "queries": st.one_of(st.none(), st.sets(QIDS, min_size=1)),
        }
    ),
    st.integers(150, 700),
)
def test_the_fast_reader_reads_what_the_definition_reads(
    tmp_path_factory: pytest.TempPathFactory,
    text: bytes,
    rules: dict[str, Any],
    block_size: int,
) -> None:
    path = tmp_path_factory.getbasetemp() / "fast.run"
    path.write_bytes(text)
    kind, slow = outcome(lambda: read_by_definition(path, **rules))
    fast_kind, fast = outcome(lambda: FastReader(path, **rules, block_size=block_size).read())

    split = read_by_columns(path, **rules)
    assert fast_kind == kind, (slow, fast)
    if split is not None:
        assert isinstance(slow, Run)
        assert_same(split, slow)
    if isinstance(slow, Run):
        assert isinstance(fast, Run)
        assert_same(fast, slow)
    else:
        assert fast == slow


def scattered(n_queries: int, n_documents: int) -> Iterator[str]:
    """A run whose lines go from rank to rank instead of from query to query."""
    for rank in range(n_documents):
        for query in range(n_queries):
            yield f"q{query} Q0 d{(rank * 7 + query) % 50} {rank} {(rank * 31) % 17} t\n"


@pytest.mark.parametrize("held_at_most", [1 << 20, 300])
@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("ties", [False, True])
def test_a_scattered_run_is_read_in_bounded_memory(
    tmp_path: Path, order: Order, held_at_most: int, *, ties: bool
) -> None:
    path = tmp_path / "scattered.run"
    path.write_text("".join(scattered(20, 60)))
    rules: dict[str, Any] = {"order": order, "queries": None, "depth": 5, "ties": ties}
    fast = FastReader(path, **rules, block_size=2000, held_at_most=held_at_most).read()
    slow = read_by_definition(path, **rules)

    assert fast.qids == slow.qids
    assert fast.docnos.tolist() == slow.docnos.tolist()
    assert fast.lines.tolist() == slow.lines.tolist()
    if held_at_most > 1200:
        assert fast.notices == slow.notices


@pytest.mark.long
@settings(max_examples=1000, deadline=None)
@given(st.integers(0, 10**18 - 1), st.integers(0, 250))
def test_a_certain_quotient_is_the_nearest_double(whole: int, power: int) -> None:
    value, certain = quotient(whole, power)
    if certain:
        assert value == float(f"{whole}e-{power}")


def test_nearly_every_quotient_is_certain() -> None:
    chance = np.random.default_rng(1)
    wholes = chance.integers(10**15, 10**18, 2000).tolist()
    powers = chance.integers(16, 40, 2000).tolist()
    found = [quotient(whole, power) for whole, power in zip(wholes, powers, strict=True)]
    assert all(certain for _, certain in found)
    assert [value for value, _ in found] == [
        float(f"{whole}e-{power}") for whole, power in zip(wholes, powers, strict=True)
    ]


def test_documents_of_one_hash_are_told_apart(tmp_path: Path) -> None:
    # The second halves make up for what the first ones differ by.
    one, other = "AAAAAAAAAAAAAAAA", "mTzvPVqFy>7ZeZ&#"
    assert hash_of(one.encode()) == hash_of(other.encode())
    path = tmp_path / "a.run"
    path.write_text(f"q Q0 {one} 1 3 t\nq Q0 {other} 2 2 t\nq Q0 {one} 3 1 t\n")
    run = FastReader(path, order="default", queries=None, depth=None).read()
    assert run.documents("q") == [one, other]
    assert [notice.kind for notice in run.notices] == ["repeated"]


@pytest.mark.long
def test_large_runs_take_the_fast_way_and_small_ones_the_other(tmp_path: Path) -> None:
    path = tmp_path / "large.run"
    path.write_text("".join(scattered(4000, 30)))
    assert path.stat().st_size > 2 << 20
    assert_same(read_run(path), read_by_definition(path, order="default", queries=None, depth=None))


@pytest.mark.long
def test_compressed_runs_have_the_checksum_of_their_file(tmp_path: Path) -> None:
    text = "".join(scattered(200, 30)).encode()
    packed = {"gz": gzip.compress(text), "zst": zstandard.ZstdCompressor().compress(text)}
    for suffix, content in packed.items():
        path = tmp_path / f"a.run.{suffix}"
        path.write_bytes(content)
        rules: dict[str, Any] = {"order": "default", "queries": None, "depth": 3}
        assert_same(FastReader(path, **rules).read(), read_by_definition(path, **rules))
        path.write_bytes(content[:-40])
        with pytest.raises(InputError):
            FastReader(path, **rules).read()
