"""Layouts of votes as programs and platforms of the field write them."""

import io
import json
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from annotation.labels.operations.imports import unpacked
from metrics.errors import InputError
from metrics.votes.files.answers import Votes
from metrics.votes.files.naming import shared_name
from metrics.votes.files.reader import read_tables, read_votes

WORDS = {"Female": "f", "Male": "m", "Neither": "n"}
ASSIGNMENT = "HITId,AssignmentId,WorkerId,AssignmentStatus,"


def read(paths: Path | Sequence[Path], **options: Any) -> Votes:
    terms: dict[str, Any] = {"columns": {}, "labels": WORDS, "gold": {}, **options}
    files = [paths] if isinstance(paths, Path) else paths
    return read_votes(files, **terms)


def written(folder: Path, text: str, name: str = "votes.dat") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def lines(*records: Mapping[str, Any]) -> str:
    return "".join(json.dumps(one) + "\n" for one in records)


def votes(found: Votes) -> list[tuple[str, str, str]]:
    return [(one.qid, one.worker, one.answer) for one in found.votes]


def apart(found: Votes) -> list[tuple[str, str]]:
    return [(one.answer.worker, one.reason) for one in found.set_aside]


def task_answers(*of_each: Any) -> str:
    rows = [
        f'H1,A{at},W{at},Submitted,query 1,"{json.dumps(held).replace(chr(34), chr(34) * 2)}"'
        for at, held in enumerate(of_each, 1)
    ]
    return "\n".join([f"{ASSIGNMENT}Input.text,Answer.taskAnswers", *rows]) + "\n"


#: What the pages of crowd elements answer to one question: the cells, and the votes.
CROWD_ANSWERS: dict[str, tuple[tuple[Any, ...], str]] = {
    "crowd-classifier": (
        ([{"gender": {"label": "Female"}}], [{"gender": {"label": "Male"}}]), "fm",
    ),
    "crowd-radio-group": (
        (
            [{"gender": {"Female": True, "Male": False}}],
            [{"gender": {"Female": False, "Male": True}}],
        ),
        "fm",
    ),
    "radio buttons with a name each": (
        (
            [{"Female": {"on": True}, "Male": {"on": False}}],
            [{"Female": {"on": False}, "Male": {"on": True}}],
        ),
        "fm",
    ),
    "a select beside a comment": (
        ([{"gender": "Female", "comment": "easy"}], [{"gender": "Male", "comment": ""}]), "fm",
    ),
}  # fmt: skip


@pytest.mark.parametrize("what", CROWD_ANSWERS)
def test_answers_of_crowd_elements_are_one_vote_each(what: str, tmp_path: Path) -> None:
    held, codes = CROWD_ANSWERS[what]
    found = read(written(tmp_path, task_answers(*held)))
    assert votes(found) == [("H1", f"W{at}", code) for at, code in enumerate(codes, 1)]
    assert {one.text for one in found.votes} == {"query 1"}


def test_of_several_questions_of_crowd_elements_one_is_named(tmp_path: Path) -> None:
    held = [{"gender": {"label": "Female"}, "tone": {"label": "Neither"}}]
    path = written(tmp_path, task_answers(held))
    with pytest.raises(InputError, match=r"'label': 'Answer\.taskAnswers\.gender'"):
        read(path)
    named = read(path, columns={"label": "Answer.taskAnswers.gender"})
    assert votes(named) == [("H1", "W1", "f")]
    broken = written(tmp_path, f"{ASSIGNMENT}Answer.taskAnswers\nH1,A1,W1,Submitted,[{{\n")
    with pytest.raises(InputError, match=r":2: .*JSON"):
        read(broken)


CHOICES = (
    f"{ASSIGNMENT}Input.query,Answer.gender.Female,Answer.gender.Male,Answer.gender.Neither\n"
    "H1,A1,W1,Submitted,queen,true,false,false\nH2,A2,W1,Submitted,king,false,true,false\n"
)


@pytest.mark.parametrize("columns", [{}, {"label": "Answer.gender.*"}, {"label": "Answer.gender"}])
def test_columns_of_true_and_false_are_one_answer(columns: dict[str, str], tmp_path: Path) -> None:
    found = read(written(tmp_path, CHOICES), columns=columns)
    assert votes(found) == [("H1", "W1", "f"), ("H2", "W1", "m")]
    assert [one.text for one in found.votes] == ["queen", "king"]
    assert any("Answer.gender.Female" in note for note in found.notes)


def test_one_choice_of_several_may_be_the_answer_where_somebody_says_so(tmp_path: Path) -> None:
    labels = {"true": "f", "false": "n"}
    path = written(tmp_path, CHOICES)
    found = read(path, columns={"label": "Answer.gender.Female"}, labels=labels)
    assert [one.answer for one in found.votes] == ["f", "n"]


def test_one_query_of_a_hit_has_its_text_and_id_under_any_name(tmp_path: Path) -> None:
    head = f"{ASSIGNMENT}Input.qid,Input.query,Input.url,Answer.gender,Answer.feedback\n"
    rows = "H1,A1,W1,Approved,q7,queen,x,Female,nice\nH2,A2,W2,Rejected,q7,queen,x,Male,\n"
    found = read(written(tmp_path, head + rows))
    assert votes(found) == [("q7", "W1", "f")]
    assert found.votes[0].text == "queen"
    assert apart(found) == [("W2", "rejected")]


def test_numbered_queries_of_a_hit_come_with_columns_that_can_be_typed(tmp_path: Path) -> None:
    head = f"{ASSIGNMENT}Input.query1,Input.query2,Answer.g1,Answer.g2\n"
    path = written(tmp_path, f"{head}H1,A1,W1,Approved,queen,king,Female,Male\n")
    with pytest.raises(InputError) as raised:
        read(path)
    columns = {"label": "Answer.g*", "query": "Input.query*"}
    assert raised.value.remedies[0].arguments == {"columns": columns}
    found = read(path, columns={"label": "Answer.g*", "query": "Input.query*"})
    assert [(one.text, one.answer) for one in found.votes] == [("queen", "f"), ("king", "m")]


TOLOKA = (
    "INPUT:text\tINPUT:qid\tOUTPUT:result\tGOLDEN:result\tASSIGNMENT:worker_id\tASSIGNMENT:status\n"
    "query 1\tq1\tFemale\t\tw1\tAPPROVED\nquery 1\tq1\tMale\t\tw2\tAPPROVED\n"
    "\nquery 1\tq1\tMale\t\tw3\tREJECTED\nquery 2\tq2\tFemale\tFemale\tw1\tSUBMITTED\n"
)


@pytest.mark.parametrize(
    "columns",
    [
        {},
        {"query_id": "INPUT:qid", "query": "INPUT:text", "label": "OUTPUT:result",
         "worker": "ASSIGNMENT:worker_id"},
    ],
)  # fmt: skip
def test_rejected_assignments_of_toloka_do_not_count(
    columns: dict[str, str], tmp_path: Path
) -> None:
    found = read(written(tmp_path, TOLOKA), columns=columns)
    assert votes(found) == [("q1", "w1", "f"), ("q1", "w2", "m"), ("q2", "w1", "f")]
    assert [one.gold for one in found.votes] == ["", "", "f"]
    assert apart(found) == [("w3", "rejected")]


def test_of_several_outputs_of_toloka_one_is_named(tmp_path: Path) -> None:
    text = TOLOKA.replace("GOLDEN:result", "OUTPUT:sure")
    path = written(tmp_path, text.replace("\t\tw", "\tyes\tw"))
    with pytest.raises(InputError, match="'label': 'OUTPUT:result'"):
        read(path)
    assert len(read(path, columns={"label": "OUTPUT:result"}).votes) == 3


APPEN = (
    "_unit_id,_created_at,_golden,_id,_tainted,_channel,_trust,_worker_id,_country,gender,"
    "gender_gold,query\n"
    "11,2/24/2015 10:00:00,false,1,false,elite,0.9,51,USA,Female,,queen\n"
    "11,2/24/2015 10:00:09,false,2,true,elite,0.4,52,USA,Male,,queen\n"
    "12,2/24/2015 10:00:09,true,3,false,elite,0.9,51,USA,Male,Male,king\n"
)


def test_tainted_and_rejected_judgments_of_appen_do_not_count(tmp_path: Path) -> None:
    found = read(written(tmp_path, APPEN))
    assert votes(found) == [("11", "51", "f"), ("12", "51", "m")]
    assert [(one.text, one.gold) for one in found.votes] == [("queen", ""), ("king", "m")]
    assert apart(found) == [("52", "rejected")]
    other = APPEN.replace("_tainted", "_rejected").replace("gender_gold", "note")
    assert apart(read(written(tmp_path, other))) == [("52", "rejected")]


def test_fields_of_label_studio_hold_one_choice_or_several(tmp_path: Path) -> None:
    several = {"choices": ["Male", "Female"]}
    about = {"id": 1, "text": "query 1", "annotation_id": 3, "lead_time": 2.5}
    boxes = [{"start": 0, "end": 2, "labels": ["X"]}]
    records = [
        {**about, "g": "Female", "annotator": 1, "boxes": boxes},
        {**about, "g": several, "annotator": 2, "boxes": boxes},
    ]
    found = read(written(tmp_path, json.dumps(records)))
    assert votes(found) == [("1", "1", "f")]
    assert apart(found) == [("2", "several")]
    cells = json.dumps(several).replace('"', '""')
    table = f'id,annotator,g,text\n1,1,Female,query 1\n1,2,"{cells}",query 1\n'
    found = read(written(tmp_path, table))
    assert votes(found) == [("1", "1", "f")]
    assert apart(found) == [("2", "several")]


def test_drafts_of_label_studio_are_counted(tmp_path: Path) -> None:
    result = [{"type": "choices", "from_name": "g", "to_name": "t",
               "value": {"choices": ["Female"]}}]  # fmt: skip
    task = {"id": 1, "data": {"text": "query 1"}, "drafts": [{"result": result}],
            "annotations": [{"completed_by": 1, "result": result},
                            {"completed_by": 2, "result": result, "draft": True}]}  # fmt: skip
    found = read(written(tmp_path, json.dumps([task])))
    assert votes(found) == [("1", "1", "f")]
    assert any(note.startswith("2 drafts") for note in found.notes)


def test_tables_of_doccano_are_named_after_their_annotators(tmp_path: Path) -> None:
    alice = written(tmp_path, "id,data,label\n1,queen,Female\n2,king,Male\n", "alice.csv")
    bob = written(tmp_path, "id,data,label\n1,queen,Female#Male\n2,king,\n", "bob.csv")
    found = read([alice, bob])
    assert votes(found) == [("1", "alice", "f"), ("2", "alice", "m")]
    assert apart(found) == [("bob", "several")]
    assert found.votes[0].text == "queen"


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("all.jsonl", '{"id": 1, "text": "queen", "label": ["Female"]}\n'),
        ("all.csv", "id,text,label\n1,queen,Female\n"),
    ],
)
def test_who_all_is_in_doccano_is_said(name: str, text: str, tmp_path: Path) -> None:
    found = read(written(tmp_path, text, name))
    assert votes(found) == [("1", "all", "f")]
    assert any("all annotators" in note for note in found.notes)


HUB = {"id": "r1", "status": "completed", "text": "query 1",
       "gender.responses": ["Female", "Male", "Male"],
       "gender.responses.users": ["u1", "u2", "u3"],
       "gender.responses.status": ["submitted", "submitted", "draft"],
       "gender.suggestion": "Female", "gender.suggestion.agent": "small",
       "gender.suggestion.score": 0.75}  # fmt: skip


def test_data_sets_of_argilla_on_the_hub_are_votes(tmp_path: Path) -> None:
    found = read(written(tmp_path, lines(HUB)))
    assert votes(found) == [("r1", "u1", "f"), ("r1", "u2", "m")]
    assert found.votes[0].text == "query 1"
    assert [(one.model, one.category, one.belief) for one in found.models] == [("small", "f", 0.75)]
    assert any("drafts" in note for note in found.notes)
    uneven = {**HUB, "gender.responses.users": ["u1"]}
    with pytest.raises(InputError, match="record 1"):
        read(written(tmp_path, lines(uneven)))


def test_feedback_data_sets_of_argilla_1_on_the_hub_are_votes(tmp_path: Path) -> None:
    responses = [{"user_id": "u1", "value": "Female", "status": "submitted"},
                 {"user_id": "u2", "value": "Male", "status": "discarded"}]  # fmt: skip
    record = {"text": "query 1", "gender": responses, "gender-suggestion": None,
              "external_id": "q9", "metadata": "{}"}  # fmt: skip
    assert votes(read(written(tmp_path, lines(record)))) == [("q9", "u1", "f")]


def test_records_of_argilla_1_are_votes_and_labels_of_models(tmp_path: Path) -> None:
    guess = [{"label": "Male", "score": 0.9}, {"label": "Female", "score": 0.1}]
    record = {"id": "a", "text": "query 1", "annotation": "Female", "annotation_agent": "ann",
              "prediction": guess, "prediction_agent": "net", "status": "Validated"}  # fmt: skip
    left = {**record, "id": "b", "annotation": None, "status": "Default", "prediction": None}
    found = read(written(tmp_path, lines(record, left)))
    assert votes(found) == [("a", "ann", "f")]
    assert [(one.model, one.category, one.belief) for one in found.models] == [("net", "m", 0.9)]
    assert any("1" in note for note in found.notes)


def test_prodigy_without_annotators_is_one_person_who_is_called_as_the_file(tmp_path: Path) -> None:
    task = {"text": "queen", "_input_hash": 7, "_task_hash": 8, "label": "Female",
            "answer": "accept"}  # fmt: skip
    found = read(written(tmp_path, lines(task), "carol.jsonl"))
    assert votes(found) == [("7", "carol", "f")]
    assert any("carol" in note for note in found.notes)
    null = {**task, "_annotator_id": None, "_session_id": None}
    assert votes(read(written(tmp_path, lines(null), "dan.jsonl"))) == [("7", "dan", "f")]


def test_a_format_that_is_named_is_stronger_than_what_a_file_looks_like(tmp_path: Path) -> None:
    path = written(tmp_path, f"{ASSIGNMENT}Answer.g\nH1,A1,W1,Rejected,Female\n")
    assert read_tables([path]).format.name == "mturk"
    columns = {"query_id": "HITId", "worker": "WorkerId", "label": "Answer.g"}
    assert votes(read(path, layout="plain", columns=columns)) == [("H1", "W1", "f")]
    wide = written(tmp_path, "worker,r1,r2\nq1,Female,Male\n")
    assert votes(read(wide, layout="wide")) == [("q1", "r1", "f"), ("q1", "r2", "m")]


def test_files_of_a_zip_are_read_in_its_place(tmp_path: Path) -> None:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        archive.writestr("export/alice.csv", "id,text,label\n1,queen,Female\n")
        archive.writestr("export/bob.csv", "id,text,label\n1,queen,Purple\n")
    path = tmp_path / "export.zip"
    path.write_bytes(content.getvalue())
    with unpacked([path]) as paths:
        assert [one.name for one in paths] == ["alice.csv", "bob.csv"]
    with pytest.raises(InputError, match="Purple") as raised, unpacked([path]) as paths:
        read(paths)
    assert raised.value.path == f"{path}/bob.csv"


@pytest.mark.parametrize(
    ("names", "shared"),
    [
        (["doccano_alice.jsonl", "doccano_bob.jsonl"], "doccano"),
        (["alice-gender.json", "bob-gender.json"], "gender"),
        (["alice.jsonl", "bob.jsonl"], "export"),
        (["ann.csv", "anna.csv"], "export"),
        (["gender study 1.csv", "gender study 2.csv"], "gender study"),
        (["one.csv"], "one"),
    ],
)
def test_a_study_of_files_is_called_by_what_they_share(names: list[str], shared: str) -> None:
    assert shared_name(names, "export") == shared
