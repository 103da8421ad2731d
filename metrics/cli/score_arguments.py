"""Options about the documents of runs: their scores or texts, word lists, labels."""

from argparse import ArgumentParser
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import InputError
from ..io.outputs import InputFile, add_file_option
from ..texts.lexicon import BUILT_IN, DEFAULT
from ..vocabulary import TOKENIZERS
from .command import Command

if TYPE_CHECKING:
    from ..texts.categories import CategorySource
    from ..texts.document_numbers import DocumentNumbers
    from ..texts.magnitude_store import Magnitudes

_SHOWN = 5


def add_scores_option(
    parser: ArgumentParser,
    *,
    required: bool = False,
    help: str = "The scored collection of the runs, made by `fairpool score`, or counts as the "  # noqa: A002 - argparse's
    "field's notebooks cache (docid, bias, bias_feml, bias_male).",
) -> None:
    """`--scores`: the file of a scored collection."""
    parser.add_argument(
        "-s",
        "--scores",
        required=required,
        type=InputFile,
        metavar="M.parquet",
        dest="magnitudes",
        help=help,
    )


def add_scores_options(parser: ArgumentParser) -> None:
    """`--scores`, or `--collection` with `--lexicon` and `--tokenizer`, for `chosen_scores`."""
    add_scores_option(parser)
    parser.add_argument(
        "-c",
        "--collection",
        type=InputFile,
        metavar="FILE",
        help="The collection of the runs, in place of --scores: scored at the first call, and its "
        "scores kept for the next ones.",
    )
    add_lexicon_options(parser)


def add_lexicon_options(parser: ArgumentParser) -> None:
    """`--lexicon`, `--tokenizer`, `--repair-encoding`: how texts of `--collection` are scored."""
    parser.add_argument(
        "--lexicon",
        type=InputFile,
        metavar="FILE|NAME",
        help=f"Word list of lines word,group, or a built-in one: {', '.join(BUILT_IN)} "
        f"(default: {DEFAULT}).",
    )
    parser.add_argument(
        "--tokenizer",
        choices=TOKENIZERS,
        help="How texts are cut into words: word for new studies, whitespace to reproduce "
        "published tables (default: word).",
    )
    parser.add_argument(
        "--repair-encoding",
        action="store_true",
        help="First repair texts that were decoded by the wrong encoding, so that the gender words "
        "glued to broken letters count (needs fairpool[repair]).",
    )


def chosen_scores(command: Command, options: dict[str, Any]) -> "Magnitudes | None":
    """The scored collection that the options name, None where they name none."""
    from ..texts.cached_counts import is_cached_counts
    from ..texts.kept_scores import kept_scores
    from ..texts.lexicon import read_lexicon
    from ..texts.magnitude_store import open_magnitudes

    how = [name for name in ("lexicon", "tokenizer", "repair_encoding") if options[name]]
    if how and (options["magnitudes"] or not options["collection"]):
        raise InputError(
            f"--{how[0].replace('_', '-')} says how --collection is scored.",
            remedy="Give --collection without --scores: a scored collection has its own.",
        )
    if options["magnitudes"]:
        return open_magnitudes(options["magnitudes"])
    if not options["collection"]:
        return None
    path = Path(options["collection"])
    if is_cached_counts(path):
        return open_magnitudes(path)
    size = path.stat().st_size if path.is_file() else None
    with command.progress(options, "scoring", size, "B") as progress:
        return kept_scores(
            path,
            read_lexicon(options["lexicon"]),
            options["tokenizer"] or "word",
            repair_encoding=options["repair_encoding"],
            progress=progress,
        )


def needed_scores(command: Command, options: dict[str, Any]) -> "Magnitudes":
    """Return the scores for a command that requires them."""
    scores = chosen_scores(command, options)
    if scores is None:
        raise InputError("no scores.", remedy="Give --scores M.parquet or --collection FILE.")
    return scores


def add_document_options(parser: ArgumentParser) -> None:
    """`--liwc`, which reads `--collection`, and `--labels`, for `chosen_numbers`."""
    add_file_option(
        parser,
        "--liwc",
        "Your own word lists of categories in LIWC's format, for LIWC; needs --collection.",
        metavar="FILE.dic",
    )
    add_file_option(
        parser,
        "--labels",
        "Labels of documents, lines docno,group[,weight] or, under that header, "
        "docno,attribute,group,weight: for LabelExposure, LabelShare, LabelAWRF and "
        "attributes=labels.",
    )


def chosen_numbers(
    options: dict[str, Any],
) -> "tuple[CategorySource | None, DocumentNumbers | None]":
    """The word categories of `--liwc` and the labels of `--labels`."""
    from ..texts.categories import CategorySource, read_categories
    from ..texts.labels import read_labels

    if options["liwc"] is not None and options["collection"] is None:
        raise InputError(
            "--liwc needs --collection.", remedy="Give the texts to look for its words in."
        )
    liwc = options["liwc"] and CategorySource(
        read_categories(options["liwc"]), options["collection"]
    )
    return liwc, options["labels"] and read_labels(options["labels"])


def liwc_notices(liwc: "CategorySource | None") -> list[str]:
    """A notice where words of `--liwc` can never be matched."""
    never = liwc.lexicon.unmatchable(liwc.tokenizer) if liwc else []
    if not never:
        return []
    more = " and others" if len(never) > _SHOWN else ""
    return [f"--liwc: {len(never):,} are not a single word: {', '.join(never[:_SHOWN])}{more}."]
