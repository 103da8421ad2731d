"""Tables on the command line: `--format`, and the text in that format."""

from argparse import ArgumentParser
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ..io.file_kinds import FileKind
from ..io.outputs import add_force_option, output_file
from .command import Command


def add_format_option(parser: ArgumentParser) -> None:
    """`--format`, to be written with `table_text`."""
    parser.add_argument(
        "--format",
        choices=("csv", "json", "md", "latex"),
        default="csv",
        help="How to write the table (default: %(default)s).",
    )


def add_output_options(parser: ArgumentParser, table: FileKind, per_query: FileKind) -> None:
    """`--output`, `--format`, `--per-query` and `--force`, to be done by `write_table`."""
    parser.add_argument(
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


def table_text(whole: Mapping[str, Any], columns: Sequence[str], format: str) -> str:  # noqa: A002 - the option's name
    """`whole["rows"]` in that format; JSON holds all the rest of `whole` as well."""
    from ..reports.formats.tables import to_csv, to_json, to_latex, to_markdown

    if format == "json":
        return to_json(whole)
    writers: dict[str, Callable[..., str]] = {"csv": to_csv, "md": to_markdown, "latex": to_latex}
    return writers[format](whole["rows"], columns)


def write_table(
    command: Command,
    rows: Sequence[Mapping[str, object]],
    columns: Sequence[str],
    options: Mapping[str, Any],
) -> None:
    """The rows to `--output`, to standard output without it, and as one JSON object if asked."""
    from ..io.files import write_text

    text = table_text({"rows": rows}, columns, options["format"])
    if options["output"]:
        write_text(options["output"], text)
    if options["as_json"]:
        command.print_json({"rows": rows})
    elif not options["output"]:
        command.write(text, ending="")
