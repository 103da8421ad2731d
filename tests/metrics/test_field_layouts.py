"""Runs, judgements and queries as the programs of the field write them."""

import json
from pathlib import Path

import pytest

from metrics.errors import InputError
from metrics.runs import read_run
from metrics.runs.qrels import read_qrels
from metrics.runs.queries import Queries, parse_queries, read_queries

_TWO = {"q1": {"d1": 2.0, "d2": 1.0}, "q2": {"d2": 1.0}}


def written(folder: Path, text: str | bytes, name: str = "input") -> Path:
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


@pytest.mark.parametrize(
    "text",
    [
        "q1 Q0 d1 1 2 x\nq1 Q0 d2 2 1 x\nq2 Q0 d2 1 1 x\n",
        # ColBERT: qid, pid, rank, score.
        "q1\td1\t1\t2.0\nq1\td2\t2\t1.0\nq2\td2\t1\t1\n",
        # PyTerrier's frame, by Pandas: the index has no name, ranks begin at 0.
        ",qid,docid,docno,rank,score,query\n0,q1,7,d1,0,2.0,a\n1,q1,9,d2,1,1.0,a\n2,q2,9,d2,0,1.0,b\n",
        # Columns named as in TREC's own description.
        "qid Q0 docno rank score tag\nq1 Q0 d1 1 2 x\nq1 Q0 d2 2 1 x\nq2 Q0 d2 1 1 x\n",
        "query_id\tdoc_id\tscore\nq1\td2\t1.0\nq1\td1\t2.0\nq2\td2\t1.0\n",
        # ranx, pytrec_eval, BEIR.
        json.dumps(_TWO),
        json.dumps(_TWO, indent=2),
    ],
)
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_a_run_is_read_as_programs_write_it(tmp_path: Path, text: str, encoding: str) -> None:
    run = read_run(written(tmp_path, text.encode(encoding)))

    assert run.to_dict() == _TWO
    assert run.notices == ()


def test_a_run_of_ms_marco_has_ranks_for_scores(tmp_path: Path) -> None:
    run = read_run(written(tmp_path, "q1\td2\t2\nq1\td1\t1\nq2\td2\t1\n"))

    assert (run.documents("q1"), run.documents("q2")) == (["d1", "d2"], ["d2"])
    assert run.scores.tolist() == [-1, -2, -1]


def test_ranks_that_pandas_made_floats_are_whole_in_a_table_and_ids_stay(tmp_path: Path) -> None:
    path = written(tmp_path, "qid,docno,rank,score\n261.0,7.0,0.0,2.5\n")

    assert read_run(path).to_dict() == {"261.0": {"7.0": 2.5}}


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("q1 0 1001 1\nq1 0 1002 0\n", 1),  # judgements with numbers for documents
        ("q1 0 d1 1\n", 1),
        ("q1\td1\t3\nq1\td2\t0\n", 1),  # BEIR's judgements without their header
        ("query-id\tcorpus-id\tscore\nq1\td1\t1\n", None),
        ("qid,docno,query\nq1,d1,a\n", None),
        ("qid,docno,score\nq1,d1\n", 2),
        ("qid,docno,score\nq1,d1,high\n", 2),
        ('{"q1": {"d1": "high"}}', None),
        ('{"q1": {"d1": 1.0, "d1": 2.0}}', None),
        ('{"q1": ["d1"]}', None),
        ('{"q1": {"d1": 1', None),
    ],
)
def test_what_is_no_run_is_refused(tmp_path: Path, text: str, line: int | None) -> None:
    path = written(tmp_path, text)

    with pytest.raises(InputError) as refused:
        read_run(path)

    assert (refused.value.path, refused.value.line) == (str(path), line)


@pytest.mark.parametrize(
    "text",
    [
        "q1 0 d1 1\nq2 0 d9 2\n",
        "q1\t0\td1\t1.0\nq2\t0\td9\t2.0\n",
        "query-id\tcorpus-id\tscore\nq1\td1\t1\nq2\td9\t2\n",  # BEIR
        "qid,docno,label\nq1,d1,1\nq2,d9,2\n",  # PyTerrier's frame, by Pandas
        "query_id 0 doc_id relevance\nq1 0 d1 1\nq2 0 d9 2\n",
        '{"q1": {"d1": 1}, "q2": {"d9": 2}}',
    ],
)
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16-le"])
def test_judgements_are_read_as_programs_write_them(
    tmp_path: Path, text: str, encoding: str
) -> None:
    assert read_qrels(written(tmp_path, text.encode(encoding))) == {
        "q1": {"d1": 1},
        "q2": {"d9": 2},
    }


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("q1\td1\t1\n", 1),
        ("query-id\tcorpus-id\tscore\nq1\td1\n", 2),
        ("query-id\tcorpus-id\tscore\nq1\td1\tnan\n", 2),
        ("q1 0 d1 1.5\n", 1),
        ('{"q1": {"d1": 0.5}}', None),
    ],
)
def test_what_are_no_judgements_is_refused(tmp_path: Path, text: str, line: int | None) -> None:
    path = written(tmp_path, text)

    with pytest.raises(InputError) as refused:
        read_qrels(path)

    assert (refused.value.path, refused.value.line) == (str(path), line)


@pytest.mark.parametrize(
    "text",
    [
        "q1\twho left\nq2\ta, b\n",
        "qid\tquery\nq1\twho left\nq2\ta, b\n",
        "query_id\ttext\tsource\nq1\twho left\tn\nq2\ta, b\tn\n",
        "text\tid\nwho left\tq1\na, b\tq2\n",
        'query-id,query\nq1,who left\nq2,"a, b"\n',
        # BEIR's queries.jsonl.
        '{"_id": "q1", "text": "who left", "metadata": {}}\n{"_id": "q2", "text": "a, b"}\n',
        '{"q1": "who left", "q2": "a, b"}',
        '[{"qid": "q1", "query": "who left"},\n {"qid": "q2", "query": "a, b"}]',
    ],
)
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_queries_are_read_as_programs_write_them(tmp_path: Path, text: str, end: str) -> None:
    text = text.replace("\n", end)

    for queries in (read_queries(written(tmp_path, text)), parse_queries(text)):
        assert (queries.layout, queries.texts) == ("texts", {"q1": "who left", "q2": "a, b"})


@pytest.mark.parametrize(
    "text",
    [
        "qid\tquery\tlabel\nq1\twho left\tn\n",
        "qid,query,label\nq1,who left,n\n",
        "Query ID\tLabel\tQuery\nq1\tn\twho left\n",
        '{"qid": "q1", "query": "who left", "label": "n"}\n',
        "q1\twho left\tn\n",
    ],
)
def test_a_label_beside_a_query_is_never_its_text(tmp_path: Path, text: str) -> None:
    queries = read_queries(written(tmp_path, text))

    assert (queries.texts, queries.labels) == ({"q1": "who left"}, {"q1": "n"})


def test_ids_may_have_a_header() -> None:
    queries: Queries = parse_queries("query_id\nq1\nq2\n")

    assert (queries.layout, queries.ids) == ("ids", ("q1", "q2"))
