"""A scheme and its queries as files for Prolific's Task Builder, which needs no site of ours."""

from argparse import ArgumentParser
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

from annotation.core.base_command import FairpoolCommand
from annotation.core.csv_rows import csv_text
from annotation.management.arguments import add_scheme_option, scheme_named
from annotation.schemes import Scheme
from annotation.schemes.formats.task_builder import (
    GROUP,
    ITEM,
    PASSAGE,
    QUERY,
    layout_of,
    layout_text,
    not_shown,
)
from annotation.schemes.scheme import About
from metrics.cli.numbers import whole_number
from metrics.errors import InputError
from metrics.io.file_kinds import text_kind
from metrics.io.files import write_text
from metrics.io.outputs import InputFile, add_output_option, output_folder
from metrics.runs.queries import read_queries
from pooling.queries import pool_named

_ITEMS, _LAYOUT = "items.csv", "layout.json"
_TABLE = text_kind("items for the Task Builder", f"{ITEM},", f"{GROUP},")
_DETAILS = text_kind("a layout for the Task Builder", "{")
_MOST_TOGETHER = 1_000


class Command(FairpoolCommand):
    help = (
        "Write a scheme and its queries or pairs for Prolific's Task Builder, where Prolific asks "
        "the questions itself: items.csv, the data set, and layout.json with its schema, the "
        "details of the task and the page of questions. The responses are read by "
        "`label import-votes`."
    )
    example = "scheme task-builder --scheme gender --pool top500 --together 20 --output FOLDER"

    def add_arguments(self, parser: ArgumentParser) -> None:
        add_scheme_option(parser, "What to ask: a built-in scheme, or a YAML file.", required=True)
        source = parser.add_mutually_exclusive_group(required=True)
        source.add_argument("--pool", help="Name of a pool made by `pool build`.")
        source.add_argument("--queries", type=InputFile, help="File of qid<TAB>text.")
        parser.add_argument(
            "--together",
            type=whole_number(1, _MOST_TOGETHER),
            default=0,
            metavar="N",
            help="How many items one person does in one submission (default: as set there).",
        )
        folder = output_folder({_ITEMS: _TABLE, _LAYOUT: _DETAILS})
        add_output_option(parser, folder, "FOLDER", "The folder to write.")

    def handle(self, **options: Any) -> None:
        folder, together = Path(options["output"]), options["together"]
        scheme = scheme_named(options["scheme"])
        items = list(_items(scheme, options))
        if not items:
            raise InputError("there is nothing to ask about.", remedy="Give queries.")
        layout = layout_of(scheme, is_grouped=bool(together))
        columns = [*layout["schema"]["fields"]]
        folder.mkdir(parents=True, exist_ok=True)
        write_text(folder / _ITEMS, _csv(columns, items, together))
        write_text(folder / _LAYOUT, layout_text(layout))
        notes = not_shown(scheme)
        lines = [f"{len(items):,} items and the layout written to {folder}.", *notes]
        values = {"output": str(folder), "n_items": len(items), "left_out": notes}
        self.print_result(options, values, lines)


def _items(scheme: Scheme, options: dict[str, Any]) -> Iterator[dict[str, str]]:
    """The items with their texts, mixed; `InputError` where the scheme is about something else."""
    of_pairs = scheme.about == About.PASSAGE
    if options["queries"]:
        read = read_queries(options["queries"], category="all")
        rows = [(qid, text, "") for qid, text in read.texts.items()]
    else:
        pool = pool_named(options["pool"])
        rows = list(pool.queries.order_by("pk").values_list("qid", "text", "passage"))
    # A pool begins with the most biased: mixed the same way whenever it is written.
    for qid, text, passage in sorted(rows, key=lambda row: sha256(row[0].encode()).digest()):
        if bool(passage) != of_pairs:
            raise InputError(
                f"the scheme is about {scheme.item_noun}s, and {qid!r} is none.",
                remedy="Choose a scheme about what the pool holds.",
            )
        yield {ITEM: qid, QUERY: text} | ({PASSAGE: passage} if of_pairs else {})


def _csv(columns: list[str], items: list[dict[str, str]], together: int) -> str:
    grouped = (
        item | ({GROUP: f"group {place // together + 1}"} if together else {})
        for place, item in enumerate(items)
    )
    return csv_text([columns, *([item[name] for name in columns] for item in grouped)])
