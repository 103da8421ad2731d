"""The options that every command on runs has."""

from argparse import ArgumentParser
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

from ..errors import InputError
from ..io.outputs import NamedInputFile, add_file_option
from ..vocabulary import CATEGORIES, ORDERS, Missing

if TYPE_CHECKING:
    from ..runs.queries import Queries
    from ..texts.categories import CategorySource
    from ..texts.document_numbers import DocumentNumbers


_SHOWN = 5


def add_run_arguments(
    parser: ArgumentParser,
    *,
    queries_required: bool = False,
    magnitudes_required: bool = True,
    category: str = "n",
) -> None:
    """`--magnitudes`, `--run`, `--queries`, `--category`, `--missing` and `--order`."""
    add_file_option(
        parser,
        "--magnitudes",
        "The scored collection, made by score_collection.",
        metavar="M.parquet",
        required=magnitudes_required,
    )
    add_run_option(parser)
    add_file_option(
        parser,
        "--queries",
        "Keep these queries only: one id per line, qid<TAB>text, or qid,text,label.",
        required=queries_required,
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
    parser: ArgumentParser,
    *,
    required: bool = True,
    help: str = "A TREC run and its name in the results; once for each run.",  # noqa: A002 - argparse's
) -> None:
    """`--run NAME=PATH`, to be read with `named_paths(options["runs"])`."""
    parser.add_argument(
        "--run",
        required=required,
        action="append",
        type=NamedInputFile,
        default=None if required else [],
        metavar="NAME=PATH",
        dest="runs",
        help=help,
    )


def add_measured_run_options(parser: ArgumentParser, *, help: str) -> None:  # noqa: A002 - argparse's
    """`--magnitudes`, `--run` and `--missing` where they may be left out, for `measured_runs`."""
    add_file_option(parser, "--magnitudes", "Scored collection of the runs.", metavar="M.parquet")
    add_run_option(parser, required=False, help=help)
    add_missing_option(parser)


def measured_runs(options: Mapping[str, Any]) -> dict[str, Path]:
    """The runs to measure by name, if any; `InputError` where there is nothing to do it with."""
    runs = named_paths(options["runs"])
    if bool(runs) != bool(options["magnitudes"]):
        raise InputError("--run and --magnitudes need each other.", remedy="Give both.")
    return runs


def add_document_options(parser: ArgumentParser) -> None:
    """`--liwc`, `--collection` and `--labels`, for `chosen_numbers`."""
    add_file_option(
        parser,
        "--liwc",
        "Your own word lists of categories in LIWC's format, for LIWC; needs --collection.",
        metavar="FILE.dic",
    )
    add_file_option(
        parser,
        "--collection",
        "The texts in which --liwc looks for words: the collection of the runs.",
    )
    add_file_option(
        parser,
        "--labels",
        "Labels of documents, lines docno,group[,weight], for LabelExposure and LabelAWRF.",
    )


def chosen_numbers(
    options: dict[str, Any],
) -> "tuple[CategorySource | None, DocumentNumbers | None]":
    """What `--liwc` with `--collection`, and `--labels`, name."""
    from ..texts.categories import CategorySource, read_categories
    from ..texts.labels import read_labels

    if (options["liwc"] is None) != (options["collection"] is None):
        raise InputError(
            "--liwc and --collection belong together.",
            remedy="Give the word lists and the texts to look for them in.",
        )
    liwc = options["liwc"] and CategorySource(
        read_categories(options["liwc"]), options["collection"]
    )
    return liwc, options["labels"] and read_labels(options["labels"])


def liwc_notices(liwc: "CategorySource | None") -> list[str]:
    """What to say about words of `--liwc` that can never be found."""
    never = liwc.lexicon.unmatchable(liwc.tokenizer) if liwc else []
    if not never:
        return []
    more = " and others" if len(never) > _SHOWN else ""
    return [f"--liwc: {len(never):,} are no single word: {', '.join(never[:_SHOWN])}{more}."]


def add_missing_option(parser: ArgumentParser) -> None:
    """`--missing`: one of `metrics.vocabulary.Missing`."""
    parser.add_argument(
        "--missing",
        choices=get_args(Missing),
        default="error",
        help="A document that is not in the scored collection: stop, count it as one without "
        "group words, or leave it out (default: %(default)s).",
    )


def add_order_option(parser: ArgumentParser) -> None:
    """`--order`: one of `metrics.vocabulary.ORDERS`."""
    parser.add_argument(
        "--order",
        choices=ORDERS,
        default="default",
        help="How documents are ranked. default: score, then rank column, then docno; trec_eval: "
        "score, then docno; rank: rank column (default: %(default)s).",
    )


def named_paths(pairs: Iterable[str], option: str = "--run") -> dict[str, Path]:
    """NAME=PATH options as name to path; `InputError` for a repeated or unusable name."""
    from ..runs import check_run_name

    paths: dict[str, Path] = {}
    for pair in pairs:
        name, equals, path = pair.partition("=")
        if not equals or not path:
            raise InputError(
                f"{option} {pair}: no NAME=PATH.", remedy=f"Write {option} BM25=bm25.run."
            )
        if check_run_name(name) in paths:
            raise InputError(f"two runs are named {name!r}.", remedy="Give each its own name.")
        paths[name] = Path(path)
    return paths


def chosen_queries(options: dict[str, Any]) -> "Queries | None":
    """The queries of `--queries` and `--category`, or None for all that the runs have."""
    from ..runs.queries import read_queries

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
