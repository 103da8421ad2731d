import gzip
import random
from pathlib import Path

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from metrics.errors import InputError
from metrics.runs import Order, Run, check_run_name, read_run, read_runs


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path


def read(folder: Path, text: str | bytes, name: str = "a.run", **options: object) -> Run:
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return read_run(path, **options)  # type: ignore[arg-type] # whatever a test asks for


def kinds(run: Run) -> list[str]:
    return [notice.kind for notice in run.notices]


def test_documents_stand_by_falling_score(folder: Path) -> None:
    run = read(folder, "1 Q0 a 1 0.5 t\n1 Q0 b 2 0.9 t\n2 Q0 c 1 1 t\n")

    assert run.qids == ("1", "2")
    assert run.documents("1") == ["b", "a"]
    assert run.documents("2") == ["c"]
    assert run.documents("3") == []
    assert run.scores.tolist() == [0.9, 0.5, 1.0]
    assert run.ranks.tolist() == [2, 1, 1]
    assert run.lines.tolist() == [2, 1, 3]
    assert run.name == "a"


TIED = "q Q0 a 3 1 t\nq Q0 b 2 1.0 t\nq Q0 c 2 1 t\nq Q0 d 1 7 t\n"


@pytest.mark.parametrize(
    ("order", "expected"),
    [
        ("default", ["d", "c", "b", "a"]),
        ("trec_eval", ["d", "c", "b", "a"]),
        ("rank", ["d", "c", "b", "a"]),
    ],
)
def test_equal_scores_and_ranks_end_in_falling_docnos(
    folder: Path, order: Order, expected: list[str]
) -> None:
    assert read(folder, TIED, order=order).documents("q") == expected


@pytest.mark.parametrize(
    ("order", "expected"),
    [("default", ["a", "b", "c"]), ("trec_eval", ["b", "a", "c"]), ("rank", ["c", "a", "b"])],
)
def test_each_order_has_its_rule(folder: Path, order: Order, expected: list[str]) -> None:
    text = "q Q0 a 2 5 t\nq Q0 b 3 5 t\nq Q0 c 1 4 t\n"
    assert read(folder, text, order=order).documents("q") == expected


def test_trec_eval_compares_scores_in_single_precision(folder: Path) -> None:
    text = "q Q0 a 1 1.00000001 t\nq Q0 b 2 1.0 t\nq Q0 c 3 1e300 t\nq Q0 d 4 1e301 t\n"
    assert read(folder, text, order="trec_eval").documents("q") == ["d", "c", "b", "a"]
    assert read(folder, text).documents("q") == ["d", "c", "a", "b"]


def test_docnos_are_compared_as_text(folder: Path) -> None:
    run = read(folder, "q Q0 10 1 5 t\nq Q0 9 1 5 t\nq Q0 é 1 5 t\nq Q0 z 1 5 t\n")
    assert run.documents("q") == ["é", "z", "9", "10"]


@pytest.mark.parametrize("separator", ["\t", "  ", " \t "])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_columns_stand_apart_by_any_blanks(folder: Path, separator: str, end: str) -> None:
    lines = [["1", "Q0", "a", "0", "2", "t"], ["1", "Q0", "b", "1", "1e-3", "t"]]
    run = read(folder, end.join(separator.join(line) for line in lines) + end)
    assert run.documents("1") == ["a", "b"]
    assert run.ranks.tolist() == [0, 1]
    assert not run.notices


def test_a_last_line_without_an_end_empty_lines_and_a_byte_order_mark_are_understood(
    folder: Path,
) -> None:
    run = read(folder, b"\xef\xbb\xbf1 Q0 a 1 2 t\n\n \t\n1 Q0 b 2 1 t")
    assert run.qids == ("1",)
    assert run.documents("1") == ["a", "b"]
    assert run.lines.tolist() == [1, 4]


def test_lines_of_a_query_may_stand_anywhere(folder: Path) -> None:
    run = read(folder, "1 Q0 a 1 9 t\n2 Q0 x 1 9 t\n1 Q0 b 2 8 t\n10 Q0 y 1 1 t\n2 Q0 z 2 3 t\n")
    assert run.qids == ("1", "10", "2")
    assert [run.documents(qid) for qid in run.qids] == [["a", "b"], ["y"], ["x", "z"]]
    assert run.offsets.tolist() == [0, 2, 3, 5]


def test_compressed_runs_are_the_same_runs(folder: Path) -> None:
    text = TIED.encode()
    plain = read(folder, text)
    for name, packed in (
        ("a.run.gz", gzip.compress(text)),
        ("a.run.zst", zstandard.ZstdCompressor().compress(text)),
    ):
        run = read(folder, packed, name)
        assert run.documents("q") == plain.documents("q")
        assert run.name == "a"
        assert run.digest != plain.digest


def test_the_depth_keeps_the_best_documents(folder: Path) -> None:
    run = read(folder, "q Q0 a 3 1 t\nq Q0 b 2 2 t\nq Q0 b 4 1 t\nq Q0 c 1 3 t\n", depth=2)
    assert run.documents("q") == ["c", "b"]


def test_a_repeated_document_counts_once_at_its_best_place(folder: Path) -> None:
    run = read(folder, "q Q0 a 1 1 t\nq Q0 b 2 .5 t\nq Q0 a 3 2 t\nq Q0 b 4 .1 t\n")
    assert run.documents("q") == ["a", "b"]
    assert run.scores.tolist() == [2, 0.5]
    notice = next(notice for notice in run.notices if notice.kind == "repeated")
    assert (notice.count, notice.lines) == (2, (1, 4))
    assert str(notice).startswith(f"{folder / 'a.run'}:1: 2 lines")


def test_a_rank_column_that_contradicts_the_scores_is_told(folder: Path) -> None:
    text = "q Q0 a 1 1 t\nq Q0 b 2 2 t\nr Q0 a 1 2 t\nr Q0 b 2 1 t\n"
    for order in ("default", "trec_eval", "rank"):
        (notice,) = read(folder, text, order=order).notices
        assert (notice.kind, notice.count, notice.lines) == ("conflict", 1, (1,))


def test_rounded_scores_with_their_ranks_are_no_contradiction(folder: Path) -> None:
    assert not read(folder, "q Q0 a 1 1 t\nq Q0 b 2 1 t\nq Q0 c 3 1 t\n").notices


def test_a_gap_in_the_ranks_is_told(folder: Path) -> None:
    text = "q Q0 a 1 5 t\nq Q0 b 2 4 t\nq Q0 c 4 3 t\nr Q0 a 0 1 t\ns Q0 a 2 1 t\n"
    (notice,) = read(folder, text).notices
    assert (notice.kind, notice.count, notice.lines) == ("gap", 2, (3, 5))


def test_other_queries_are_ignored_before_any_check(folder: Path) -> None:
    text = b"bad line\nx Q0 a 1 nan t\n\xff\xfe Q0 a 1 1 t\nq Q0 a 1 1 t\nx Q0 a 1 1 t\n"
    run = read(folder, text, queries=["q", "absent"])
    assert run.qids == ("q",)
    assert not run.notices


GOOD = "q Q0 a 1 1 t\n"


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ("q Q0 a 1 1\n", 2, "6 .* 5"),
        ("q Q0 a 1 1 t t\n", 2, "6 .* 7"),
        ("q Q0 a 1 high t\n", 2, "'high'"),
        ("q Q0 a 1 1_0 t\n", 2, "'1_0'"),
        ("q Q0 a 1 0x1 t\n", 2, "'0x1'"),
        ("q Q0 a 1 nan t\n", 2, "'nan'"),
        ("q Q0 a 1 -Infinity t\n", 2, "'-Infinity'"),
        ("q Q0 a 1 1e999 t\n", 2, "1e999"),
        ("q Q0 a first 1 t\n", 2, "'first'"),
        ("q Q0 a -1 1 t\n", 2, "'-1'"),
        ("q Q0 a 1.0 1 t\n", 2, "'1.0'"),
        (b"q Q0 \xff 1 1 t\n", 2, "UTF-8"),
        (b"q Q0 a 1 1 \xff\n", 2, "UTF-8"),
        (b"q Q0 a\0 1 1 t\n", 2, "NUL"),
    ],
)
def test_a_line_that_cannot_be_read_is_an_error_with_its_place(
    folder: Path, text: str | bytes, line: int, said: str
) -> None:
    raw = GOOD.encode() + (text if isinstance(text, bytes) else text.encode())
    with pytest.raises(InputError, match=said) as caught:
        read(folder, raw)
    assert (caught.value.path, caught.value.line) == (str(folder / "a.run"), line)


@pytest.mark.parametrize("text", ["", "\n \n"])
def test_an_empty_run_is_an_error(folder: Path, text: str) -> None:
    with pytest.raises(InputError):
        read(folder, text)


def test_a_run_without_any_query_of_the_set_is_an_error(folder: Path) -> None:
    with pytest.raises(InputError, match=r"\b2\b"):
        read(folder, GOOD, queries=["x", "y"])


def test_a_missing_and_a_truncated_file_are_errors(folder: Path) -> None:
    with pytest.raises(InputError):
        read_run(folder / "absent.run")
    with pytest.raises(InputError):
        read(folder, gzip.compress(GOOD.encode() * 1000)[:-9], "a.run.gz")


def test_an_unknown_order_and_a_depth_of_0_are_errors(folder: Path) -> None:
    with pytest.raises(InputError):
        read(folder, GOOD, order="best")
    with pytest.raises(InputError, match=r"\b0\b"):
        read(folder, GOOD, depth=0)


@pytest.mark.parametrize("name", ["", "a b", "a:b", "a|b", "a=b", "a\tb", "x" * 101])
def test_a_name_that_would_break_the_lists_of_a_pool_is_an_error(name: str) -> None:
    with pytest.raises(InputError):
        check_run_name(name)


def test_several_runs_come_in_their_order_and_the_first_bad_one_is_told(folder: Path) -> None:
    paths = {name: folder / f"{name}.run" for name in ("B", "A", "C")}
    for path in paths.values():
        path.write_text(GOOD)
    told: list[int] = []
    runs = read_runs(paths, on_run=lambda: told.append(1))
    assert [run.name for run in runs] == ["B", "A", "C"]
    assert len(told) == 3
    paths["A"].write_text("bad\n")
    paths["C"].write_text("bad\n")
    with pytest.raises(InputError, match=r"A\.run:1"):
        read_runs(paths)
    assert read_runs({}) == []


LINES = st.lists(
    st.tuples(
        st.sampled_from(["1", "2", "10", "ü"]),
        st.sampled_from(["a", "b", "c", "10", "9", "é"]),
        st.integers(0, 4),
        st.sampled_from(["1", "1.0", "2", "-0", "0", "1e0", "0.3"]),
    ),
    min_size=1,
    max_size=25,
)


@pytest.mark.long
@given(LINES, st.randoms(use_true_random=False), st.sampled_from(["default", "trec_eval", "rank"]))
def test_the_order_of_the_lines_does_not_matter(
    tmp_path_factory: pytest.TempPathFactory,
    lines: list[tuple[str, str, int, str]],
    random: "random.Random",
    order: Order,
) -> None:
    folder = tmp_path_factory.getbasetemp()
    texts = [f"{qid} Q0 {docno} {rank} {score} t" for qid, docno, rank, score in lines]
    straight = read(folder, "\n".join(texts), order=order)
    random.shuffle(texts)
    shuffled = read(folder, "\n".join(texts), order=order)

    assert shuffled.qids == straight.qids
    assert shuffled.docnos.tolist() == straight.docnos.tolist()
    assert shuffled.ranks.tolist() == straight.ranks.tolist()
    assert shuffled.scores.tolist() == straight.scores.tolist()
