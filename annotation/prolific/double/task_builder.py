"""The market's Task Builder: data sets that are uploaded, batches that ask about them, responses.

What takes time at Prolific takes a few reads here. Where its description says nothing, this does
the worst: a file that is uploaded twice is there twice, and a batch set up twice has every task
twice.
"""

import csv
import io
import itertools
import json
import uuid
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from annotation.prolific.double.refusals import RefusalError, not_found
from annotation.prolific.double.refusals import field as refuse
from annotation.prolific.double.task_items import check_items, with_ids

#: Reads until an upload, a data set or a batch is ready.
READS_UNTIL_READY = 2
_TYPES = ("text", "image_url", "audio_url", "video_url", "metadata", "task_group_id")
_SHOWN = ("text", "image_url", "audio_url", "video_url")


@dataclass
class Import:
    """One upload to a data set with a schema. `reads` are those before it is complete."""

    import_id: str
    status: str = "uninitialised"
    reads: int = READS_UNTIL_READY
    content: bytes = b""
    accepted: int = 0
    errors: list[dict[str, Any]] = field(default_factory=list)


@dataclass
class DataSet:
    """Rows to ask about; `schema` is None of version 3. `status` is of version 3 alone."""

    dataset_id: str
    name: str
    workspace_id: str
    schema: dict[str, Any] | None
    at: str
    status: str = "UNINITIALISED"
    reads: int = READS_UNTIL_READY
    rows: list[dict[str, str]] = field(default_factory=list)
    imports: dict[str, Import] = field(default_factory=dict)

    @property
    def shown(self) -> set[str]:
        """Names of the fields that a page may show."""
        fields = (self.schema or {}).get("fields", {})
        return {name for name, of in fields.items() if of["type"] in _SHOWN}

    def of_type(self, kind: str) -> list[str]:
        fields = (self.schema or {}).get("fields", {})
        return [name for name, of in fields.items() if of["type"] == kind]

    def wire(self) -> dict[str, Any]:
        body = {
            "id": self.dataset_id, "name": self.name, "created_at": self.at,
            "created_by": "researcher", "workspace_id": self.workspace_id,
            "total_datapoint_count": len(self.rows),
        }  # fmt: skip
        if self.schema is None:
            return body | {"schema_version": "3", "status": self.status}
        imports = [self.import_wire(upload) for upload in self.imports.values()]
        return body | {"schema_version": "4", "schema": self.schema, "imports": imports}

    def import_wire(self, upload: Import) -> dict[str, Any]:
        body: dict[str, Any] = {
            "dataset_id": self.dataset_id, "import_id": upload.import_id, "type": "file_upload",
            "created_at": self.at, "updated_at": self.at, "status": upload.status,
        }  # fmt: skip
        if upload.status in {"complete", "partial", "failed"}:
            body |= {"accepted_count": upload.accepted, "rejected_count": len(upload.errors)}
            body["errors"] = upload.errors
        return body


@dataclass
class Task:
    """One row, to be answered by several people. `group` is done in one submission."""

    task_id: str
    group: str
    row: dict[str, str]


@dataclass
class TaskBatch:
    batch_id: str
    name: str
    workspace_id: str
    details: dict[str, Any]
    items: list[dict[str, Any]]
    dataset: DataSet | None
    at: str
    status: str = "UNINITIALISED"
    reads: int = READS_UNTIL_READY
    tasks: list[Task] = field(default_factory=list)
    #: Members of the responses, in their order.
    responses: list[dict[str, Any]] = field(default_factory=list)

    @property
    def groups(self) -> dict[str, list[Task]]:
        """Tasks by the group that one participant does."""
        grouped: dict[str, list[Task]] = {}
        for task in self.tasks:
            grouped.setdefault(task.group, []).append(task)
        return grouped

    @property
    def questions(self) -> list[dict[str, Any]]:
        return [item for item in items_of(self.items) if "description" in item]

    def read(self) -> None:
        """Count a read of the status, which brings a batch in progress nearer to its end."""
        if self.status == "PROCESSING":
            self.reads -= 1
            self.status = "PROCESSING" if self.reads > 0 else "READY"

    def wire(self) -> dict[str, Any]:
        sets = [self.dataset] if self.dataset else []
        return {
            "id": self.batch_id, "created_at": self.at, "created_by": "researcher",
            "name": self.name, "status": self.status, "workspace_id": self.workspace_id,
            "schema_version": 4, "task_details": self.details, "batch_items": self.items,
            "datasets": [
                {"id": known.dataset_id, "total_datapoint_count": len(known.rows), "filename": ""}
                for known in sets
            ],
            "total_task_count": len(self.tasks),
            "total_instruction_count": len(self.questions),
            "total_task_groups": len(self.groups),
        }  # fmt: skip


def items_of(pages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """All items of a layout, in the order in which a participant sees them."""
    return [
        item
        for page in pages
        for row in page["rows"]
        for column in row["columns"]
        for item in column["items"]
    ]


class TaskBuilder:
    """Data sets and batches of one workspace; every public method is one request."""

    def __init__(self, workspace_id: str) -> None:
        self.workspace_id = workspace_id
        self.datasets: dict[str, DataSet] = {}
        self.batches: dict[str, TaskBatch] = {}
        #: Where a file is uploaded to, by the last part of its address.
        self.uploads: dict[str, tuple[DataSet, Import | None]] = {}
        self._numbers = itertools.count()

    def create_dataset(self, body: dict[str, Any]) -> DataSet:
        self._check_workspace(body)
        schema = body.get("schema")
        if schema is not None:
            for name, of in schema["fields"].items():
                if not isinstance(of, dict) or set(of) != {"type"} or of["type"] not in _TYPES:
                    raise refuse("fields", f"{name} has no type that is known.")
        made = DataSet(_new_id(), body["name"], self.workspace_id, schema, _now())
        self.datasets[made.dataset_id] = made
        return made

    def dataset(self, dataset_id: str) -> DataSet:
        try:
            return self.datasets[dataset_id]
        except KeyError:
            raise not_found() from None

    def upload_place(self, dataset_id: str, filename: str) -> dict[str, Any]:
        """Where to put a file; of a data set with a schema it begins an import."""
        dataset = self.dataset(dataset_id)
        kinds = (".csv", ".zip") if dataset.schema is None else (".csv", ".jsonl")
        if not filename.endswith(kinds):
            raise refuse("filename", f"A file of the kind {' or '.join(kinds)} is expected.")
        begun = None if dataset.schema is None else Import(_new_id())
        if begun is not None:
            dataset.imports[begun.import_id] = begun
        key = _new_id()
        self.uploads[key] = (dataset, begun)
        expires = datetime.now(UTC) + timedelta(hours=1)
        place = {
            "dataset_id": dataset_id, "key": key, "http_method": "PUT",
            "content_type": "text/csv", "expires_at": _written(expires), "file_key": filename,
        }  # fmt: skip
        return place | ({"import_id": begun.import_id} if begun else {})

    def upload(self, key: str, content: bytes) -> None:
        """Take a file; one that comes again to the same place replaces what is not read yet."""
        if key not in self.uploads:
            raise not_found()
        dataset, begun = self.uploads[key]
        if begun is None:
            dataset.status, dataset.reads = "PROCESSING", READS_UNTIL_READY
            dataset.rows += _rows(content)
            return
        begun.content, begun.reads = content, READS_UNTIL_READY
        begun.status = "queued"

    def read_dataset(self, dataset_id: str) -> DataSet:
        dataset = self.dataset(dataset_id)
        if dataset.status == "PROCESSING":
            dataset.reads -= 1
            dataset.status = "PROCESSING" if dataset.reads > 0 else "READY"
        return dataset

    def read_import(self, dataset_id: str, import_id: str) -> dict[str, Any]:
        """An import; a read brings it nearer to its end."""
        dataset = self.dataset(dataset_id)
        if import_id not in dataset.imports:
            raise not_found()
        upload = dataset.imports[import_id]
        if upload.status in {"queued", "processing"}:
            upload.reads -= 1
            upload.status = "processing"
            if upload.reads <= 0:
                self._take_in(dataset, upload)
        return dataset.import_wire(upload)

    def _take_in(self, dataset: DataSet, upload: Import) -> None:
        names = set((dataset.schema or {})["fields"])
        texts = dataset.of_type("text")
        for number, row in enumerate(_rows(upload.content)):
            if row.keys() != names or not all(row[name] for name in texts):
                reason = "The fields are not those of the schema, or a text is empty."
                upload.errors.append({"record_index": number, "field": None, "reason": reason})
            else:
                dataset.rows.append(row)
                upload.accepted += 1
        upload.status = "partial" if upload.errors else "complete"
        upload.status = upload.status if upload.accepted else "failed"

    def create_batch(self, body: dict[str, Any]) -> TaskBatch:
        """Make a batch; nothing keeps two from having one name."""
        self._check_workspace(body)
        dataset = self.dataset(body["dataset_id"]) if body.get("dataset_id") else None
        items = body.get("batch_items") or []
        check_items(items, dataset.shown if dataset and dataset.rows else set())
        made = TaskBatch(
            _new_id(), body["name"], self.workspace_id, body["task_details"],
            with_ids(items, _new_id), dataset, _now(),
        )  # fmt: skip
        self.batches[made.batch_id] = made
        return made

    def batch(self, batch_id: str) -> TaskBatch:
        try:
            return self.batches[batch_id]
        except KeyError:
            raise not_found() from None

    def set_up(self, batch_id: str, body: dict[str, Any]) -> None:
        """Make a task of each row, in groups by the field that says so, or by their number."""
        batch = self.batch(batch_id)
        if body.get("dataset_id"):
            batch.dataset = self.dataset(body["dataset_id"])
        if batch.dataset is None or not batch.dataset.rows:
            raise RefusalError("The batch has no data.")
        if not batch.questions:
            raise RefusalError("The batch asks nothing.")
        grouping = batch.dataset.of_type("task_group_id")
        size = int(body.get("tasks_per_group", 1))
        for place, row in enumerate(batch.dataset.rows):
            group = row[grouping[0]] if grouping else str(place // size)
            batch.tasks.append(Task(_new_id(), group, row))
        batch.status, batch.reads = "PROCESSING", READS_UNTIL_READY

    def answer(
        self, batch: TaskBatch, group: str, *, participant: str, submission: str,
        answers: dict[str, dict[str, list[str]]],
    ) -> None:  # fmt: skip
        """Store what a participant says: values by task and by the id of a question."""
        carried = batch.dataset.of_type("metadata") if batch.dataset else []
        for task in batch.groups[group]:
            for question in batch.questions:
                values = answers.get(task.task_id, {}).get(question["id"])
                if values is None:
                    continue
                batch.responses.append({
                    "id": _new_id(), "created_at": _now(), "batch_id": batch.batch_id,
                    "participant_id": participant, "submission_id": submission,
                    "task_id": task.task_id, "schema_version": 4,
                    "metadata": {name: task.row[name] for name in carried},
                    "response": {
                        "instruction_id": question["id"],
                        "type": question["type"],
                        "answer": [{"value": value} for value in values],
                    },
                })  # fmt: skip

    def _check_workspace(self, body: dict[str, Any]) -> None:
        if body["workspace_id"] != self.workspace_id:
            raise refuse("workspace_id", "There is no such workspace.")


def _rows(content: bytes) -> list[dict[str, str]]:
    try:
        return list(csv.DictReader(io.StringIO(content.decode("utf-8"))))
    except (UnicodeDecodeError, csv.Error) as error:
        raise RefusalError(f"The file cannot be read: {json.dumps(str(error))}") from None


def _new_id() -> str:
    return str(uuid.uuid4())


def _now() -> str:
    return _written(datetime.now(UTC))


def _written(moment: datetime) -> str:
    return moment.isoformat().replace("+00:00", "Z")
