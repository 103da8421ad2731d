"""Answers of the double at the addresses of the Task Builder."""

from annotation.prolific.double.routes import Reply, Request, route
from annotation.prolific.double.task_builder import TaskBatch

_AT = "/data-collection"


@route("POST", f"{_AT}/datasets")
def _create_dataset(request: Request) -> Reply:
    return Reply(201, request.market.tasks.create_dataset(request.body).wire())


@route("GET", f"{_AT}/datasets/{{dataset_id}}")
def _dataset(request: Request) -> Reply:
    return Reply(200, request.market.tasks.dataset(request.ids[0]).wire())


@route("GET", f"{_AT}/datasets/{{dataset_id}}/status")
def _dataset_status(request: Request) -> Reply:
    return Reply(200, {"status": request.market.tasks.read_dataset(request.ids[0]).status})


@route("GET", f"{_AT}/datasets/{{dataset_id}}/upload-url/{{filename}}")
def _upload_place(request: Request) -> Reply:
    place = request.market.tasks.upload_place(*request.ids)
    key = place.pop("key")
    return Reply(201, {**place, "upload_url": f"{request.origin}/uploads/{key}?signature={key}"})


@route("GET", f"{_AT}/datasets/{{dataset_id}}/imports/{{import_id}}")
def _import(request: Request) -> Reply:
    return Reply(200, request.market.tasks.read_import(*request.ids))


@route("GET", f"{_AT}/batches")
def _batches(request: Request) -> Reply:
    tasks = request.market.tasks
    is_ours = request.query["workspace_id"] == tasks.workspace_id
    batches = [batch.wire() for batch in tasks.batches.values()] if is_ours else []
    return Reply(200, {"results": batches, "meta": {"count": len(batches)}})


@route("POST", f"{_AT}/batches")
def _create_batch(request: Request) -> Reply:
    return Reply(201, request.market.tasks.create_batch(request.body).wire())


@route("GET", f"{_AT}/batches/{{batch_id}}")
def _batch(request: Request) -> Reply:
    return Reply(200, _named(request).wire())


@route("GET", f"{_AT}/batches/{{batch_id}}/status")
def _batch_status(request: Request) -> Reply:
    batch = _named(request)
    batch.read()
    return Reply(200, {"status": batch.status})


@route("POST", f"{_AT}/batches/{{batch_id}}/setup")
def _set_up(request: Request) -> Reply:
    request.market.tasks.set_up(request.ids[0], request.body)
    return Reply(202, {})


@route("GET", f"{_AT}/batches/{{batch_id}}/responses")
def _responses(request: Request) -> Reply:
    responses = _named(request).responses
    return Reply(200, {"results": responses, "meta": {"count": len(responses)}})


def _named(request: Request) -> TaskBatch:
    return request.market.tasks.batch(request.ids[0])
