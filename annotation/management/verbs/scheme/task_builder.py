"""A scheme and its queries as files for Prolific's Task Builder, which needs no site of ours."""

from argparse import ArgumentParser
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

from annotation.batches.queries.batches import get_batch
from annotation.batches.queries.task_builder import (
    ITEMS_FILE,
    LAYOUT_FILE,
    BuilderTasks,
    batch_tasks,
    tasks_of,
)
from annotation.core.base_command import FairpoolCommand
from annotation.management.arguments import add_scheme_option, scheme_named
from annotation.schemes.formats.task_builder import GROUP, PASSAGE, QUERY
from metrics.cli.numbers import whole_number
from metrics.errors import InputError
from metrics.io.file_kinds import text_kind
from metrics.io.files import write_text
from metrics.io.outputs import InputFile, add_output_option, output_folder
from metrics.runs.queries import read_queries
from metrics.votes.files.formats.task_builder import ITEM
from pooling.queries import pool_named

_TABLE = text_kind("items for the Task Builder", f"{ITEM},", f"{GROUP},")
_DETAILS = text_kind("a layout for the Task Builder", "{")
#: What the folder holds.
FILES = {ITEMS_FILE: _TABLE, LAYOUT_FILE: _DETAILS}
_MOST_TOGETHER = 1_000


class Command(FairpoolCommand):
    help = (
        "Write a scheme and its queries or pairs, or a batch, for Prolific's Task Builder, where "
        "Prolific asks the questions itself: items.csv, the data set, and layout.json with its "
        "schema, the details of the task and the page of questions. The responses are read by "
        "`label import-votes`, those of a batch by `batch import-responses`."
    )
    example = "scheme task-builder --scheme gender --pool top500 --together 20 --output FOLDER"

    def add_arguments(self, parser: ArgumentParser) -> None:
        add_scheme_option(parser, "What to ask: a built-in scheme, or a YAML file.")
        source = parser.add_mutually_exclusive_group(required=True)
        source.add_argument("--pool", help="Name of a pool made by `pool build`.")
        source.add_argument("--batch", help="Name of a batch, with its own scheme and HITs.")
        source.add_argument("--queries", type=InputFile, help="File of qid<TAB>text.")
        parser.add_argument(
            "--together",
            type=whole_number(1, _MOST_TOGETHER),
            default=0,
            metavar="N",
            help="How many items one person does in one submission (default: as set there).",
        )
        folder = output_folder(FILES)
        add_output_option(parser, folder, "FOLDER", "The folder to write.")

    def handle(self, **options: Any) -> None:
        folder, tasks = Path(options["output"]), _tasks(options)
        folder.mkdir(parents=True, exist_ok=True)
        write_text(folder / ITEMS_FILE, tasks.csv)
        write_text(folder / LAYOUT_FILE, tasks.text)
        n_items, notes = len(tasks.rows), tasks.left_out
        lines = [f"{n_items:,} items and the layout written to {folder}.", *notes]
        values = {"output": str(folder), "n_items": n_items, "left_out": list(notes)}
        self.print_result(options, values, lines)


def _tasks(options: dict[str, Any]) -> BuilderTasks:
    scheme, together = options["scheme"], options["together"]
    if options["batch"]:
        if scheme or together:
            raise InputError(
                "a batch already has its scheme and its HITs.", remedy="Name the batch alone."
            )
        return batch_tasks(batch=get_batch(name=options["batch"]))
    if not scheme:
        raise InputError("no scheme is named.", remedy="Give --scheme, as --scheme gender.")
    return tasks_of(scheme_named(scheme), _items(options), together=together)


def _items(options: dict[str, Any]) -> Iterator[dict[str, str]]:
    """The items with their texts, mixed."""
    if options["queries"]:
        read = read_queries(options["queries"], category="all")
        rows = [(qid, text, "") for qid, text in read.texts.items()]
    else:
        pool = pool_named(options["pool"])
        rows = list(pool.queries.order_by("pk").values_list("qid", "text", "passage"))
    # A pool begins with the most biased: mixed the same way whenever it is written.
    for qid, text, passage in sorted(rows, key=lambda row: sha256(row[0].encode()).digest()):
        yield {ITEM: qid, QUERY: text} | ({PASSAGE: passage} if passage else {})
