"""Ids are read as they are written, and mended where two sides meet; what never meets is said."""

import csv
import json
import warnings
from pathlib import Path
from typing import Any

import pytest

from metrics.api import evaluate
from metrics.errors import InputError
from metrics.io.ids import changed_by_spreadsheets, met
from metrics.results.meeting import meet
from metrics.results.overlap import run_overlap
from metrics.runs import Run, read_run
from metrics.runs.qrels import read_qrels
from metrics.runs.queries import read_queries
from metrics.texts.magnitude_store import open_magnitudes
from tests.program import run as fairpool
from tests.program import run_json as fairpool_json

TEXTS = {"1.0": "He left.", "2.0": "She left.", "3": "It rained."}


def write(path: Path, *lines: str) -> Path:
    path.write_text("".join(f"{line}\n" for line in lines))
    return path


def nobody_warns(*arguments: Any, **options: Any) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return evaluate(*arguments, **options)


def test_readers_keep_ids_as_they_are_written(tmp_path: Path) -> None:
    run = write(tmp_path / "a.run", "31.0 Q0 1.0 1 3 s", "32.0 Q0 2.0 1 2 s")
    table = write(tmp_path / "b.run", "qid\tdocno\tscore", "31.0\t1.0\t3", "32.0\t2.0\t2")
    qrels = write(tmp_path / "q.qrels", "31.0 0 1.0 1")
    queries = write(tmp_path / "q.tsv", "31.0\twho", "32.0\twhat")

    assert read_run(run).qids == read_run(table).qids == ("31.0", "32.0")
    assert read_run(run).documents("31.0") == read_run(table).documents("31.0") == ["1.0"]
    assert read_qrels(qrels) == {"31.0": {"1.0": 1}}
    assert read_queries(queries).ids == ("31.0", "32.0")


def test_documents_called_as_versions_meet_in_all_files(tmp_path: Path) -> None:
    run = write(tmp_path / "a.run", "q1 Q0 1.0 1 3 s", "q1 Q0 2.0 2 2 s")
    qrels = write(tmp_path / "q.qrels", "q1 0 1.0 1")

    frame = nobody_warns(str(run), ["nDCG@5", "RaB@5"], TEXTS, qrels=str(qrels))

    assert frame["value"].tolist() == [1.0, 0.0]


def test_turns_of_a_conversation_are_no_decimals(tmp_path: Path) -> None:
    run = write(tmp_path / "a.run", *(f"{q} Q0 3 1 1 s" for q in ("31.0", "31.1", "32.0")))
    queries = write(tmp_path / "q.tsv", "31.0\twho", "32.0\twhat")

    frame = nobody_warns(str(run), "RaB@1", TEXTS, queries=str(queries))

    assert (frame["n_queries"].tolist(), frame["n_queries_missing"].tolist()) == ([2], [0])


@pytest.mark.parametrize("ids", [("261", "31"), ("261.0", "31.0")])
def test_a_run_whose_queries_are_written_otherwise_meets_them_and_says_so(
    tmp_path: Path, ids: tuple[str, str]
) -> None:
    theirs = {"261": "261.0", "31": "31.0", "261.0": "261", "31.0": "31"}
    run = write(tmp_path / "a.run", *(f"{theirs[qid]} Q0 3 1 1 s" for qid in ids))

    with pytest.warns(UserWarning, match=theirs[ids[0]]):
        of_file = evaluate(str(run), "RaB@1", TEXTS, queries=list(ids), per_query=True)
    with pytest.warns(UserWarning, match=theirs[ids[0]]):
        of_memory = evaluate(read_run(run), "RaB@1", TEXTS, queries=list(ids), per_query=True)

    assert of_file["qid"].tolist() == of_memory["qid"].tolist() == sorted(ids)
    assert of_file["value"].tolist() == of_memory["value"].tolist() == [0.0, 0.0]


def test_a_turn_is_not_the_topic_that_it_belongs_to(tmp_path: Path) -> None:
    run = write(tmp_path / "a.run", "31.0 Q0 3 1 1 s", "31.1 Q0 3 1 1 s")

    with pytest.raises(InputError, match=r"'31\.0', '31\.1'.*'31'"):
        read_run(run, queries=["31"])


def test_judgments_and_collections_written_otherwise_meet_and_say_so() -> None:
    run = {"7": {"1": 2.0, "2": 1.0}}
    texts = {"1.0": "He left.", "2.0": "She left."}

    with pytest.warns(UserWarning) as caught:  # noqa: PT030 - three of them
        frame = evaluate(run, ["nDCG@2", "RaB@1"], texts, qrels={"7.0": {"1.0": 1, "9.0": 0}})

    assert frame["value"].tolist()[0] == 1.0
    assert frame["value"].tolist()[1] > 0
    assert len(caught) == 2


def test_a_run_as_lines_and_as_a_table_is_the_same_run() -> None:
    lines = Run.from_dict({"1": {"10": 2.0, "11": 1.0}}, "lines")
    table = Run.from_dict({"1.0": {"10.0": 2.0, "11.0": 1.0}}, "table")

    assert run_overlap(lines, table).value == pytest.approx(1.0)


def test_judgments_of_other_queries_are_refused_with_ids_of_both() -> None:
    with pytest.raises(InputError, match=r"'d1'.*'q1'"):
        evaluate({"q1": {"d1": 1.0}}, "nDCG@5", qrels={"d1": {"q1": 1}})
    with pytest.raises(InputError, match=r"'other'.*'q1'"):
        evaluate({"q1": {"d1": 1.0}}, "RaB@5", {"d1": "he"}, queries=["other"])


def test_judgments_of_which_no_document_is_in_a_run_are_said_with_ids_of_both() -> None:
    with pytest.warns(UserWarning, match="'msmarco_d1' here, 'd1' there"):
        frame = evaluate({"q1": {"d1": 1.0}}, "nDCG@5", qrels={"q1": {"msmarco_d1": 1}})

    assert frame["value"].tolist() == [0.0]


def test_a_judged_document_below_the_cutoff_is_no_other_document() -> None:
    run = {"q1": {f"d{rank}": float(-rank) for rank in range(9)}}

    assert nobody_warns(run, "nDCG@5", qrels={"q1": {"d8": 1}})["value"].tolist() == [0.0]
    with pytest.warns(UserWarning, match="'x_d8' here"):
        evaluate(run, "nDCG@5", qrels={"q1": {"x_d8": 1}})


def test_texts_and_labels_of_no_document_of_a_run_are_said() -> None:
    with pytest.warns(UserWarning, match=r"'d1'.*'x1'"):
        evaluate({"q1": {"d1": 1.0}}, "RaB@5", {"x1": "he"}, missing="zero")
    with pytest.warns(UserWarning, match=r"'x1'.*'d1'"):
        evaluate({"q1": {"d1": 1.0}}, "LabelExposure(group=a)@5", labels={"x1": "a"})


@pytest.mark.parametrize(
    "lines",
    [
        ("q1 0 d1 1", "q1 0 d2 0"),
        ("q1 d1 1 0", "q1 d2 0 0"),
        ("q1 d1 1 Q0", "q1 d2 0 Q0"),
        ("q1 d1 0 1", "q1 d2 0 0"),
        ("query_id\tdoc_id\trelevance\titeration", "q1\td1\t1\t0", "q1\td2\t0\t0"),
        (
            '{"query-id": "q1", "corpus-id": "d1", "score": 1.0}',
            '{"query-id": "q1", "corpus-id": "d2", "score": 0}',
        ),
        ('{"query-id": "q1", "corpus-id": "d1", "score": 1, "more": []}', " ",
         '{"query-id": "q1", "corpus-id": "d2", "score": 0}'),
    ],
)  # fmt: skip
def test_judgments_are_read_with_their_columns_in_any_known_order(
    tmp_path: Path, lines: tuple[str, ...]
) -> None:
    assert read_qrels(write(tmp_path / "q", *lines)) == {"q1": {"d1": 1, "d2": 0}}


def test_judgments_of_documents_called_by_small_numbers_stay_trecs(tmp_path: Path) -> None:
    path = write(tmp_path / "q", "q1 0 5 1", "q1 0 6 0", "q2 0 5 0")

    assert read_qrels(path) == {"q1": {"5": 1, "6": 0}, "q2": {"5": 0}}


def test_a_line_without_the_members_of_the_first_is_named(tmp_path: Path) -> None:
    path = write(tmp_path / "q", '{"qid": "q1", "docno": "d1", "grade": 1}', '{"qid": "q1"}')

    with pytest.raises(InputError) as caught:
        read_qrels(path)

    assert caught.value.line == 2


def test_ids_that_a_spreadsheet_changed_are_named() -> None:
    assert changed_by_spreadsheets(["1.23457E+17", "1-Feb", "Feb-01", "d1", "1e5"]) == [
        "1.23457E+17",
        "1-Feb",
        "Feb-01",
    ]
    with pytest.warns(UserWarning, match=r"1\.23457E\+17"):
        evaluate({"1.23457E+17": {"d1": 1.0}}, "RaB@5", {"d1": "he"})


def test_ids_meet_only_where_none_is_on_both_sides() -> None:
    assert met(["1.0", "2.0"], ["2.0", "3.0", "1"]) is None
    assert met(["1.0", "2.0"], ["1", "x"]) == {"1.0": "1", "2.0": "2"}
    assert met(["1", "2"], ["1.0"]) == {"1": "1.0", "2": "2.0"}
    assert met(["1.0", "2"], ["1", "3"]) is None


def test_the_program_says_what_never_meets(tmp_path: Path) -> None:
    run = write(tmp_path / "a.run", "q1 Q0 d1 1 3 s")
    qrels = write(tmp_path / "q.qrels", "q1 0 p_d1 1")

    printed = fairpool("measure", "-m", "nDCG", "-r", run, "--qrels", qrels, "--json")

    assert json.loads(printed)["rows"][0]["value"] == 0.0


def test_the_texts_of_an_explained_query_are_found_where_ids_are_written_otherwise(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = write(tmp_path / "a.run", "31.0 Q0 1.0 1 3 s", "31.0 Q0 2.0 2 2 s")
    texts = write(tmp_path / "c.tsv", "1\tHe left.", "2\tShe left.", "d3\tIt rained.")
    foreign = write(tmp_path / "f.tsv", "x1\tHe left.", "x2\tShe left.")

    shown = fairpool_json("explain", 31, "-r", f"A={run}", "-c", texts)
    said = capsys.readouterr().err
    assert [one["text"] for one in shown["runs"][0]["documents"]] == ["He left.", "She left."]
    assert ("31 for 31.0" in said or "31.0 for 31" in said, "1.0 for 1" in said) == (True, True)
    fairpool("explain", 31, "-r", f"A={run}", "-c", foreign, "--missing", "zero")
    assert "'1.0', '2.0' here, 'x1', 'x2' there" in capsys.readouterr().err


def test_a_run_is_balanced_with_the_ids_that_it_came_with(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = write(tmp_path / "a.run", "q1 Q0 1.0 1 3 s", "q1 Q0 2.0 2 2 s")
    texts = write(tmp_path / "c.tsv", "1\tHe left.", "2\tIt rained.")
    qrels = write(tmp_path / "q.qrels", "q1 0 1 1")
    fairpool("score", texts, "-o", tmp_path / "m.parquet")

    def balance(*arguments: object) -> None:
        fairpool(
            "balance", "-r", run, "--scores", tmp_path / "m.parquet", "--method", "exposure",
            *arguments,
        )  # fmt: skip

    balance("--strength", 1, "-o", tmp_path / "b.run")
    balance("--sweep", tmp_path / "s.csv", "--qrels", qrels)

    assert read_run(tmp_path / "b.run").documents("q1") == ["2.0", "1.0"]
    rows = [*csv.DictReader((tmp_path / "s.csv").read_text().splitlines())]
    assert rows[0]["nDCG"] == "1.0"
    assert "1.0 for 1." in capsys.readouterr().err


def test_runs_that_write_documents_otherwise_meet_judgments_in_any_order() -> None:
    floats, whole = {"1.0": {"10.0": 2.0, "11.0": 1.0}}, {"1": {"10": 2.0, "11": 1.0}}
    for runs in ({"A": floats, "B": whole}, {"B": whole, "A": floats}):
        for qrels in ({"1": {"10": 1}}, {"1.0": {"10.0": 1}}):
            with pytest.warns(UserWarning, match="written otherwise"):
                frame = evaluate(runs, "nDCG@2", qrels=qrels)
            assert frame["value"].tolist() == [1.0, 1.0]


def test_a_list_without_any_judged_document_is_said_whatever_its_ids_look_like() -> None:
    with pytest.warns(UserWarning, match="among the first 2 of the runs"):
        evaluate({"q1": {"d1": 2.0, "d2": 1.0}}, "nDCG@2", qrels={"q1": {"D2": 1}})


def test_documents_that_a_spreadsheet_changed_are_named_beside_others_that_meet() -> None:
    with pytest.warns(UserWarning, match=r"1\.23E\+05"):
        evaluate({"q1": {"d1": 2.0}}, "nDCG@2", qrels={"q1": {"d1": 0, "1.23E+05": 1}})


def test_judgments_meet_beside_a_kind_of_which_there_are_none() -> None:
    runs = [Run.from_dict({"1": {"d1": 2.0}})]
    together = meet(runs, {"people": None, "model": {"1.0": {"d1": 1}}})
    assert together.judgments == {"people": None, "model": {"1": {"d1": 1}}}


def test_word_categories_are_looked_for_in_documents_that_are_written_otherwise(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = write(tmp_path / "words.dic", "%", "1\tmale", "%", "he\t1")
    texts = {"1": "He left.", "2": "She left."}
    options: dict[str, Any] = {"liwc": str(words), "missing": "zero"}
    collection = write(tmp_path / "c.tsv", *(f"{docno}\t{text}" for docno, text in texts.items()))
    run = write(tmp_path / "a.run", "q1 Q0 1.0 1 3 s", "q1 Q0 2.0 2 2 s")

    with pytest.warns(UserWarning, match=r"1\.0 for 1\."):
        frame = evaluate(str(run), "LIWC(category=male)@2", collection=texts, **options)
    result = fairpool_json(
        "measure", "-r", run, "-c", collection, "--liwc", words, "--missing", "zero",
        "-m", "LIWC(category=male)@2", "--json",
    )  # fmt: skip

    # One of two words, and none of two.
    assert frame["value"].tolist() == [row["value"] for row in result["rows"]] == [25.0]
    assert "1.0 for 1." in capsys.readouterr().err
    with pytest.warns(UserWarning, match="'1.0', '2.0' here, 'x' there"):
        evaluate(str(run), "LIWC(category=male)@2", collection={"x": "He."}, **options)


def test_a_part_of_a_collection_is_scored_for_runs_that_write_its_documents_as_numbers(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    texts = write(tmp_path / "c.tsv", "1\tHe left.", "2\tShe left.", "3\tIt rained.")
    run = write(tmp_path / "a.run", "q1 Q0 1.0 1 3 s", "q1 Q0 2.0 2 2 s")

    fairpool("score", texts, "--only-run", run, "-o", tmp_path / "m.parquet")

    assert list(open_magnitudes(tmp_path / "m.parquet").docnos) == ["1", "2"]
    assert "not in the collection" not in capsys.readouterr().err


def test_pools_are_built_of_runs_that_write_documents_otherwise(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    texts = write(tmp_path / "c.tsv", "1\tHe left.", "2\tShe left.", "3\tIt rained.")
    queries = write(tmp_path / "q.tsv", "31\twho", "32\twhat")
    whole = write(tmp_path / "a.run", "31 Q0 1 1 3 s", "32 Q0 2 1 3 s")
    floats = write(tmp_path / "b.run", "31.0 Q0 1.0 1 3 s", "32.0 Q0 2.0 1 3 s")
    runs = ["-r", f"A={whole}", "-r", f"B={floats}", "--queries", queries]
    fairpool("score", texts, "-o", tmp_path / "m.parquet")

    for missing in ("error", "zero", "skip"):
        fairpool(
            "pool", "--scores", tmp_path / "m.parquet", *runs, "--missing", missing,
            "--force", "-o", tmp_path / "pool.csv",
        )  # fmt: skip
        rows = [*csv.DictReader((tmp_path / "pool.csv").read_text().splitlines())]
        assert {row["qid"]: row["lists"] for row in rows} == {
            "31": "A:f:2|A:m:1|B:f:2|B:m:1",
            "32": "A:f:1|A:m:2|B:f:1|B:m:2",
        }
        assert "1.0 for 1." in capsys.readouterr().err
    fairpool("pool-pairs", "-c", texts, *runs, "--missing", "skip", "-o", tmp_path / "pairs.csv")

    rows = [*csv.DictReader((tmp_path / "pairs.csv").read_text().splitlines())]
    assert [(row["qid"], row["docno"], row["places"]) for row in rows] == [
        ("31", "1", "A:1|B:1"),
        ("32", "2", "A:1|B:1"),
    ]
    assert "1.0 for 1." in capsys.readouterr().err
