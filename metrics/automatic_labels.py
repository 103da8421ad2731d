"""Automatic labels for notebooks: which labels of models may stand, and what that promises."""

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from .errors import InputError, InputTypeError
from .extras import need
from .io.ids import met, renamed_text
from .public import public
from .runs.columns import as_frame
from .runs.values import id_text
from .statistics.model_beliefs import LabellingModel, ModelAnswer
from .statistics.plausible import chance_of_sample, likeness, sample_text
from .statistics.promises import accepted_of_automatic, accepted_of_file, sample_needed
from .statistics.samples import Sample
from .vocabulary import LEVEL
from .votes.files.label_files import (
    ORIGIN,
    PEOPLE,
    columns_of_labels,
    read_model_labels,
    read_query_labels,
)

if TYPE_CHECKING:
    import pandas as pd

Of = Literal["file", "automatic"]
#: Columns of the labels of a promise; `origin` is people, automatic, or "" for what is left.
COLUMNS = ("qid", "label", ORIGIN, "by_models", "confidence")
#: Shares of the models' labels that may be wrong, for the labels that a promise needs.
_WRONG = (0.01, 0.02, 0.05)
_AUTOMATIC = "automatic"


@dataclass(frozen=True)
class Promise:
    """Labels of a pool by people and by models, and how many of the models' are wrong at most.

    `rows`, of `COLUMNS`: one for each thing that the models labelled, in their order. `of`: `error`
    is a share of all labels of the file, or of the automatic ones. `alpha`: the chance that a class
    and look may break the promise. `withheld`: why no label is automatic; "" where some are.
    """

    rows: Sequence[Mapping[str, Any]] = field(repr=False)
    of: Of
    error: float
    confidence: float
    per_class: bool
    looks: int
    alpha: float
    withheld: str = ""
    #: Remarks on how the labels were read.
    notices: Sequence[str] = ()

    def count(self, origin: str) -> int:
        """Number of labels of an origin: "people", "automatic", or "" for those that are left."""
        return sum(row[ORIGIN] == origin for row in self.rows)

    @property
    def labels(self) -> "pd.DataFrame":
        """The rows as a data frame."""
        frame: pd.DataFrame = need("pandas").DataFrame(self.rows, columns=COLUMNS)
        return frame

    @property
    def sentence(self) -> str:
        """The promise in words that can be printed."""
        n = len(self.rows)
        automatic, left = self.count(_AUTOMATIC), self.count("")
        counts = (
            f"{automatic:,} of {n:,} labels are automatic, {self.count(PEOPLE):,} are people's "
            f"and {left:,} are left to people."
        )
        if not automatic:
            return f"No label is automatic: {self.withheld}"
        broken = "of the automatic labels are wrong"
        if self.of == "file":
            broken = f"of the {n:,} labels of the file are wrong; people's count as right"
        each = " This holds for each class of the models separately." if self.per_class else ""
        sure = f"With {self.confidence:.0%} confidence at most {self.error:.1%}"
        return f"{counts} {sure} {broken}.{each}"

    @property
    def assumptions(self) -> list[str]:
        """Conditions of the promise, which no program can check."""
        looks = (
            "People's labels are looked at only once: nobody collects more after this promise."
            if self.looks == 1
            else f"{self.looks:,} looks at the labels of people were planned before the first."
        )
        return [
            "People labelled a simple random sample of the file.",
            "What people say, by their majority, is the truth.",
            "Models, prompts and these terms were fixed before people's labels were read.",
            looks,
            "Automatic labels are not people's: corrected figures do not take them as true.",
        ]

    @property
    def needed(self) -> dict[float, int | None]:
        """By the share of wrong labels of models: people's labels for all others to be automatic.

        So many that half of the samples accept all; None where no number does. Classes apart, each
        takes as many as its own size asks for, and this is that of one class with all labels.
        """
        return {
            wrong: sample_needed(
                len(self.rows), wrong, self.error, self.alpha, of_file=self.of == "file"
            )
            for wrong in _WRONG
        }


class _Majority(NamedTuple):
    """The label that most models give to a thing, None where two have as many."""

    label: str | None
    confidence: float


@public
def promise(
    models: Any,
    people: Any = None,
    *,
    error: float = 0.05,
    of: Of = "file",
    confidence: float = LEVEL,
    per_class: bool = False,
    looks: int = 1,
    seed: int = 0,
) -> Promise:
    """Find which labels of models may stand without people, so that few of them are wrong.

    `models`: labels of one or several models about all of a pool, as a file, a data frame (columns
    qid, label and, if there are any, model and score) or `{model: {qid: label}}`. `people`: labels
    of a simple random sample of the pool, as a file, a frame (qid, label) or `{qid: label}`; of
    rows with an `origin` those of people. Without any, `needed` says how many it takes.

    A label is automatic in the order of its confidence: the share of the models that give it, or
    the score of a single one. With `of="file"` at most `error` of all labels of the pool are wrong
    automatic ones; `seed` draws among equals. With `of="automatic"` at most `error` of
    the automatic ones are, which takes far more labels and surer models. Both hold with the
    `confidence`, over the drawing of the sample; with `per_class` for the things that the models
    put into each class by themselves. `looks`: how many times people's labels are looked at in
    all, planned before the first.

    `Promise.labels` has a row for each thing with its `origin`: people, automatic, or "" where
    people are still to be asked. Raises `InputError` for numbers out of range, and for labels of
    people about what no model labelled.
    """
    _check(error, confidence, looks)
    majorities = _majorities(_models(models))
    labels, notices = _of_people(people, majorities)
    classes = sorted(
        {majority.label for majority in majorities.values() if majority.label is not None}
    )
    alpha = (1 - confidence) / looks / (len(classes) if per_class and classes else 1)
    why = "there are no labels of people." if not labels else _doubt(majorities, labels)
    accepted = set[str]()
    if not why:
        pools = (
            [
                [qid for qid, majority in majorities.items() if majority.label == name]
                for name in classes
            ]
            if per_class
            else [list(majorities)]
        )
        for pool in pools:
            accepted |= _accepted(
                pool, majorities, labels, error=error, of=of, alpha=alpha, seed=seed
            )
        if not accepted - labels.keys():
            why = "the sample shows too many wrong labels for its size, or has too few labels."
    return Promise(
        [*_rows(majorities, labels, accepted)],
        of,
        error,
        confidence,
        per_class,
        looks,
        alpha,
        why,
        notices,
    )


def _rows(
    majorities: Mapping[str, _Majority], labels: Mapping[str, str], accepted: set[str]
) -> "list[dict[str, Any]]":
    rows = []
    for qid, (by_models, confidence) in majorities.items():
        origin = PEOPLE if qid in labels else _AUTOMATIC if qid in accepted else ""
        label = labels.get(qid, by_models if origin else "")
        rows.append(
            dict(zip(COLUMNS, (qid, label, origin, by_models or "", confidence), strict=True))
        )
    return rows


def _accepted(
    pool: Sequence[str],
    majorities: Mapping[str, _Majority],
    labels: Mapping[str, str],
    *,
    error: float,
    of: Of,
    alpha: float,
    seed: int,
) -> set[str]:
    """The things of a pool whose labels by models are accepted, those of the sample with them."""
    is_sampled = np.array([qid in labels for qid in pool])
    is_wrong = np.array([qid in labels and labels[qid] != majorities[qid].label for qid in pool])
    confidence = np.array(
        [np.nan if majorities[qid].label is None else majorities[qid].confidence for qid in pool]
    )
    if of == "automatic":
        chosen = accepted_of_automatic(confidence, is_sampled, is_wrong, error=error, alpha=alpha)
    else:
        lot = np.array([_lot(qid, seed) for qid in pool])
        chosen = accepted_of_file(
            confidence, is_sampled, is_wrong, error=error, alpha=alpha, lot=lot
        )
    return {qid for qid, is_chosen in zip(pool, chosen, strict=True) if is_chosen}


def _lot(qid: str, seed: int) -> float:
    """A number from 0 to 1 that depends on nothing but the id and the seed."""
    return int.from_bytes(sha256(f"{seed}\0{qid}".encode()).digest()[:7], "big") / 2**56


def _doubt(majorities: Mapping[str, _Majority], labels: Mapping[str, str]) -> str:
    """Why nothing is promised: a sample that is none, or labels that are copies; "" elsewhere."""
    belief = np.array([majority.confidence for majority in majorities.values()])
    places = {qid: place for place, qid in enumerate(majorities)}
    if len(labels) > 1:
        rows = [places[qid] for qid in labels]
        texts = [sample_text(chance_of_sample(Sample.of(belief, rows, belief[rows]), [belief]))]
    else:
        texts = []
    alike = likeness((label, majorities[qid].label) for qid, label in labels.items())
    return " ".join(filter(None, [*texts, alike.text if alike.is_copied else ""]))


def _majorities(models: Sequence[LabellingModel]) -> dict[str, _Majority]:
    """The label that most models give to each thing that one of them labelled, and their share."""
    by_thing: dict[str, list[ModelAnswer]] = {}
    for model in models:
        for answer in model.answers:
            by_thing.setdefault(answer.qid, []).append(answer)
    majorities = {}
    for qid, answers in by_thing.items():
        counts = Counter(a.category for a in answers if a.category is not None).most_common(2)
        if not counts or (len(counts) > 1 and counts[0][1] == counts[1][1]):
            majorities[qid] = _Majority(None, 0.0)
            continue
        label, n = counts[0]
        share = n / len(models)
        if len(models) == 1 and answers[0].belief is not None:
            share = answers[0].belief
        majorities[qid] = _Majority(label, share)
    return majorities


def _models(models: Any) -> list[LabellingModel]:
    if isinstance(models, str | Path):
        return read_model_labels(models, options=None).models
    if isinstance(models, Mapping) and models:
        if not all(isinstance(of_model, Mapping) for of_model in models.values()):
            models = {"model": models}
        named = {
            _text(name): [ModelAnswer(_text(qid), _code(label), None) for qid, label in of.items()]
            for name, of in models.items()
        }
        return [LabellingModel(name, "", "", answers) for name, answers in named.items()]
    frame = as_frame(models)
    if frame is None or not frame:
        raise InputTypeError(
            f"the models' labels are {type(models).__name__}.",
            remedy="Give a file, a frame (columns qid, label, model) or {model: {qid: label}}.",
        )
    columns = columns_of_labels(list(frame))
    by_name: dict[str, list[ModelAnswer]] = {}
    n = len(next(iter(frame.values())))
    names = frame[columns["worker"]] if "worker" in columns else ["model"] * n
    scores = frame[columns["score"]] if "score" in columns else [None] * n
    cells = zip(frame[columns["query_id"]], frame[columns["label"]], names, scores, strict=True)
    for qid, label, name, score in cells:
        belief = None if score is None or score != score else float(score)  # noqa: PLR0124 - NaN
        by_name.setdefault(_text(name), []).append(ModelAnswer(_text(qid), _code(label), belief))
    return [LabellingModel(name, "", "", answers) for name, answers in by_name.items()]


def _of_people(
    people: Any, majorities: Mapping[str, _Majority]
) -> tuple[dict[str, str], list[str]]:
    """People's labels by the ids that the models' have, and notices."""
    notices: list[str] = []
    if people is None:
        return {}, notices
    if isinstance(people, str | Path):
        labels = read_query_labels(people)
    elif isinstance(people, Mapping):
        labels = {_text(qid): str(label) for qid, label in people.items()}
    else:
        frame = as_frame(people)
        if frame is None:
            raise InputTypeError(
                f"the labels of people are {type(people).__name__}.",
                remedy="Give a file, a frame with the columns qid, label, or {qid: label}.",
            )
        columns = columns_of_labels(list(frame))
        origins = frame.get(ORIGIN, [PEOPLE] * len(frame[columns["label"]]))
        cells = zip(frame[columns["query_id"]], frame[columns["label"]], origins, strict=True)
        labels = {_text(qid): str(label) for qid, label, origin in cells if origin == PEOPLE}
    names = met(labels, majorities)
    if names is not None:
        notices.append(renamed_text("The things that people labelled", labels, names))
        labels = {names[qid]: label for qid, label in labels.items()}
    if outside := [qid for qid in labels if qid not in majorities]:
        raise InputError(
            f"{len(outside):,} of {len(labels):,} items that people labelled have no label of a "
            f"model, such as {outside[0]!r}.",
            remedy="Give the models' labels of the whole pool.",
        )
    return labels, notices


def _text(qid: Hashable) -> str:
    return str(id_text(qid))


def _code(label: Hashable) -> str | None:
    """The label as text; None for a missing one, as NaN, which differs from itself."""
    is_missing = label is None or label != label or label == ""  # noqa: PLR0124 - see above
    return None if is_missing else str(label)


def _check(error: float, confidence: float, looks: int) -> None:
    for name, value in (("error", error), ("confidence", confidence)):
        if not 0 < value < 1:
            raise InputError(f"{name} is {value}.", remedy="Use a share between 0 and 1, as 0.05.")
    if looks < 1:
        raise InputError(f"looks is {looks}.", remedy="Give the number of looks that are planned.")
