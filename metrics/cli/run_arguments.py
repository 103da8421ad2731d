"""The options that every command on runs has."""

import csv
from argparse import ArgumentParser, ArgumentTypeError
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, get_args

from ..errors import InputError
from ..io import headers
from ..io.lines import text_lines
from ..io.outputs import NamesOrFile, add_file_option
from ..io.packing import PACKED_HELP
from ..io.run_files import InputRun, run_files
from ..io.run_names import named_apart
from ..vocabulary import (
    CATEGORIES,
    CUTOFFS,
    GROUP,
    MAGNITUDE_NAMES,
    ORDERS,
    PATTERN_EXAMPLE,
    Category,
    Missing,
    Populations,
)
from .numbers import listed, whole_number
from .score_arguments import add_scores_option

if TYPE_CHECKING:
    from ..runs.queries import Queries

_PAIR = 2
_CATEGORIES = (*CATEGORIES, "all")


def add_run_arguments(
    parser: ArgumentParser,
    *,
    category: str = Category.NON_GENDERED.value,
    categories: Collection[str] | None = _CATEGORIES,
    which: str = "Which queries of a file qid,text,label to keep; n: the non-gendered "
    "(default: %(default)s).",
) -> None:
    """`--run`, the options of `add_queries_options`, `--missing` and `--order`."""
    add_run_option(parser)
    help_text = "Keep these queries only: one id per line, qid<TAB>text, or qid,text,label."
    add_queries_options(parser, help_text, which, category=category, categories=categories)
    add_missing_option(parser)
    add_order_option(parser)


def add_queries_options(
    parser: ArgumentParser,
    help: str,  # noqa: A002 - argparse's
    which: str,
    *,
    category: str,
    categories: Collection[str] | None = _CATEGORIES,
    required: bool = False,
) -> None:
    """`--queries` and `--category`.

    `categories` can be asked for, None for any, by default `category`; `which` describes that.
    """
    add_file_option(parser, "--queries", help, required=required)
    parser.add_argument("--category", choices=categories, default=category, help=which)


def add_run_option(
    parser: ArgumentParser,
    *,
    required: bool = True,
    help: str = "A TREC run and its name in the results; once for each run.",  # noqa: A002 - argparse's
) -> None:
    """`--run`, to be read with `named_paths(options["runs"])`."""
    parser.add_argument(
        "-r",
        "--run",
        required=required,
        action="append",
        type=InputRun,
        default=None if required else [],
        metavar="NAME=PATH",
        dest="runs",
        help=f"{help} PATH alone, a folder, or a pattern such as 'runs/*.run' names runs after "
        f"their files. {PACKED_HELP}",
    )


def add_measure_option(parser: ArgumentParser, default: str, help: str) -> None:  # noqa: A002 - argparse's
    """`--measure`: a list of names, None where it is not given."""
    parser.add_argument(
        "-m",
        "--measure",
        action="extend",
        type=names,
        metavar="LIST",
        dest="measures",
        help=f"{help} Several with commas, or the option again (default: {default}).",
    )


def add_magnitude_option(parser: ArgumentParser, default: str) -> None:
    """`--magnitude`: a list of names, None where it is not given."""
    parser.add_argument(
        "--magnitude",
        action="extend",
        type=names,
        metavar="LIST",
        dest="magnitude",
        help=f"Some of {', '.join(MAGNITUDE_NAMES)} (default: {default}).",
    )


def add_cutoff_option(parser: ArgumentParser, default: Sequence[int] = CUTOFFS) -> None:
    """`--cutoff`: ranks from 1, to be read with `chosen_cutoffs`."""
    parser.add_argument(
        "-k",
        "--cutoff",
        action="extend",
        type=listed(whole_number(1)),
        metavar="LIST",
        dest="cutoffs",
        help="Ranks at which to measure, several with commas "
        f"(default: {','.join(map(str, default))}).",
    )


def add_scale_option(parser: ArgumentParser) -> None:
    """`--scale`, see `metrics.results.scale`."""
    parser.add_argument(
        "--scale",
        action="store_true",
        help="Beside the values, or in a table of its own: the worst and the best value that a "
        "ranking can have (floor, ideal), and the mean over random orders of the same documents "
        "(random).",
    )


def add_population_option(parser: ArgumentParser, default: Populations | None = "default") -> None:
    """`--population`, see `metrics.results.population`."""
    parser.add_argument(
        "--population",
        choices=get_args(Populations),
        default=default,
        help="Which queries a value is about. default: those judged where a measure reads "
        "judgments, else those of --queries, else the run's own; any-run, as in version 1.0: "
        "without --queries those that any of the runs has "
        f"({'default: %(default)s' if default else 'needed without --queries'}).",
    )


def add_repeats_option(parser: ArgumentParser) -> None:
    """`--repeats`, to be read with `chosen_repeats`."""
    parser.add_argument(
        "--repeats",
        action="append",
        type=NamesOrFile,
        default=[],
        metavar="PATTERN|NAME=RUNS|FILE",
        help="Which runs are repetitions of one system, as of several seeds: a regular expression "
        f"of their names, {PATTERN_EXAMPLE!r}; NAME=RUN,RUN,..., once for each system; or a file "
        "of lines run,system. Values are then means over queries and repetitions.",
    )


def chosen_repeats(options: Mapping[str, Any]) -> "str | dict[str, str] | None":
    """The `repeats` of `metrics.results.repeats`; None where the option is not there."""
    texts = options["repeats"]
    if not texts:
        return None
    if any(f"(?P<{GROUP}>" in text for text in texts):
        if len(texts) > 1:
            raise InputError("--repeats takes only one pattern.", remedy="Give it once.")
        return str(texts[0])
    pairs: list[tuple[str, str]] = []
    for text in texts:
        name, is_named, runs = text.partition("=")
        if is_named:
            pairs += [(run.strip(), name) for run in runs.split(",") if run.strip()]
        elif Path(text).is_file():
            pairs += named_lines(text)
        else:
            raise InputError(
                f"--repeats {text}: no pattern, no NAME=RUN,RUN and no file.",
                remedy=f"A pattern has a group (?P<{GROUP}>...), as {PATTERN_EXAMPLE!r}.",
            )
    if twice := [run for run, times in Counter(run for run, _ in pairs).items() if times > 1]:
        raise InputError(f"--repeats names the run {twice[0]!r} twice.", remedy="Name it once.")
    return dict(pairs)


def named_lines(path: str) -> list[tuple[str, str]]:
    """The pairs of a file whose lines are two names, with a comma or a tab between them."""
    pairs = []
    for number, line in text_lines(path):
        if not line.strip():
            continue
        [row] = csv.reader([line.strip("\r\n")], delimiter=headers.separator_of(line) or ",")
        if len(row) != _PAIR:
            raise InputError("not a name and a name.", path=path, line=number)
        pairs.append((row[0].strip(), row[1].strip()))
    return pairs


def add_measured_run_options(parser: ArgumentParser, *, help: str) -> None:  # noqa: A002 - argparse's
    """`--scores`, `--run` and `--missing` where they may be left out, for `measured_runs`."""
    add_scores_option(parser)
    add_run_option(parser, required=False, help=help)
    add_missing_option(parser)


def measured_runs(options: Mapping[str, Any]) -> dict[str, Path]:
    """The runs to measure by name, if any; `InputError` where there is nothing to do it with."""
    runs = named_paths(options["runs"])
    if bool(runs) != bool(options["magnitudes"]):
        raise InputError("--run and --scores need each other.", remedy="Give both.")
    return runs


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


def named_paths(
    pairs: Iterable[str], option: str = "--run", names: Mapping[str, str] = MappingProxyType({})
) -> dict[str, Path]:
    """The files of `--run` by the names of the runs, see `metrics.io.run_names`.

    `names` are given to files by their own names. `InputError` for a repeated or unusable name,
    and where a folder or pattern has no run.
    """
    from ..runs import check_run_name

    named_files: list[tuple[str, Path]] = []
    for pair in pairs:
        files = run_files(pair)
        if not files:
            raise InputError(
                f"{option} {pair}: there is no run at this path.", remedy="Check the path."
            )
        named_files += [(names.get(path.name, name), path) for name, path in files]
    paths: dict[str, Path] = {}
    for name, path in named_apart(named_files):
        if check_run_name(name) in paths:
            raise InputError(
                f"{path} and {paths[name]} are both named {name!r}.",
                remedy=f"Name them: {option} NAME=PATH.",
            )
        paths[name] = path
    return paths


def chosen_queries(options: dict[str, Any]) -> "Queries | None":
    """The queries of `--queries` and `--category`, or None for all that the runs have."""
    from ..runs.queries import read_queries

    if options["queries"] is None:
        return None
    return read_queries(options["queries"], options["category"] or Category.NON_GENDERED.value)


def chosen_cutoffs(options: Mapping[str, Any], default: Sequence[int] = CUTOFFS) -> tuple[int, ...]:
    """The ranks of `--cutoff`, each once."""
    return tuple(dict.fromkeys(options["cutoffs"] or default))


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


def names(text: str) -> list[str]:
    """The type of an option such as `--measure RaB,ARaB`: at least one name."""
    parts = words(text)
    if not parts:
        raise ArgumentTypeError("names nothing")
    return parts
