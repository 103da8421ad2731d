"""The options for judgments of people and of a model about the same runs."""

from argparse import ArgumentParser
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..errors import InputError
from ..io.outputs import InputFile, PerhapsNamedFile, add_file_option
from ..vocabulary import CORRECTIONS, FAMILIES
from .numbers import number

if TYPE_CHECKING:
    from ..measures.base import Qrels
    from ..results.designs import Design
    from ..results.judgments import Kind, Terms


def add_design_option(parser: ArgumentParser, pool: str) -> None:
    """`--design`, to be read with `chosen_design`."""
    parser.add_argument(
        "--design",
        type=InputFile,
        default="simple",
        metavar="simple|none|FILE",
        help=f"How people's part was drawn from {pool}: all with the same chance; unknown, so "
        "intervals are withheld; or a CSV with the columns qid,stratum or qid,chance (default: "
        "simple).",
    )


def chosen_design(options: Mapping[str, Any]) -> "Design | None":
    """The design of `--design`; None where nobody knows it."""
    from ..results.designs import design_of

    return None if options["design"] == "none" else design_of(str(options["design"]))


def add_target_options(parser: ArgumentParser) -> None:
    """`--target`, `--every-look` and `--half-width`."""
    parser.add_argument(
        "--target",
        choices=("pool", "population"),
        default=None,
        help="What intervals and p-values are about: the queries of the pool as they are, or all "
        "queries that these can be taken for a sample of (default: population for measures and "
        "differences of runs, pool for shares and biases by --labels).",
    )
    parser.add_argument(
        "--every-look",
        action="store_true",
        help="Intervals that hold at every look at ever more judgments, not at one.",
    )
    parser.add_argument(
        "--half-width",
        type=number(0, 1_000_000, ends=False),
        metavar="H",
        help="Also show how many judged queries in all give intervals of plus or minus H.",
    )


def add_judgment_options(parser: ArgumentParser) -> None:
    """The judgments of a model beside those of people, how these were drawn, and `--target`."""
    parser.add_argument(
        "--judge-qrels",
        type=PerhapsNamedFile,
        action="append",
        metavar="FILE|NAME=FILE",
        help="Judgements of a model of many queries, beside people's of some in --qrels: each "
        "measure then has rows by people, by the model, and corrected, with intervals. "
        "NAME=FILE, once for each of several judges: rows by each, and by all as drawn.",
    )
    add_file_option(
        parser,
        "--passages",
        "Labels m, f, n or both of passages by people, lines qid 0 docno label, for LabelRaB.",
    )
    add_file_option(parser, "--judge-passages", "The same by a model.")
    add_design_option(parser, "those that the model judged (also qid,docno,chance of judged pairs)")
    parser.add_argument(
        "--partly-judged",
        type=lambda text: text.replace("-", " "),
        choices=("error", "skip", "not relevant"),
        default=None,
        help="A query whose first documents people judged in part: stop, leave it out, or count "
        "what is not judged as not relevant (not-relevant; default: that where people's judgments "
        "hold a grade of 0 or below, as a pool's do, else stop).",
    )
    add_target_options(parser)


def add_judged_options(parser: ArgumentParser) -> None:
    """The options of `add_judgment_options`, and the terms of differences."""
    add_judgment_options(parser)
    parser.add_argument(
        "--baseline",
        default="",
        metavar="NAME",
        help="With --repeats, --judge-qrels or --judge-passages: also the differences of each "
        "other run (with --repeats: system) to this one, each a paired figure with its p-value.",
    )
    parser.add_argument(
        "--correction",
        choices=CORRECTIONS,
        default="holm",
        help="How their p-values are corrected (default: %(default)s).",
    )
    parser.add_argument(
        "--family",
        choices=FAMILIES[:2],
        default="measure+cutoff",
        help="Which of them are corrected together (default: %(default)s).",
    )


def chosen_judgments(
    options: Mapping[str, Any],
) -> "tuple[dict[str, Qrels | None], dict[Kind, Qrels | None]]":
    """Return the judgments of people and of a model, by kind; a model without a name is one."""
    from ..runs.qrels import read_passage_labels, read_qrels

    def read(name: str) -> "Qrels | None":
        path = options[name]
        if name == "judge_qrels":
            path = _unnamed(path or [])
        if not path:
            return None
        return read_passage_labels(path) if name.endswith("passages") else read_qrels(path)

    kinds: tuple[Kind, ...] = ("qrels", "passages")
    people: dict[str, Qrels | None] = {kind: read(kind) for kind in kinds}
    return people, {kind: read(f"judge_{kind}") for kind in kinds}


def chosen_judges(options: Mapping[str, Any]) -> "dict[str, Qrels]":
    """The judgments of each judge that `--judge-qrels` names; nothing where it names none."""
    from ..runs.qrels import read_qrels

    files = options["judge_qrels"] or []
    named = [file for file in files if file.name]
    names = [file.name for file in named]
    if twice := [name for name in names if names.count(name) > 1]:
        raise InputError(f"--judge-qrels names {twice[0]!r} twice.", remedy="Name each judge once.")
    return {file.name: read_qrels(file.path) for file in named}


def _unnamed(files: Sequence[PerhapsNamedFile]) -> str | None:
    """The file of the one model without a name; `InputError` for several."""
    without = [file for file in files if not file.name]
    if len(without) > 1 or (without and len(files) > 1):
        raise InputError(
            f"--judge-qrels {without[0]}: with several judges, each needs a name.",
            remedy="Write --judge-qrels NAME=FILE for each.",
        )
    return without[0].path if without else None


def chosen_terms(options: Mapping[str, Any]) -> "Terms":
    """The terms of the options."""
    from ..results.judgments import terms_of

    return terms_of(chosen_design(options), options)
