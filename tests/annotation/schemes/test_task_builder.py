"""A scheme asked by Prolific's Task Builder by files alone: written, answered there, read here."""

import csv
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from annotation.models import Batch, Vote
from annotation.schemes import SchemeError, built_in_scheme, built_in_schemes, scheme_from_yaml
from annotation.schemes.formats.task_builder import layout_of, not_shown
from annotation.schemes.scheme import Condition, Option
from metrics.errors import InputError
from metrics.votes.files.reader import read_tables
from tests.commands import failure, run

QUERIES = {"q1": "how old is the queen", "q2": "what is rain", "q3": "is he <b>tall</b>, or not"}
_TASK = ("scheme", "task-builder")
#: The members that Prolific describes of each kind of item, those that it requires first.
MEMBERS = {
    "dataset_field": ({"field"}, set[str]()),
    "rich_text": ({"content"}, {"content_format"}),
    "free_text": ({"description"}, {"helper_text", "placeholder_text_input"}),
    "multiple_choice": (
        {"description", "answer_limit", "options"},
        {"helper_text", "disable_dropdown"},
    ),
}


@pytest.fixture
def queries(tmp_path: Path) -> Path:
    path = tmp_path / "queries.tsv"
    path.write_text("".join(f"{qid}\t{text}\n" for qid, text in QUERIES.items()))
    return path


def items_of(layout: dict[str, Any]) -> list[dict[str, Any]]:
    (page,) = layout["batch_items"]
    return [item for row in page["rows"] for column in row["columns"] for item in column["items"]]


@pytest.mark.parametrize("name", built_in_schemes())
def test_the_layout_has_what_prolific_describes(name: str) -> None:
    scheme = built_in_scheme(name)
    layout = layout_of(scheme, is_grouped=True)
    assert all(layout["task_details"].values())
    texts = [name for name, of in layout["schema"]["fields"].items() if of["type"] == "text"]
    kinds = [of["type"] for of in layout["schema"]["fields"].values()]
    assert kinds == ["text"] * len(texts) + ["metadata", "task_group_id"]
    items = items_of(layout)
    for item in items:
        required, others = MEMBERS[item["type"]]
        assert required <= item.keys() - {"type"} <= required | others
    assert [item["field"] for item in items if item["type"] == "dataset_field"] == texts
    choices = [item for item in items if item["type"] == "multiple_choice"]
    assert [item["description"] for item in choices] == [q.text for q in scheme.closed]
    for item, question in zip(choices, scheme.closed, strict=True):
        values = [option["value"] for option in item["options"]]
        assert values[: len(question.codes)] == [f"{question.name}={c}" for c in question.codes]
        assert len(values) == len(question.codes) + question.cannot_tell
        assert item["answer_limit"] == (len(values) if question.kind.takes_several else 1)


def test_texts_of_a_scheme_are_no_markup() -> None:
    scheme = scheme_from_yaml(
        "name: own\ntitle: Own\ninstructions: a & b\nquestions:\n- {name: q, text: A or B, kind: "
        "single, options: [{code: a, label: A, definition: Q&A}, {code: b, label: B}]}\n"
        "subset: {words: of A, question: q, any_of: [a]}\n"
    )
    text = json.dumps(layout_of(scheme))
    assert "a &amp; b" in text
    assert "Q&amp;A" in text


def test_what_it_cannot_ask_is_refused_and_the_rest_is_said() -> None:
    scheme = built_in_scheme("attributes")
    first = scheme.closed[0]
    conditional = replace(first, shown_if=Condition(question="earlier", any_of=("yes",)))
    with pytest.raises(SchemeError, match="under a condition"):
        layout_of(replace(scheme, questions=(conditional,)))
    alone = replace(first, options=(*first.options, Option(code="x", label="None", alone=True)))
    *_, note = not_shown(replace(scheme, questions=(alone,)))
    assert note.startswith(f"{first.name}: options that exclude others")


def answered(folder: Path, chosen: dict[str, dict[str, str]]) -> list[dict[str, Any]]:
    """What Prolific's API lists when people chose these options of the only question."""
    (question,) = [
        item
        for item in items_of(json.loads((folder / "layout.json").read_text()))
        if item["type"] == "multiple_choice"
    ]
    values = {option["label"]: option["value"] for option in question["options"]}
    with (folder / "items.csv").open(newline="") as table:
        tasks = {row["item"]: f"task of {row['item']}" for row in csv.DictReader(table)}
    return [
        {
            "id": f"response {person} {item}",
            "batch_id": "batch",
            "participant_id": person,
            "submission_id": f"submission of {person}",
            "task_id": tasks[item],
            "created_at": "2026-11-30T08:00:00Z",
            "metadata": {"item": item},
            "response": {
                "instruction_id": "1",
                "type": "multiple_choice",
                "answer": [{"value": values[label]}],
            },
        }
        for person, of_person in chosen.items()
        for item, label in of_person.items()
    ]


@pytest.mark.django_db
@pytest.mark.parametrize("as_lines", [False, True])
def test_a_study_by_files_alone(tmp_path: Path, queries: Path, *, as_lines: bool) -> None:
    """Each query is answered as often as people did, and a file that comes again adds nothing."""
    folder = tmp_path / "task"
    said = run(*_TASK, "--scheme", "gender", "--queries", queries, "--together", 2, "-o", folder)
    assert "3 items and the layout" in said
    with (folder / "items.csv").open(newline="") as table:
        rows = list(csv.DictReader(table))
    assert {row["item"]: row["query"] for row in rows} == QUERIES
    assert [row["group"] for row in rows] == ["group 1", "group 1", "group 2"]
    labels = built_in_scheme("gender").closed[0].labels
    first, second = list(labels)[:2]
    chosen = {
        "5f00000000000000000000a1": dict.fromkeys(QUERIES, labels[first]),
        "5f00000000000000000000a2": {"q1": labels[second], "q2": labels[first]},
    }
    responses = answered(folder, chosen)
    path = tmp_path / "responses.json"
    path.write_text(
        "\n".join(map(json.dumps, responses)) if as_lines
        else json.dumps({"results": responses, "meta": {"count": len(responses)}})
    )  # fmt: skip
    terms = ("--queries", queries, "--scheme", "gender")
    run("label", "import-votes", path, "--name", "by prolific", *terms)
    batch = Batch.objects.get(name="by prolific")
    votes = Vote.objects.filter(query__batch=batch)
    assert sorted(votes.values_list("worker__worker_id", "query__qid", "choices__option")) == [
        ("5f00000000000000000000a1", "q1", first), ("5f00000000000000000000a1", "q2", first),
        ("5f00000000000000000000a1", "q3", first), ("5f00000000000000000000a2", "q1", second),
        ("5f00000000000000000000a2", "q2", first),
    ]  # fmt: skip
    late = answered(folder, {"5f00000000000000000000a2": {"q3": labels[second]}})
    path.write_text(json.dumps({"results": responses + late}))
    run("label", "add-votes", path, "--name", "by prolific")
    assert votes.count() == 6
    run("label", "add-votes", path, "--name", "by prolific")
    assert votes.count() == 6


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"metadata": {}}, "metadata have no item"),
        ({"response": {"instruction_id": "1", "type": "multiple_choice",
                       "answer": [{"value": "f"}]}}, "not a question and a code"),
    ],
)  # fmt: skip
def test_responses_to_another_layout_are_refused(
    change: dict[str, Any], words: str, tmp_path: Path
) -> None:
    response = {
        "participant_id": "a", "task_id": "t", "metadata": {"item": "q1"},
        "response": {"instruction_id": "1", "type": "multiple_choice",
                     "answer": [{"value": "gender=f"}]},
    }  # fmt: skip
    path = tmp_path / "responses.json"
    path.write_text(json.dumps([response | change]))
    with pytest.raises(InputError, match=words):
        read_tables([path])


def test_a_second_answer_to_a_task_is_refused(tmp_path: Path) -> None:
    response = {
        "participant_id": "a", "task_id": "t", "metadata": {"item": "q1"},
        "response": {"instruction_id": "1", "type": "free_text", "answer": [{"value": "x"}]},
    }  # fmt: skip
    path = tmp_path / "responses.json"
    path.write_text(json.dumps([response, response]))
    with pytest.raises(InputError, match="twice"):
        read_tables([path])


@pytest.mark.django_db
def test_a_file_of_another_kind_and_a_scheme_of_passages_are_refused(
    tmp_path: Path, queries: Path
) -> None:
    given = (*_TASK, "--queries", queries, "--scheme")
    (tmp_path / "items.csv").write_text("mine\n")
    assert "items.csv" in failure(*given, "gender", "-o", tmp_path)
    assert (tmp_path / "items.csv").read_text() == "mine\n"
    new = tmp_path / "new"
    assert "the scheme is about pairs" in failure(*given, "passage_gender", "-o", new)
    assert not new.exists()
