"""Blocks that the kernels swap against the readable substitution: the same bytes."""

import io
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from metrics.errors import InputError
from metrics.texts.counterfactual import Pairs, read_pairs, rewrite_collection, substitution
from metrics.texts.counterfactual.blocks import BlockSwap
from metrics.texts.counterfactual.pairs import PRONOUNS
from metrics.texts.scan import reading
from metrics.texts.scan.reading import StreamReader, Workspace

BUILT_IN = read_pairs()
ODD = Pairs({"k": "granddaughters-in-law", "émile": "i", "stepgrandmother": "s"}, {"ß": "ſ"})
BLOCK_SWAPS = [
    (BlockSwap(pairs, "rules"), substitution(pairs, "rules")) for pairs in (BUILT_IN, ODD)
]

known = [*BUILT_IN.words, *BUILT_IN.names, *PRONOUNS, *PRONOUNS, *ODD.words, *ODD.names]
others = [" ", " ", " ", "'", "’", "-", ".", "\t", "\r", "_", "\0", "x", "1", "é", "É", "ſ", "İ"]
others += ["\u212a", "\u0301", "\u0085", "东", "a" * 61, "the friend", "is"]
pieces = st.sampled_from(known) | st.sampled_from(others)
cases: list[Callable[[str], str]] = [str, str.title, str.upper, str.swapcase]
spelled = st.builds(lambda piece, case: case(piece), pieces, st.sampled_from(cases))
texts = st.lists(spelled | st.sampled_from([" "]), max_size=30).map("".join) | st.text(
    st.characters(exclude_categories=["Cs"]), max_size=100
)


def lines_of(texts: list[str]) -> str:
    return "".join(f"{i}é\t{text}\n" for i, text in enumerate(texts))


def block_of(data: str) -> Workspace:
    workspace = Workspace()
    assert StreamReader(io.BytesIO(data.encode()), Path("c.tsv")).fill(workspace)
    return workspace


@pytest.mark.long
@settings(max_examples=300, deadline=None)
@given(st.lists(texts.map(lambda text: text.replace("\n", " ")), min_size=1, max_size=5))
@example(
    ["her her his", "HIS. Hers", "é her cat, HER", "\u212a her", "his\r", "Mary mary MARY mARY"]
)
@example(["x'her'his he's o'brother", "K k", "stepgrandmother Stepgrandmothers STEPGRANDMOTHER"])
def test_the_kernels_swap_what_the_definition_swaps(bodies: list[str]) -> None:
    # One line end belongs to the line, as everywhere.
    bodies = [body.removesuffix("\r") for body in bodies]
    for fast, definition in BLOCK_SWAPS:
        swapped = list(map(definition, bodies))
        found = fast.swap(block_of(lines_of(bodies)))

        assert found.lines.decode() == lines_of(swapped)
        assert found.n_documents == len(bodies)
        assert found.n_changed == sum(a != b for a, b in zip(bodies, swapped, strict=True))
        assert found.bad_line is None


@pytest.mark.long
def test_every_code_point_beside_a_word() -> None:
    # No letter lies beyond, as a test of the scan looks.
    points = [chr(i) for i in range(0x40000) if not 0xD800 <= i < 0xE000 and i != 0x0A]
    bodies = [
        "".join(f"he{c}she {c}Him" for c in points[start : start + 256])
        for start in range(0, len(points), 256)
    ]
    fast, definition = BLOCK_SWAPS[0]

    reader = StreamReader(io.BytesIO(lines_of(bodies).encode()), Path("c.tsv"))
    workspace, found = Workspace(), b""
    while reader.fill(workspace):
        found += fast.swap(workspace).lines
    assert found.decode() == lines_of(list(map(definition, bodies)))


@pytest.mark.long
@pytest.mark.parametrize("processes", [1, 2])
def test_a_large_collection_is_rewritten_as_a_small_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, processes: int
) -> None:
    path = tmp_path / "c.tsv"
    path.write_bytes(b"".join(b"d%d\tShe told Mary's %d men.\r\n" % (n, n) for n in range(90_000)))
    path.write_bytes(path.read_bytes() + "z\tİ saw her".encode())
    small = rewrite_collection(path, tmp_path / "small.tsv", pairs=BUILT_IN)
    monkeypatch.setattr(reading, "SMALL", 0)
    large = rewrite_collection(path, tmp_path / "large.tsv", pairs=BUILT_IN, processes=processes)

    assert large == small
    assert (tmp_path / "large.tsv").read_bytes() == (tmp_path / "small.tsv").read_bytes()


@pytest.mark.parametrize(
    ("last", "data", "line"),
    [
        (b"no tab", "", 60_001),
        (b"7\tagain", "8", 60_001),
        (b"x\t\xff", "UTF", 60_001),
    ],
)
def test_a_bad_line_far_into_a_collection_is_named_and_nothing_is_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, last: bytes, data: str, line: int
) -> None:
    monkeypatch.setattr(reading, "SMALL", 0)
    path = tmp_path / "c.tsv"
    path.write_bytes(b"".join(b"%d\tsome words of a passage\n" % n for n in range(60_000)) + last)

    with pytest.raises(InputError) as caught:
        rewrite_collection(path, tmp_path / "out.tsv", pairs=BUILT_IN)
    assert data in str(caught.value)

    assert (caught.value.path, caught.value.line) == (str(path), line)
    assert [left.name for left in tmp_path.iterdir()] == ["c.tsv"]
