"""The Task Builder at the market of this machine: as described, slowly, and in both versions."""

import json
from typing import Any
from urllib.parse import urlsplit

import jsonschema
import pytest
import urllib3

from annotation.prolific.client import Prolific, RefusedError
from annotation.prolific.double.contract import described_operations
from annotation.prolific.double.market import Market
from annotation.prolific.double.task_builder import READS_UNTIL_READY
from annotation.prolific.task_builder import (
    NOT_SENT,
    PROCESSING,
    READY,
    UNINITIALISED,
    TaskBuilder,
    UploadPlace,
)
from annotation.prolific.uploading import put_file
from annotation.schemes import built_in_scheme
from annotation.schemes.formats.task_builder import layout_of
from metrics.errors import InputError
from tests.annotation.prolific.conftest import TOKEN, Described, study_terms

AT = "/api/v1/data-collection"
LAYOUT = layout_of(built_in_scheme("gender"), is_grouped=True)
ROWS = b"query,item,group\nhow old is she,q1,1\nwhat is rain,q2,1\nwho was he,q3,2\n"


@pytest.fixture
def builder(address: str) -> TaskBuilder:
    return TaskBuilder(TOKEN, address=address)


def uploaded(builder: TaskBuilder, market: Market, rows: bytes = ROWS) -> tuple[str, UploadPlace]:
    dataset = builder.create_dataset(market.workspace_id, "fairpool-1", LAYOUT["schema"])
    place = builder.upload_place(dataset, "items.csv")
    builder.upload(place, rows)
    return dataset, place


def ready(builder: TaskBuilder, market: Market) -> str:
    """A batch that is set up; its id."""
    dataset, place = uploaded(builder, market)
    while not builder.dataset_import(dataset, place.import_id).is_over:
        pass
    batch = builder.create_tasks(market.workspace_id, "fairpool-1", dataset, LAYOUT)
    builder.set_up_tasks(batch.batch_id, dataset)
    while builder.tasks_status(batch.batch_id) != READY:
        pass
    return batch.batch_id


def test_an_upload_is_complete_after_some_reads(builder: TaskBuilder, market: Market) -> None:
    dataset = builder.create_dataset(market.workspace_id, "fairpool-1", LAYOUT["schema"])
    place = builder.upload_place(dataset, "items.csv")
    assert builder.dataset_import(dataset, place.import_id).status == NOT_SENT
    builder.upload(place, ROWS)
    reads = [builder.dataset_import(dataset, place.import_id) for _ in range(READS_UNTIL_READY)]
    assert [one.status for one in reads] == ["processing", "complete"]
    assert (reads[-1].accepted, reads[-1].rejected) == (3, 0)
    assert builder.dataset_rows(dataset) == 3
    builder.upload(builder.upload_place(dataset, "items.csv"), ROWS)
    (_, again) = market.tasks.dataset(dataset).imports
    for _ in range(READS_UNTIL_READY):
        builder.dataset_import(dataset, again)
    assert builder.dataset_rows(dataset) == 6


def test_rows_that_do_not_fit_the_schema_are_refused(builder: TaskBuilder, market: Market) -> None:
    dataset, place = uploaded(builder, market, ROWS + b",q4,2\n")
    for _ in range(READS_UNTIL_READY):
        read = builder.dataset_import(dataset, place.import_id)
    assert (read.status, read.accepted, read.rejected) == ("partial", 3, 1)
    assert "row 3" in read.problem


def test_a_data_set_without_a_schema_has_a_status(builder: TaskBuilder, market: Market) -> None:
    dataset = builder.create_dataset(market.workspace_id, "old")
    assert builder.dataset_status(dataset) == UNINITIALISED
    place = builder.upload_place(dataset, "items.csv")
    assert place.import_id == ""
    builder.upload(place, ROWS)
    read = [builder.dataset_status(dataset) for _ in range(READS_UNTIL_READY)]
    assert read == [PROCESSING, READY]
    assert builder.dataset_rows(dataset) == 3


def test_a_batch_has_a_task_of_each_row_once_it_is_set_up(
    builder: TaskBuilder, market: Market
) -> None:
    batch_id = ready(builder, market)
    assert (builder.tasks(batch_id).n_tasks, builder.tasks(batch_id).n_groups) == (3, 2)
    (named,) = builder.tasks_named(market.workspace_id, "fairpool-1")
    assert named.batch_id == batch_id
    assert builder.tasks_named(market.workspace_id, "fairpool-2") == []
    assert builder.responses(batch_id) == []


def of_tasks(batch_id: str, **changed: Any) -> dict[str, Any]:
    terms = study_terms(
        data_collection_method="AI_TASK_BUILDER_BATCH", data_collection_id=batch_id,
        data_collection_metadata={"annotators_per_task": 2}, total_available_places=4, **changed,
    )  # fmt: skip
    del terms["external_study_url"]
    return terms


def test_participants_answer_there_each_group_as_often_as_asked(
    builder: TaskBuilder, market: Market
) -> None:
    batch_id = ready(builder, market)
    study = builder.create_study(of_tasks(batch_id))
    builder.move_study(study.study_id, "PUBLISH")
    batch = market.tasks.batch(batch_id)
    (question,) = batch.questions
    for number in range(4):
        visit = market.arrive(study.study_id, f"{number:024x}")
        assert visit is not None
        submission = visit.submission.submission_id
        tasks = batch.groups[market.task_of(submission)[1]]
        answers = {task.task_id: {question["id"]: ["gender=f"]} for task in tasks}
        assert market.answer_tasks(submission, answers).status == "AWAITING REVIEW"
    assert market.arrive(study.study_id, f"{9:024x}") is None
    responses = builder.responses(batch_id)
    said = [(one["metadata"]["item"], one["response"]["answer"]) for one in responses]
    assert sorted(item for item, _ in said) == ["q1", "q1", "q2", "q2", "q3", "q3"]
    assert all(answer == [{"value": "gender=f"}] for _, answer in said)


@pytest.mark.parametrize(
    ("changed", "cause"),
    [
        ({"external_study_url": "http://127.0.0.1:1/"}, "data_collection_method"),
        ({"data_collection_metadata": {"annotators_per_task": 1}}, "total_available_places"),
        ({"data_collection_id": "00000000-0000-0000-0000-000000000000"}, "data_collection_id"),
        ({"data_collection_method": "DC_TOOL"}, "data_collection_method"),
        ({"data_collection_metadata": {"annotators": 1}}, "data_collection_metadata"),
    ],
)
def test_a_study_of_other_terms_is_refused(
    builder: TaskBuilder, market: Market, changed: dict[str, Any], cause: str
) -> None:
    with pytest.raises(RefusedError, match=cause):
        builder.create_study(of_tasks(ready(builder, market)) | changed)
    assert not market.studies


def sent(
    address: str, method: str, path: str, body: object, **headers: str
) -> tuple[int, dict[str, Any]]:
    reply = urllib3.request(
        method, f"{address}/api/v1/data-collection/{path}", body=json.dumps(body).encode(),
        headers={"Authorization": f"Token {TOKEN}", "Content-Type": "application/json", **headers},
        retries=False,
    )  # fmt: skip
    return reply.status, json.loads(reply.data)


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("datasets", {"name": "a"}),
        ("datasets", {"name": "a", "workspace_id": "w", "columns": []}),
        ("datasets", {"name": "a", "workspace_id": "w", "schema": {"fields": {}}}),
        ("batches", {"name": "a", "workspace_id": "w"}),
        ("batches", {"name": "a", "workspace_id": "w", "task_details": {"task_name": "n"}}),
        (f"batches/{'0' * 8}/setup", {"tasks": 2}),
    ],
)
def test_what_is_not_described_is_refused(address: str, path: str, body: object) -> None:
    assert sent(address, "POST", path, body)[0] == 400


@pytest.mark.parametrize(
    ("item", "field"),
    [
        ({"type": "dataset_field", "field": "item"}, "field"),
        ({"type": "dataset_field", "field": "query"}, "field"),
        ({"type": "multiple_choice", "description": "d", "answer_limit": 1}, "options"),
        ({"type": "rich_text", "content": "c", "colour": "red"}, "colour"),
        ({"type": "slider"}, "type"),
    ],
)
def test_an_item_that_a_page_cannot_have_is_named_with_its_place(
    address: str, builder: TaskBuilder, market: Market, item: dict[str, Any], field: str
) -> None:
    dataset, place = uploaded(builder, market)
    for _ in range(READS_UNTIL_READY):
        builder.dataset_import(dataset, place.import_id)
    items = [{"type": "dataset_field", "field": "query"}, item]
    pages = [{"rows": [{"columns": [{"items": items}]}]}]
    body = {"name": "b", "workspace_id": market.workspace_id, "dataset_id": dataset,
            "task_details": LAYOUT["task_details"], "batch_items": pages}  # fmt: skip
    status, said = sent(address, "POST", "batches", body)
    assert (status, said["error"]["code"]) == (422, "INVALID_BATCH_ITEMS")
    (issue,) = said["error"]["issues"]
    assert (issue["page"], issue["row"], issue["column"], issue["item"]) == (0, 0, 0, 1)
    assert issue["field"] == field


def test_every_operation_answers_as_prolific_describes_it(
    address: str, market: Market, contract: list[Described]
) -> None:
    """Each that the market serves: its status, and all members that are required of its answer."""
    served = {
        (one.method, one.path.removeprefix(f"{AT}/"))
        for one in described_operations() if one.path.startswith(AT)
    }  # fmt: skip
    called: set[tuple[str, str]] = set()

    def call(method: str, named: str, body: object = None, **ids: str) -> Any:
        path, _, query = named.format(**ids).partition("?")
        reply = urllib3.request(
            method, f"{address}{AT}/{path}{'?' if query else ''}{query}",
            body=None if body is None else json.dumps(body).encode(), retries=False,
            headers={"Authorization": f"Token {TOKEN}", "Content-Type": "application/json"},
        )  # fmt: skip
        (described,) = [
            one for one in contract
            if one.method == method and one.pattern.fullmatch(f"{AT}/{path}")
        ]  # fmt: skip
        answer = json.loads(reply.data)
        jsonschema.validate(answer, described.answers[str(reply.status)])
        called.add((method, named.partition("?")[0]))
        return answer

    ours = {"name": "fairpool-1", "workspace_id": market.workspace_id}
    dataset = call("POST", "datasets", {**ours, "schema": LAYOUT["schema"]})["id"]
    place = call(
        "GET", "datasets/{dataset_id}/upload-url/{filename}", dataset_id=dataset, filename="i.csv"
    )
    key = urlsplit(place["upload_url"]).path.rpartition("/")[2]
    market.tasks.upload(key, ROWS + b",q4,2\n")  # one of them is refused
    for _ in range(READS_UNTIL_READY):
        ids = {"dataset_id": dataset, "import_id": place["import_id"]}
        read = call("GET", "datasets/{dataset_id}/imports/{import_id}", **ids)
    assert read["errors"]
    call("GET", "datasets/{dataset_id}", dataset_id=dataset)
    call("GET", "datasets/{dataset_id}/status", dataset_id=dataset)
    layout = {name: LAYOUT[name] for name in ("task_details", "batch_items")}
    batch = call("POST", "batches", {**ours, "dataset_id": dataset, **layout})["id"]
    call("POST", "batches/{batch_id}/setup", {"dataset_id": dataset}, batch_id=batch)
    for _ in range(READS_UNTIL_READY):
        call("GET", "batches/{batch_id}/status", batch_id=batch)
    study = market.create_study(of_tasks(batch))
    market.move_study(study.study_id, "PUBLISH")
    visit = market.arrive(study.study_id, f"{1:024x}")
    assert visit is not None
    made, group = market.task_of(visit.submission.submission_id)
    answers = {task.task_id: {made.questions[0]["id"]: ["gender=f"]} for task in made.groups[group]}
    market.answer_tasks(visit.submission.submission_id, answers)
    assert call("GET", "batches/{batch_id}/responses", batch_id=batch)["results"]
    call("GET", "batches/{batch_id}", batch_id=batch)
    call("GET", f"batches?workspace_id={market.workspace_id}")
    assert called == served


@pytest.mark.parametrize(
    "url",
    [
        "http://example.org/uploads/1", "https://127.0.0.1/uploads/1", "https://localhost/1",
        "https://10.0.0.1/1", "https://[::ffff:10.0.0.1]/1", "https://a@example.org/1",
        "file:///etc/passwd", "https://169.254.169.254/latest",
    ],
)  # fmt: skip
def test_a_file_goes_to_public_addresses_alone(url: str) -> None:
    with pytest.raises(InputError, match=r"not a public address|has no address"):
        put_file(url, b"x", content_type="text/csv", rehearsal="https://api.prolific.com")


def test_a_rehearsal_takes_a_file_at_its_own_address_alone(
    address: str, builder: TaskBuilder, market: Market
) -> None:
    dataset = builder.create_dataset(market.workspace_id, "fairpool-1", LAYOUT["schema"])
    place = builder.upload_place(dataset, "items.csv")
    with pytest.raises(InputError, match="not a public address"):
        put_file(place.url, ROWS, content_type="text/csv", rehearsal="http://127.0.0.1:1")
    with pytest.raises(RefusedError):
        put_file(place.url, ROWS, content_type="text/plain", rehearsal=address)
    with pytest.raises(RefusedError):
        put_file(f"{place.url}x", ROWS, content_type="text/csv", rehearsal=address)
    assert not market.tasks.dataset(dataset).rows
    assert not Prolific(TOKEN, address=address).named("fairpool-1")
