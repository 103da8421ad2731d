"""Agreement and decisions for notebooks: data frames or files in, data frames out."""

import warnings
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..extras import need
from ..public import public
from ..runs.values import id_text
from ..vocabulary import LEVEL, RESAMPLES
from .agreeing import agree
from .deciding import check_method, decide_votes
from .frames import Reading, votes_by_question, votes_of_file
from .reading import FileVotes
from .rows import HoldsFor, agreement_rows, decision_rows, interval_of
from .table import Votes

if TYPE_CHECKING:
    import pandas as pd


@public
def agreement(
    votes: Any,
    *,
    item: str = "",
    worker: str = "",
    value: str = "",
    question: str = "",
    kind: str = "nominal",
    options: Sequence[str] | None = None,
    wide: bool = False,
    cluster: str = "",
    origin: str = "",
    excluded: str = "",
    first_round: str = "",
    suggested_by: str = "",
    holds_for: HoldsFor = "other workers",
    level: float = LEVEL,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> "pd.DataFrame":
    """Measure how far workers agree on their answers, with intervals for *other* workers.

    `votes` is a data frame with a row for each answer, whose columns `item`, `worker` and `value`
    are found by their usual names (task, annotator, label ...); with `wide` it has a row for each
    item and a column for each worker, empty where there is no answer. `question` names a column
    that tells several questions apart. An answer is the code of an option, `?` for "I cannot tell".
    Or it is a file of votes, or what `read_votes` read.

    `kind` says what answers have in common: "nominal", "ordinal", "interval" (numbers) or "several"
    (sets of codes, or codes joined by `;`). `options` are all that could be chosen, for "ordinal"
    in their order; without them those that occur. With `holds_for="these workers"` intervals
    resample the items alone, `resamples` times from `seed`: they hold for these very workers, and
    others would differ more.

    Further columns may say the `cluster` of an item, such as its HIT, whose items the same
    workers answered; the `origin` of a vote (human, unverified, simulated, model); whether it is
    `excluded`; and, where more votes were asked for items on which workers differed, whether it is
    of the `first_round`, which every item had. `suggested_by` names a model whose labels the
    workers saw.

    A row for each coefficient: alpha (Krippendorff 2004) with the distances that `distance` names,
    Gwet's ac1, Fleiss' kappa, raw agreement, and alpha of each option against the others. `value`,
    `low` and `high` are missing where they are not defined or no interval would hold, as `withheld`
    says. Caveats about the numbers are Python warnings. Raises `InputError` for what
    is not a table of votes.
    """
    pandas = need("pandas", extra="votes")
    interval = interval_of(holds_for)
    names = {"item": item, "worker": worker, "value": value, "question": question}
    facts = {"cluster": cluster, "origin": origin, "excluded": excluded, "first_round": first_round}
    reading = Reading(
        names=names | facts, kind=kind, options=options, is_wide=wide, suggested_by=suggested_by
    )
    rows: list[dict[str, Any]] = []
    for name, of in votes_by_question(votes, reading):
        measured = agree(of, interval=interval, resamples=resamples, level=level, seed=seed)
        _warn(name, measured.warnings)
        rows += agreement_rows(name, measured)
    frame: pd.DataFrame = pandas.DataFrame(rows)
    return frame


@public
def decide(
    votes: Any,
    method: str = "",
    *,
    item: str = "",
    worker: str = "",
    value: str = "",
    question: str = "",
    kind: str = "nominal",
    options: Sequence[str] | None = None,
    wide: bool = False,
    excluded: str = "",
    strict: bool = False,
    seed: int = 0,
    gold: Mapping[Any, Any] | None = None,
    probabilities: bool = False,
) -> "pd.DataFrame":
    """Decide the answer about each item from the votes of several workers.

    `votes` and the arguments on how to read them are those of `agreement`. `method` is "majority",
    "dawid_skene", "mace" or "gold_weighted" of options in no order, "median" or "majority" of
    others; of several options each is decided that more than half of the workers chose. With
    `strict` a majority needs more than half of the votes. `seed` is for MACE; `gold` has the known
    answers by item that "gold_weighted" weighs workers by, unless the votes come from a file that
    has them.

    A row for each item: `decided` (missing unless the `state` is "decided": a tie is never drawn),
    `n_votes`, `n_for`, `n_cannot_tell`, and `confidence`, the posterior of a method that has one;
    with `probabilities` that of every option, as p_CODE. Raises `InputError` for a method that does
    not decide such answers.
    """
    pandas = need("pandas", extra="votes")
    names = {"item": item, "worker": worker, "value": value, "question": question}
    reading = Reading(
        names=names | {"excluded": excluded}, kind=kind, options=options, is_wide=wide
    )
    rows: list[dict[str, Any]] = []
    for name, of in votes_by_question(votes, reading):
        gold_votes, known = _gold_of(votes, of, gold)
        check_method(method, of.kind, known)
        done = decide_votes(of, method, strict=strict, seed=seed, gold=gold_votes, known=known)
        if done.posterior and not done.posterior.converged:
            _warn(name, done.notes)
        rows += decision_rows(name, done, probabilities=probabilities)
    frame: pd.DataFrame = pandas.DataFrame(rows)
    return frame


def _gold_of(
    votes: Any, of: Votes, gold: Mapping[Any, Any] | None
) -> tuple[Votes, Mapping[str, str]]:
    """The votes on gold questions, and their known answers by item."""
    if gold is None and isinstance(votes, FileVotes):
        return votes_of_file(votes, of.kind, of.options, of_gold=True), votes.known
    return of, {str(id_text(name)): str(id_text(answer)) for name, answer in (gold or {}).items()}


def _warn(question: str, texts: Sequence[str]) -> None:
    for text in texts:
        # The line to show is that of the caller of a public function, which is wrapped.
        warnings.warn(f"{question}: {text}" if question else text, UserWarning, stacklevel=4)
