"""No line of an input is read whole that is longer than any may be; its number is told."""

import functools
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import pytest

from metrics.errors import InputError
from metrics.io.lines import MAX_LINE, MAX_RECORD
from metrics.runs.fast import FastReader
from metrics.runs.qrels import read_qrels
from metrics.runs.queries import read_queries
from metrics.runs.reading import read_by_definition, read_run
from metrics.texts.collection import read_collection
from metrics.votes.files.table import read_table

Read = Callable[[Path], object]
_MEGABYTE = 1 << 20


def fast(path: Path) -> object:
    return FastReader(path, order="default", queries=None, depth=None).read()


by_definition = functools.partial(read_by_definition, order="default", queries=None, depth=None)

#: Each reader with the beginning of a line, a line that it takes, and its bound.
_READERS: dict[str, tuple[Read, bytes, bytes, int]] = {
    "run": (read_run, b"1 Q0 d 1 1 ", b"1 Q0 c 1 2 t\n", MAX_RECORD),
    "run by definition": (by_definition, b"1 Q0 d 1 1 ", b"1 Q0 c 1 2 t\n", MAX_RECORD),
    "run by kernels": (fast, b"1 Q0 d 1 1 ", b"1 Q0 c 1 2 t\n", MAX_RECORD),
    "qrels": (read_qrels, b"1 0 ", b"1 0 d 1\n", MAX_RECORD),
    "queries": (read_queries, b"2\t", b"1\tone\n", MAX_RECORD),
    "votes": (read_table, b"q,w,", b"query_id,worker,label\n", MAX_LINE),
    "collection": (lambda path: list(read_collection(path)), b"2\t", b"1\tone\n", MAX_LINE),
}


@pytest.mark.parametrize("name", _READERS)
@pytest.mark.parametrize("ended", [True, False])
@pytest.mark.long
def test_a_line_beyond_the_bound_is_refused_with_its_number(
    tmp_path: Path, name: str, ended: bool
) -> None:
    read, begun, good, most = _READERS[name]
    path = tmp_path / "input"
    path.write_bytes(good + begun + b"x" * (most + 1 - len(begun)) + b"\n" * ended)

    with pytest.raises(InputError) as refused:
        read(path)

    assert (refused.value.path, refused.value.line) == (str(path), 2)


@pytest.mark.parametrize("name", ["run by definition", "run by kernels"])
@pytest.mark.parametrize("ended", [True, False])
@pytest.mark.long
def test_a_line_as_long_as_the_bound_is_read(tmp_path: Path, name: str, ended: bool) -> None:
    read, begun, good, most = _READERS[name]
    path = tmp_path / "input"
    path.write_bytes(good + begun + b"x" * (most - len(begun)) + b"\n" * ended)
    assert read(path)


@pytest.mark.parametrize("read", [by_definition, fast])
def test_what_is_wrong_before_a_long_line_is_said_first(tmp_path: Path, read: Read) -> None:
    path = tmp_path / "input"
    path.write_bytes(b"1 Q0 c 1 2 t\nno line\n" + b"x" * 2 * MAX_RECORD + b"\n")
    with pytest.raises(InputError) as refused:
        read(path)
    assert refused.value.line == 2


@pytest.mark.parametrize("name", _READERS)
def test_a_line_without_an_end_takes_little_memory(tmp_path: Path, name: str) -> None:
    read, begun, good, _most = _READERS[name]
    path = tmp_path / "input"
    with path.open("wb") as file:
        file.write(good + begun)
        for _ in range(200):
            file.write(b"x " * (_MEGABYTE // 2))
    tracemalloc.start()
    try:
        with pytest.raises(InputError):
            read(path)
        _now, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 100 * _MEGABYTE
