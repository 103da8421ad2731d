"""The details of the log in words: labels of options and questions, no names of programs."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from annotation.models import Batch
from annotation.schemes import JOINED, Scheme
from annotation.vocabulary import LABEL_METHODS, TIE, FileKind, Role, SampleDesign

#: What words of a name alone do not say; a name that is not here is its words.
_LABELS = {
    "added": "answers requested",
    "reopened": "HITs offered again",
    "further_hits": "HITs for the rest",
    "new": "answers",
    "quarantined": "answers that cannot be read",
    "changed": "labels changed",
    "kept_out": "workers excluded",
    "hits": "HITs",
    "assignment": "answer",
    "assignments": "answers",
    "qid": "id",
    "at": "address",
    "digest": "checksum",
    "usd": "USD",
}
#: Of the crowd service and of rows, which say nothing to a person.
_LEFT_OUT = frozenset({"channel", "uid", "number", "report", "invitation"})
_CHOICES: Mapping[str, Iterable[tuple[str, Any]]] = {
    "method": LABEL_METHODS,
    "role": Role.choices,
    "before": Role.choices,
    "now": Role.choices,
    "design": SampleDesign.choices,
    "kind": FileKind.choices,
}


def in_words(detail: Mapping[str, Any], batch: Batch | None) -> tuple[tuple[str, Any], ...]:
    """Return label and value of each part of the details of an event of `batch`."""
    return tuple(_parts(detail, batch.scheme if batch and "question" in detail else None))


def _parts(detail: Mapping[str, Any], scheme: Scheme | None) -> Iterator[tuple[str, Any]]:
    by_name = {question.name: question for question in (scheme.questions if scheme else ())}
    question = by_name.get(str(detail.get("question", "")))
    for name, value in detail.items():
        if name in _LEFT_OUT:
            continue
        label = _LABELS.get(name, name.replace("_", " "))
        if question and name == "question":
            yield label, question.title
        elif question and name == "category" and question.kind.has_options:
            is_tie = value == TIE and TIE not in question.codes
            yield "answer", "Tie" if is_tie else question.words(str(value).split(JOINED))
        else:
            yield label, _labelled(name, value)


def _labelled(name: str, value: Any) -> Any:
    labels = dict(_CHOICES.get(name, ()))
    return labels.get(value, value) if isinstance(value, str) else value
