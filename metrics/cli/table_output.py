"""Tables on the command line: `--format`, and the text in that format."""

from argparse import ArgumentParser
from collections.abc import Mapping, Sequence
from typing import Any

from ..io.file_kinds import FileKind
from ..io.outputs import add_force_option, output_file
from .command import Command


def add_format_option(parser: ArgumentParser) -> None:
    """`--format`, to be written with `table_text` of `metrics.reports.formats.tables`."""
    parser.add_argument(
        "--format",
        choices=("csv", "json", "md", "latex"),
        default="csv",
        help="How to write the table (default: %(default)s).",
    )


def add_output_options(parser: ArgumentParser, table: FileKind, per_query: FileKind) -> None:
    """`--output`, `--format`, `--per-query` and `--force`, to be done by `write_table`."""
    parser.add_argument(
        "-o",
        "--output",
        type=output_file(table),
        metavar="OUT",
        help="The file to write (default: standard output).",
    )
    add_format_option(parser)
    parser.add_argument(
        "--per-query",
        type=output_file(per_query),
        metavar="OUT.csv",
        help="Also write the value of every query.",
    )
    add_force_option(parser)


def write_table(
    command: Command,
    rows: Sequence[Mapping[str, object]],
    columns: Sequence[str],
    options: Mapping[str, Any],
) -> None:
    """The rows to `--output`, to standard output without it, and as one JSON object if asked."""
    from ..io.files import write_text
    from ..reports.formats.tables import table_text

    text = table_text({"rows": rows}, columns, options["format"])
    if options["output"]:
        write_text(options["output"], text)
    if options["as_json"]:
        command.print_json({"rows": rows})
    elif not options["output"]:
        command.write(text, ending="")
