"""The options that every command on runs has."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any, get_args

from django.core.management.base import CommandParser

from metrics.errors import InputError
from metrics.queries import CATEGORIES, Queries, read_queries
from metrics.ranked import Missing
from metrics.runs import ORDERS, check_run_name


def add_run_arguments(
    parser: CommandParser, *, queries_required: bool = False, category: str = "n"
) -> None:
    """`--magnitudes`, `--run`, `--queries`, `--category`, `--missing` and `--order`."""
    parser.add_argument(
        "--magnitudes",
        required=True,
        metavar="M.parquet",
        help="The scored collection, made by score_collection.",
    )
    add_run_option(parser)
    parser.add_argument(
        "--queries",
        required=queries_required,
        metavar="FILE",
        help="Keep these queries only: one id per line, qid<TAB>text, or qid,text,label.",
    )
    parser.add_argument(
        "--category",
        choices=(*CATEGORIES, "all"),
        default=category,
        help="Which queries of a file qid,text,label to keep; n: the non-gendered "
        "(default: %(default)s).",
    )
    add_missing_option(parser)
    add_order_option(parser)


def add_run_option(
    parser: CommandParser,
    *,
    required: bool = True,
    help: str = "A TREC run and its name in the results; once for each run.",  # noqa: A002 - argparse's
) -> None:
    """`--run NAME=PATH`, to be read with `named_paths(options["runs"])`."""
    parser.add_argument(
        "--run",
        required=required,
        action="append",
        default=None if required else [],
        metavar="NAME=PATH",
        dest="runs",
        help=help,
    )


def add_missing_option(parser: CommandParser) -> None:
    """`--missing`: one of `metrics.ranked.Missing`."""
    parser.add_argument(
        "--missing",
        choices=get_args(Missing),
        default="error",
        help="A document that is not in the scored collection: stop, count it as one without "
        "group words, or leave it out (default: %(default)s).",
    )


def add_order_option(parser: CommandParser) -> None:
    """`--order`: one of `metrics.runs.ORDERS`."""
    parser.add_argument(
        "--order",
        choices=ORDERS,
        default="default",
        help="How documents are ranked. default: score, then rank column, then docno; trec_eval: "
        "score, then docno; rank: rank column (default: %(default)s).",
    )


def named_paths(pairs: Iterable[str]) -> dict[str, Path]:
    """NAME=PATH options as name to path; `InputError` for a repeated or unusable name."""
    paths: dict[str, Path] = {}
    for pair in pairs:
        name, equals, path = pair.partition("=")
        if not equals or not path:
            raise InputError(f"--run {pair}: no NAME=PATH.", remedy="Write --run BM25=bm25.run.")
        if check_run_name(name) in paths:
            raise InputError(f"two runs are named {name!r}.", remedy="Give each its own name.")
        paths[name] = Path(path)
    return paths


def chosen_queries(options: dict[str, Any]) -> Queries | None:
    """The queries of `--queries` and `--category`, or None for all that the runs have."""
    if options["queries"] is None:
        return None
    return read_queries(options["queries"], options["category"])


def whole_numbers(text: str, option: str) -> tuple[int, ...]:
    """The numbers of an option such as `--cutoffs 5,10`."""
    try:
        return tuple(int(part) for part in words(text))
    except ValueError:
        raise InputError(f"{option} {text}: not whole numbers.", remedy="Write 5,10,20.") from None


def words(text: str) -> list[str]:
    """The parts of an option such as `--magnitude tf,bool`; commas in parentheses part nothing."""
    parts, depth = [""], 0
    for character in text:
        depth += {"(": 1, ")": -1}.get(character, 0)
        if character == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += character
    return [part.strip() for part in parts if part.strip()]
