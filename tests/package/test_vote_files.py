"""The readers of votes are in the package: one small file of each format is read."""

import json
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from .conftest import MODULE

_RESULT = [{"type": "choices", "from_name": "g", "to_name": "t", "value": {"choices": ["f"]}}]
_TASK = {
    "id": 1,
    "data": {"text": "queen"},
    "annotations": [{"completed_by": 1, "result": _RESULT}],
}
_RESPONSES = {"g": [{"value": "f", "user_id": "u", "status": "submitted"}]}
_STATE = {
    "user_id": "u",
    "instance_id_to_label_to_value": {"1": [[{"schema": "g", "name": "f"}, "1"]]},
}
#: A file of each format that has one vote, for f.
FILES: dict[str, Any] = {
    "plain": "query_id,worker,label\n1,u,f\n",
    "wide": "query_id,rater_1,rater_2\n1,f,\n",
    "rows": "worker,q1,q2\nu,f,\n",
    "mturk": "HITId,AssignmentId,WorkerId,AssignmentStatus,Input.x,Answer.g\nH,A,u,Approved,q,f\n",
    "toloka": "INPUT:qid\tOUTPUT:g\tASSIGNMENT:worker_id\tASSIGNMENT:status\n1\tf\tu\tAPPROVED\n",
    "appen": "_unit_id,_worker_id,_tainted,gender,gender_gold\n1,u,false,f,\n",
    "doccano-csv": "id,text,label\n1,queen,f\n",
    "json": [{"id": 1, "annotator": "u", "g": "f", "text": "queen"}],
    "label-studio": [_TASK],
    "argilla": [{"id": "1", "fields": {"query": "q"}, "responses": _RESPONSES}],
    "argilla-hub": {
        "id": "1", "status": "completed", "text": "queen", "g.responses": ["f"],
        "g.responses.users": ["u"], "g.responses.status": ["submitted"],
    },
    "argilla-v1": [{"id": "1", "text": "queen", "annotation": "f", "annotation_agent": "u"}],
    "potato": _STATE,
    "prodigy": {"text": "q", "_input_hash": 1, "_task_hash": 2, "accept": ["f"], "answer": "accept",
                "_annotator_id": "u"},
    "task-builder": {
        "participant_id": "u", "task_id": "t", "metadata": {"item": "1"},
        "response": {
            "instruction_id": "i", "type": "multiple_choice", "answer": [{"value": "g=f"}],
        },
    },
    "doccano": {"id": 1, "text": "queen", "label": ["f"], "Comments": []},
}  # fmt: skip


@pytest.fixture(scope="session")
def reader() -> ModuleType:
    return import_module(f"{MODULE}.votes.files.reader")


def test_every_format_has_a_file_here(reader: ModuleType) -> None:
    assert set(FILES) == set(reader.IMPORT_FORMATS)


@pytest.mark.parametrize("name", FILES)
def test_a_file_of_each_format_is_read(reader: ModuleType, name: str, tmp_path: Path) -> None:
    held = FILES[name]
    path = tmp_path / "u.dat"
    path.write_text(held if isinstance(held, str) else json.dumps(held) + "\n")

    assert reader.read_tables([path]).format.name == name
    found = reader.read_votes([path])
    assert [vote.answer for vote in found.votes] == ["f"]
