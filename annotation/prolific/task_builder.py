"""Prolific's Task Builder: data sets, batches that ask about them, and the responses.

https://docs.prolific.com, Task Builder. Of a data set with a schema (version 4) each upload is an
import; one without (version 3) has a status. There is no list of data sets, so that one whose
answer was lost stays there, unused and free of charge. Batches have a list, and are found by name.
"""

import re
from dataclasses import dataclass
from typing import Any, Self

from annotation.prolific.client import Prolific, made_of, member_of
from annotation.prolific.uploading import put_file
from metrics.errors import InputError

_AT = "data-collection"
_ID = re.compile(r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}")
#: Statuses of a batch, and of a data set without a schema.
UNINITIALISED, PROCESSING, READY, ERROR = "UNINITIALISED", "PROCESSING", "READY", "ERROR"
#: Statuses of an import that has not ended; `NOT_SENT` is that before the file came.
NOT_SENT = "uninitialised"
_UNDER_WAY = {NOT_SENT, "queued", "processing"}


class NotReadyError(InputError):
    """Prolific needs longer, or its answer was lost: the same is done again later."""


@dataclass(frozen=True)
class UploadPlace:
    """Where to put a file, within the hour; `import_id` is "" of a data set without a schema."""

    url: str
    content_type: str
    import_id: str

    @classmethod
    def from_wire(cls, wire: dict[str, Any]) -> Self:
        if wire["http_method"] != "PUT":
            raise ValueError("http_method")
        return cls(wire["upload_url"], wire["content_type"], wire.get("import_id") or "")


@dataclass(frozen=True)
class MarketImport:
    """The outcome of an upload; `problem` says why rows were refused."""

    status: str
    accepted: int
    rejected: int
    problem: str

    @classmethod
    def from_wire(cls, wire: dict[str, Any]) -> Self:
        errors = wire.get("errors") or []
        problem = "; ".join(
            f"row {error.get('record_index')}: {error.get('reason')}" for error in errors[:3]
        )
        return cls(
            wire["status"],
            wire.get("accepted_count") or 0,
            wire.get("rejected_count") or 0,
            problem or wire.get("reason") or "",
        )

    @property
    def is_over(self) -> bool:
        return self.status not in _UNDER_WAY


@dataclass(frozen=True)
class MarketTasks:
    """A batch of the Task Builder: a layout, the tasks that are made, and their groups."""

    batch_id: str
    name: str
    status: str
    n_tasks: int
    n_groups: int

    @classmethod
    def from_wire(cls, wire: dict[str, Any]) -> Self:
        return cls(
            wire["id"],
            wire["name"],
            wire["status"],
            wire["total_task_count"],
            wire.get("total_task_groups") or 0,
        )


class TaskBuilder(Prolific):
    """The Task Builder of one researcher's access."""

    def create_dataset(
        self, workspace_id: str, name: str, schema: dict[str, Any] | None = None
    ) -> str:
        """Make an empty data set and return its id; with a `schema` it is of version 4."""
        body: dict[str, Any] = {"name": name, "workspace_id": workspace_id}
        if schema is not None:
            body["schema"] = schema
        return str(member_of(self._send("POST", f"{_AT}/datasets", body), "id"))

    def dataset_rows(self, dataset_id: str) -> int:
        """Number of rows in a data set, of either version."""
        wire = self._get(f"{_AT}/datasets/{_checked(dataset_id)}")
        return int(member_of(wire, "total_datapoint_count"))

    def dataset_status(self, dataset_id: str) -> str:
        """The status of a data set without a schema."""
        return str(member_of(self._get(f"{_AT}/datasets/{_checked(dataset_id)}/status"), "status"))

    def upload_place(self, dataset_id: str, filename: str) -> UploadPlace:
        """A new place for a file. It begins an import, so that it is not asked for twice."""
        path = f"{_AT}/datasets/{_checked(dataset_id)}/upload-url/{filename}"
        return made_of(UploadPlace, self._send("GET", path, None))

    def upload(self, place: UploadPlace, content: bytes) -> None:
        """Put the file there; once more to the same place replaces it."""
        put_file(place.url, content, content_type=place.content_type, rehearsal=self.address)

    def dataset_import(self, dataset_id: str, import_id: str) -> MarketImport:
        path = f"{_AT}/datasets/{_checked(dataset_id)}/imports/{_checked(import_id)}"
        return made_of(MarketImport, self._get(path))

    def tasks_named(self, workspace_id: str, name: str) -> list[MarketTasks]:
        """All batches with this name, in any state."""
        rows = self._list(f"{_AT}/batches?workspace_id={workspace_id}")
        batches = [made_of(MarketTasks, row) for row in rows]
        return [batch for batch in batches if batch.name == name]

    def create_tasks(
        self, workspace_id: str, name: str, dataset_id: str, layout: dict[str, Any]
    ) -> MarketTasks:
        """Make a batch with `task_details` and `batch_items` of `layout`; no task is made yet."""
        members = {name: layout[name] for name in ("task_details", "batch_items")}
        body = {"name": name, "workspace_id": workspace_id, "dataset_id": dataset_id, **members}
        return made_of(MarketTasks, self._send("POST", f"{_AT}/batches", body))

    def tasks(self, batch_id: str) -> MarketTasks:
        return made_of(MarketTasks, self._get(f"{_AT}/batches/{_checked(batch_id)}"))

    def question_ids(self, batch_id: str) -> list[str]:
        """Ids of the questions of a batch, in their order: responses name these."""
        wire = self._get(f"{_AT}/batches/{_checked(batch_id)}")
        return [
            str(item.get("id"))
            for page in wire.get("batch_items") or ()
            for row in page.get("rows") or ()
            for column in row.get("columns") or ()
            for item in column.get("items") or ()
            if "description" in item
        ]

    def tasks_status(self, batch_id: str) -> str:
        return str(member_of(self._get(f"{_AT}/batches/{_checked(batch_id)}/status"), "status"))

    def set_up_tasks(self, batch_id: str, dataset_id: str) -> None:
        """Have a task made of each row. Its outcome is read: this is not sent twice."""
        body = {"dataset_id": dataset_id}
        self._send("POST", f"{_AT}/batches/{_checked(batch_id)}/setup", body)

    def responses(self, batch_id: str) -> list[dict[str, Any]]:
        """All responses so far, one for each participant, task and question, as Prolific writes."""
        return self._list(f"{_AT}/batches/{_checked(batch_id)}/responses")


def _checked(name: str) -> str:
    """Check an id, since it becomes part of an address."""
    if not _ID.fullmatch(name):
        raise InputError(f"{name[:40]!r} is not an id of Prolific's Task Builder.")
    return name
