"""Tables on the command line: in the format of `--format`, or of the ending of their file."""

import json
from argparse import ArgumentParser
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ..extras import need
from ..io.file_kinds import FileKind, either_kind, parquet_kind
from ..io.outputs import add_force_option, output_file
from .command import Command

_FORMATS = {".csv": "csv", ".json": "json", ".md": "md", ".tex": "latex"}
_PARQUET = ".parquet"
#: The key in the metadata of a Parquet file of values.
_MARK = "fairpool.values"


def chosen_format(options: Mapping[str, Any]) -> str:
    """The format of `--format`, else what the ending of `--output` says, else csv."""
    return options["format"] or format_of(options["output"]) or "csv"


def format_of(path: str | None) -> str | None:
    """The format that the ending of a file says; None for any other."""
    return _FORMATS.get(Path(path or "").suffix.lower())


def write_values(path: str, rows: Sequence[Mapping[str, object]], columns: Sequence[str]) -> None:
    """Values per query as the ending of the file says: CSV, JSON, Markdown, LaTeX or Parquet."""
    from ..io.files import replacing, write_text
    from ..reports.formats.tables import table_text

    if Path(path).suffix.lower() == _PARQUET:
        table = need("pyarrow").table({name: [row[name] for row in rows] for name in columns})
        marked = table.replace_schema_metadata({_MARK: json.dumps(list(columns))})
        with replacing(path) as temporary:
            need("pyarrow.parquet").write_table(marked, temporary)
    else:
        write_text(path, table_text({"rows": rows}, columns, format_of(path) or "csv"))


def add_format_option(parser: ArgumentParser) -> None:
    """`--format`, to be written with `table_text` of `metrics.reports.formats.tables`."""
    parser.add_argument(
        "--format",
        choices=tuple(_FORMATS.values()),
        help="How to write the table (default: as .csv, .json, .md or .tex of --output, else csv).",
    )


def add_output_options(parser: ArgumentParser, table: FileKind, per_query: FileKind) -> None:
    """`--output`, `--format`, `--per-query` and `--force`, to be done by `write_table`."""
    parser.add_argument(
        "-o",
        "--output",
        type=output_file(table, or_printed=True),
        metavar="OUT",
        help="The file to write (default: standard output).",
    )
    add_format_option(parser)
    parser.add_argument(
        "--per-query",
        type=output_file(either_kind(per_query, parquet_kind(per_query.name, _MARK))),
        metavar="OUT.csv",
        help="Also write the value of every query, as .csv, .json, .md, .tex or .parquet.",
    )
    add_force_option(parser)


def write_table(
    command: Command,
    rows: Sequence[Mapping[str, object]],
    columns: Sequence[str],
    options: Mapping[str, Any],
) -> None:
    """Write the rows to `--output`, or else to standard output, and as one JSON object if asked."""
    from ..io.files import write_text
    from ..reports.formats.tables import table_text

    text = table_text({"rows": rows}, columns, chosen_format(options))
    if options["output"]:
        write_text(options["output"], text)
    if options["as_json"]:
        command.print_json({"rows": rows})
    elif not options["output"]:
        command.write(text, ending="")
