from pathlib import Path

import pytest

from metrics.errors import InputError
from metrics.votes.files.answers import Votes
from metrics.votes.files.reader import read_votes

RESULTS = "HITId,AssignmentId,WorkerId,AssignmentStatus,WorkTimeInSeconds,"


def read(*paths: Path, **options: dict[str, str]) -> Votes:
    return read_votes(
        paths,
        columns=options.get("columns", {}),
        labels=options.get("labels", {}),
        gold=options.get("gold", {}),
    )


def written(folder: Path, text: str, name: str = "votes.csv") -> Path:
    path = folder / name
    path.write_bytes(text.encode())
    return path


def summary(found: Votes) -> list[tuple[str, str, str]]:
    return [(one.qid, one.worker, one.answer) for one in found.votes]


def test_a_plain_table_with_other_column_names_and_labels(tmp_path: Path) -> None:
    path = written(tmp_path, "task,who,answer\n1,a,0\n1,b,1\n")
    found = read(
        path,
        columns={"query_id": "task", "worker": "who", "label": "answer"},
        labels={"0": "n", "1": "f"},
    )
    assert summary(found) == [("1", "a", "n"), ("1", "b", "f")]


def test_the_first_of_repeated_votes_counts_and_the_rest_is_kept(tmp_path: Path) -> None:
    found = read(written(tmp_path, "query_id,worker,label\nq,a,n\nq,a,f\nq,a,n\n"))
    assert summary(found) == [("q", "a", "n")]
    assert [(one.line, one.answer) for one in found.repeated] == [(3, "f"), (4, "n")]


def test_blank_and_several_answers_are_set_aside_with_their_reason(tmp_path: Path) -> None:
    path = written(tmp_path, "query_id,worker,label\nq,a,\nq,b,f|m\nq,c,?\nq,d,n|o\n")
    found = read(path, labels={"?": "", "n|o": "o"})
    assert [(one.answer.line, one.reason) for one in found.set_aside] == [
        (2, "blank"),
        (3, "several"),
        (4, "left out"),
    ]
    assert summary(found) == [("q", "d", "o")]


def test_an_unmapped_label_is_an_error_with_its_line(tmp_path: Path) -> None:
    path = written(tmp_path, 'query_id,query,worker,label\n1,"two\nlines",a,n\n2,x,a,yes\n')
    with pytest.raises(InputError, match=r"votes\.csv:4: .*'yes'"):
        read(path)


def test_a_label_mapped_to_no_category_is_an_error(tmp_path: Path) -> None:
    path = written(tmp_path, "query_id,worker,label\nq,a,n\n")
    with pytest.raises(InputError, match="'x'"):
        read(path, labels={"0": "x"})


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "votes.csv"),
        ("query_id,worker,label\n", "votes.csv"),
        ("query_id,worker\nq,a\n", "'label'"),
        ("query_id,worker,label\nq,a\n", r":2: expected 3 columns, found 2"),
        ("query_id,worker,label\nq,a,n,n\n", r":2: expected 3 columns, found 4"),
        ("query_id,worker,label,label\nq,a,n,n\n", "'label'"),
        ('query_id,worker,label\nq,"a"b,n\n', r":2: .*CSV"),
        ("query_id,worker,label\n,a,n\n", ":2: "),
        ("query_id,worker,label\nq,\0,n\n", ":2: .*NUL"),
        ("query_id,worker,label,seconds\nq,a,n,soon\n", ":2: 'soon'"),
        ("query_id,worker,label,seconds\nq,a,n,nan\n", ":2: 'nan'"),
    ],
)
def test_a_broken_table_is_an_error_that_says_where(
    tmp_path: Path, text: str, message: str
) -> None:
    with pytest.raises(InputError, match=message):
        read(written(tmp_path, text))


def test_bytes_that_are_not_utf8_are_named_by_line(tmp_path: Path) -> None:
    path = tmp_path / "votes.csv"
    path.write_bytes(b"query_id,worker,label\nq,a,n\nq,b\xff,n\n")
    with pytest.raises(InputError, match=r":3: .*UTF-8"):
        read(path)


def test_byte_order_mark_crlf_and_unicode_line_separators_inside_cells(tmp_path: Path) -> None:
    text = "\ufeffquery_id,query,worker,label\r\n1,a\u0085b\u2028c,w,n\r\n"
    found = read(written(tmp_path, text))
    assert found.votes[0].text == "a\u0085b\u2028c"
    assert found.votes[0].answer == "n"


def test_whole_numbers_written_as_decimals_become_whole(tmp_path: Path) -> None:
    path = written(tmp_path, "query_id,worker,label\n261.0,a,n\n262,a,n\n")
    found = read(path)
    assert [one.qid for one in found.votes] == ["261", "262"]
    assert "ids like 261.0" in found.notes[0]


def test_ids_that_only_look_like_decimals_stay(tmp_path: Path) -> None:
    path = written(tmp_path, "query_id,worker,label\n1.0,a,n\n1.5,a,n\n")
    assert [one.qid for one in read(path).votes] == ["1.0", "1.5"]


def test_several_queries_per_row_of_mturk_results(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        RESULTS
        + "Input.id_1,Input.q_1,Input.id_2,Input.q_2,Answer.c_1,Answer.c_2,Approve,Reject\r\n"
        '"H","A1","W1","Approved","40","7.0","x","8","y","Yes","No"\r\n',
    )
    found = read(
        path,
        columns={"label": "Answer.c_*", "query": "Input.q_*", "query_id": "Input.id_*"},
        labels={"Yes": "f", "No": "n"},
    )
    assert summary(found) == [("7", "W1", "f"), ("8", "W1", "n")]
    assert [one.text for one in found.votes] == ["x", "y"]
    # 40 seconds for two answers.
    assert [one.seconds for one in found.votes] == [20.0, 20.0]


def test_answers_beside_an_input_are_queries_unless_their_name_says_check(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        RESULTS + "Input.a,Input.gold_a,Answer.a,Answer.gold_a,Answer.comment\n"
        "H,A1,W1,Submitted,8,text,easy,n,f,hello\n",
    )
    found = read(path)
    assert summary(found) == [("H:a", "W1", "n")]
    assert found.notes == [
        "Read as queries: Answer.a.",
        "Left out, because their names say that they check the worker: Answer.gold_a.",
        "Left out, because no Input column has their name: Answer.comment.",
    ]


def test_gold_columns_become_check_queries(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        RESULTS + "Input.a,Input.known,Answer.a,Answer.gold,Answer.check\n"
        "H,A1,W1,Approved,8,text,m,n,f,m\n",
    )
    found = read(path, gold={"Answer.gold": "f", "Answer.check": "Input.known"})
    assert [(one.qid, one.answer, one.gold) for one in found.votes] == [
        ("H:a", "n", ""),
        ("H:gold", "f", "f"),
        ("H:check", "m", "m"),
    ]


def test_rejected_and_superseded_assignments_are_kept_apart(tmp_path: Path) -> None:
    head = RESULTS + "Input.a,Answer.a\n"
    first = written(
        tmp_path,
        head + "H,A1,W1,Submitted,8,t,n\nH,A2,W2,Submitted,8,t,n\nH,A3,W3,Rejected,8,t,f\n",
        "first.csv",
    )
    # The later download has another column order, and changed its mind about A2.
    second = written(
        tmp_path,
        "Answer.a,Input.a,WorkerId,AssignmentId,HITId,AssignmentStatus\n"
        "f,t,W1,A1,H,Approved\nn,t,W2,A2,H,Rejected\n",
        "second.csv",
    )
    found = read(first, second)
    assert summary(found) == [("H:a", "W1", "f")]
    assert [(one.answer.worker, one.reason) for one in found.set_aside] == [
        ("W1", "superseded"),
        ("W2", "superseded"),
        ("W3", "rejected"),
        ("W2", "rejected"),
    ]


def test_a_row_may_leave_out_only_the_columns_that_mturk_leaves_out(tmp_path: Path) -> None:
    head = RESULTS + "Input.a,Answer.a,Approve,Reject\n"
    with pytest.raises(InputError, match=r":2: expected 9 columns, found 6"):
        read(written(tmp_path, head + "H,A1,W1,Approved,8,t\n"))


def test_columns_that_cannot_be_found_are_named(tmp_path: Path) -> None:
    path = written(tmp_path, RESULTS + "Answer.a,Answer.b\nH,A1,W1,Approved,8,n,f\n")
    with pytest.raises(InputError, match=r"'label': 'Answer\.a'.*'Answer\.b'"):
        read(path)
    path = written(tmp_path, RESULTS + "Answer.category\nH,A1,W1,Approved,8,n\n")
    with pytest.raises(InputError, match=r"'Answer\.x_\*'"):
        read(path, columns={"label": "Answer.x_*"})
    with pytest.raises(InputError, match=r"no column .* 'worker'"):
        read(path, columns={"worker": "x"})
    assert summary(read(path, columns={"label": "Answer.category"})) == [("H", "W1", "n")]


def test_files_of_one_batch_may_have_different_layouts(tmp_path: Path) -> None:
    """One query per HIT in the first file, five and a check in the second."""
    first = written(
        tmp_path, RESULTS + "Input.text,Answer.stance\nH1,A1,W1,Approved,8,t,n\n", "first.csv"
    )
    places = "12345"
    head = ",".join([*(f"Input.text{n}" for n in places), *(f"Answer.stance{n}" for n in places)])
    second = written(
        tmp_path,
        f"{RESULTS}{head},Answer.check\nH2,A2,W2,Approved,8,a,b,c,d,e,n,f,m,o,n,m\n",
        "second.csv",
    )
    found = read(
        first,
        second,
        columns={"label": "Answer.stance*", "query": "Input.text*"},
        gold={"Answer.check": "m"},
    )
    assert summary(found) == [
        ("H1", "W1", "n"),
        *((f"H2:{place}", "W2", label) for place, label in zip(places, "nfmon", strict=True)),
        ("H2:check", "W2", "m"),
    ]
    assert [one.text for one in found.votes] == ["t", *"abcde", ""]


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("columns", {"label": "Answer.x_*"}),
        ("columns", {"label": "Answer.x"}),
        ("gold", {"Answer.x_*": "n"}),
        ("gold", {"Answer.x": "n"}),
    ],
)
def test_a_pattern_without_a_column_names_the_answers_that_there_are(
    tmp_path: Path, option: str, value: dict[str, str]
) -> None:
    path = written(tmp_path, RESULTS + "Input.a,Answer.a,Answer.b\nH,A1,W1,Approved,8,t,n,f\n")
    with pytest.raises(InputError, match=r"votes\.csv:1: .*'Answer\.x.*Answer\.a, Answer\.b\."):
        read(path, **{option: value})


def test_plain_tables_come_one_at_a_time(tmp_path: Path) -> None:
    path = written(tmp_path, "query_id,worker,label\nq,a,n\n")
    with pytest.raises(InputError):
        read(path, path)


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize(
    "text",
    [
        "query_id,query,worker,label\nq1,ü ö,a,n\nq1,ü ö,b,f\n",
        (
            '{"id": "q1", "text": "ü ö", "annotator": "a", "label": "n"}\n'
            '{"id": "q1", "text": "ü ö", "annotator": "b", "label": "f"}\n'
        ),
    ],
)
def test_votes_are_the_same_in_any_encoding_and_with_any_line_ends(
    text: str, end: str, encoding: str, tmp_path: Path
) -> None:
    path = tmp_path / "votes"
    path.write_bytes(text.replace("\n", end).encode(encoding))
    found = read(path)
    assert summary(found) == [("q1", "a", "n"), ("q1", "b", "f")]
    assert {one.text for one in found.votes} == {"ü ö"}
