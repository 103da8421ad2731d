"""Votes of files in the library: what is read, and what agreement and decisions make of them."""

import json
import re
import warnings
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import metrics
from metrics.errors import InputError
from metrics.votes.frames import votes_of_file

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")

LONG = "query_id,worker,label\n1,u,Female\n1,v,female \n2,u,Male\n2,v,not sure\n2,w,Male\n"


def file_of(tmp_path: Path, text: str, name: str = "votes.csv") -> Path:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return path


def test_answers_are_options_in_their_own_words(tmp_path: Path) -> None:
    read = metrics.read_votes(file_of(tmp_path, LONG))
    assert [vote.answer for vote in read.votes] == ["Female", "Female", "Male", "?", "Male"]
    assert read.options is None
    assert "Read as ?, I cannot tell: 'not sure'." in read.notes
    assert read.possible[0] == "rows" or "plain" in read.possible
    frame = read.to_frame()
    assert list(frame.columns) == ["item", "worker", "value", "text", "seconds", "answered_at"]
    assert frame.item.tolist() == ["1", "1", "2", "2", "2"]


def test_a_file_a_path_and_its_frame_give_the_same(tmp_path: Path) -> None:
    path = file_of(tmp_path, LONG)
    read = metrics.read_votes(path)
    of_frame = metrics.agreement(read.to_frame())
    for votes in (path, str(path), read):
        pd.testing.assert_frame_equal(metrics.agreement(votes), of_frame)
        decided = metrics.decide(votes)
        assert decided.decided.tolist() == ["Female", "Male"]
        assert decided.n_cannot_tell.tolist() == [0, 1]


def test_options_are_all_that_could_be_chosen(tmp_path: Path) -> None:
    path = file_of(tmp_path, "query_id,worker,label\n1,u,f\n1,v,f\n2,u,m\n2,v,m\n2,w,f\n")
    read = metrics.read_votes(path, options=["f", "m", "n"])
    assert metrics.agreement(read).n_options.iloc[0] == 3
    assert metrics.agreement(path).n_options.iloc[0] == 2
    with pytest.raises(InputError, match=re.escape("labels={'f': 'x'}")) as error:
        metrics.read_votes(path, options=["x", "m"])
    assert "--" not in str(error.value)
    assert error.value.line == 2
    mapped = metrics.read_votes(path, options=["x", "m"], labels={"f": "x"})
    assert {vote.answer for vote in mapped.votes} == {"x", "m"}


def test_what_is_no_vote_is_kept_apart_with_its_reason(tmp_path: Path) -> None:
    path = file_of(tmp_path, "query_id,worker,label\n1,u,f\n1,v,\n1,w,drop\n2,u,m\n")
    read = metrics.read_votes(path, labels={"drop": ""})
    assert [(vote.answer.worker, vote.reason) for vote in read.apart] == [
        ("v", "blank"),
        ("w", "left out"),
    ]
    assert "1 answers do not count: blank." in read.notes
    with pytest.raises(InputError, match="no answer is a vote"):
        metrics.read_votes(path, labels={"drop": "", "f": "", "m": ""})


def test_errors_name_arguments_of_python(tmp_path: Path) -> None:
    path = file_of(tmp_path, "who,what,n\nu,f,1\nv,m,2\n")
    with pytest.raises(InputError) as error:
        metrics.read_votes(path, layout="plain")
    assert "columns={'query_id': 'who'}" in str(error.value)
    unclear = file_of(tmp_path, "id,ann,bob,ensemble\n1,f,m,f\n2,m,m,m\n3,f,f,m\n", "wide.csv")
    with pytest.raises(InputError) as ways:
        metrics.read_votes(unclear)
    assert "people=['ann', 'bob', 'ensemble']" in str(ways.value)
    assert "ignore=['ensemble']" in str(ways.value)
    assert len(metrics.read_votes(unclear, ignore=["ensemble"]).votes) == 6
    wrong: list[tuple[Any, str]] = [(5, "int"), ([], "no file")]
    for given, words in wrong:
        with pytest.raises(InputError, match=words):
            metrics.read_votes(given)


def test_gold_questions_weigh_workers_and_are_no_items(tmp_path: Path) -> None:
    rows = [f"g{at},{who},{'f' if who == 'u' else 'm'},f" for at in range(4) for who in "uvw"]
    rows += ["1,u,f,", "1,v,m,", "1,w,m,"]
    path = file_of(tmp_path, "\n".join(["query_id,worker,label,gold", *rows]))
    read = metrics.read_votes(path)
    assert read.known == {f"g{at}": "f" for at in range(4)}
    assert (len(read.votes), len(read.gold_votes)) == (3, 12)
    assert metrics.decide(read).decided.tolist() == ["m"]
    # Right on (4 + 1) / (4 + 2) and (0 + 1) / (4 + 2) of gold: 5/6 against 1/6 twice.
    assert metrics.decide(read, "gold_weighted").decided.tolist() == ["f"]
    with pytest.raises(InputError, match="known answers"):
        metrics.decide(read.to_frame(), "gold_weighted")


def test_hits_of_mechanical_turk_are_clusters(tmp_path: Path) -> None:
    head = "HITId,AssignmentId,WorkerId,AssignmentStatus,Input.x1,Input.x2,Answer.x1,Answer.x2"
    rows = [f"H{hit},A{hit}{who},{who},Approved,q,p,f,m" for hit in range(3) for who in "uv"]
    read = metrics.read_votes(file_of(tmp_path, "\n".join([head, *rows])))
    clusters = votes_of_file(read, "nominal").clusters
    assert clusters is not None
    assert clusters.tolist() == [0, 0, 1, 1, 2, 2]


def test_several_files_are_read_in_their_order(tmp_path: Path) -> None:
    record = {"id": 1, "text": "queen", "label": ["f"], "Comments": []}
    paths = [file_of(tmp_path, json.dumps(record), f"{name}.jsonl") for name in ("b", "a")]
    read = metrics.read_votes(paths)
    assert [vote.worker for vote in read.votes] == ["b", "a"]


def test_columns_of_a_frame_say_more_of_votes() -> None:
    items = [str(at) for at in range(60) for _ in "uvw"]
    frame = pd.DataFrame({"item": items, "worker": [*"uvw"] * 60, "value": ["f", "f", "m"] * 60})
    told: dict[str, Any] = {
        "cluster": [int(item) // 6 for item in items],
        "origin": ["human", "Model", "simulated"] * 60,
        "drop": [False, False, True] * 60,
    }
    frame = frame.assign(**told)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        alpha = metrics.agreement(frame, cluster="cluster", origin="origin", excluded="drop")
    texts = " ".join(str(warning.message) for warning in caught)
    assert "language models" in texts
    assert "60 of 180 votes are set aside" in texts
    assert "simulated" not in texts, "those are left out"
    assert alpha.n_votes.iloc[0] == 120
    assert metrics.decide(frame, excluded="drop").n_votes.tolist() == [2] * 60
    assert metrics.agreement(frame, first_round="drop").n_votes.iloc[0] == 60
    assert metrics.agreement(frame, suggested_by="gpt").value.isna().all()
    odd = frame.assign(number=range(180))
    with pytest.raises(InputError, match="in the clusters"):
        metrics.agreement(odd, cluster="number")
    with pytest.raises(InputError, match="not an origin"):
        metrics.agreement(odd, origin="number")
    with pytest.raises(InputError, match="True or False"):
        metrics.agreement(frame.assign(drop="x"), excluded="drop")


def test_one_list_of_names_serves_files_and_frames() -> None:
    frame = pd.DataFrame({"sample_id": [1, 1], "coder": ["u", "v"], "Response": ["f", "f"]})
    assert metrics.decide(frame).decided.tolist() == ["f"]
    with pytest.raises(InputError, match=r"sample_id, qid may both be the column of the item"):
        metrics.decide(frame.assign(qid=1))
    both = frame.assign(question_id=["a", "b"])
    with pytest.raises(InputError, match="sample_id, question_id may both be"):
        metrics.decide(both)
    assert metrics.decide(both, question="question_id").question.tolist() == ["a", "b"]


def test_a_table_without_people_is_refused_at_its_head(tmp_path: Path) -> None:
    path = file_of(tmp_path, "query_id,query,notes\nq1,nurse,a\nq2,boss,b\n")
    with pytest.raises(
        InputError, match="no column seems to have the answers of a person"
    ) as caught:
        metrics.read_votes(path, layout="wide")
    assert (caught.value.path, caught.value.line) == (str(path), 1)
