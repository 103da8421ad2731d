"""History of a batch, in sentences; consecutive similar entries of the log become one."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from typing import Any

from annotation.core.counting import counted
from annotation.overview.queries.log import LogEntry
from annotation.vocabulary import LABEL_METHODS, AuditAction, Environment
from pooling.items import item_noun

Detail = Mapping[str, Any]
Sentence = Callable[[list[Detail], str], str]


@dataclass(frozen=True)
class Happening:
    """Entries of one act by one actor without another between them, the latest at `at`.

    `n` says how many they are. `shown` is what `text` does not hold of a single entry.
    """

    text: str
    at: datetime
    actor: str
    n: int
    is_failure: bool
    is_about_money: bool
    shown: tuple[tuple[str, Any], ...]


def happenings(
    entries: Iterable[LogEntry], *, is_busy: bool, noun: str = item_noun(of_pairs=False)
) -> list[Happening]:
    """The entries, the latest first, as they come; `noun` is that of the batch's items.

    A request is shown only while the job that it began `is_busy`, and nothing has happened since:
    an outcome has an entry of its own, and a job that found nothing new leaves none.
    """
    outcomes = (
        entry
        for place, entry in enumerate(entries)
        if (place == 0 and is_busy) or not _is_a_request(entry)
    )
    return [
        _happening(list(alike), noun)
        for _key, alike in groupby(outcomes, key=lambda entry: (entry.action, entry.actor))
    ]


def _is_a_request(entry: LogEntry) -> bool:
    """Return whether the entry records the request of an operation that a job does later."""
    return entry.action.endswith(" requested") and entry.action not in AuditAction.values


def _happening(alike: list[LogEntry], noun: str) -> Happening:
    latest, sentence = alike[0], _SENTENCES.get(alike[0].action)
    text = f"{latest.action[:1].upper()}{latest.action[1:]}".replace(" prolific", " Prolific")
    if sentence is not None:
        text = sentence([entry.detail for entry in alike], noun)
    return Happening(
        text=text,
        at=latest.at,
        actor=latest.actor,
        n=len(alike),
        is_failure="failed" in latest.action or "interrupted" in latest.action,
        is_about_money=any(entry.paid or entry.committed for entry in alike),
        shown=() if sentence is not None or len(alike) > 1 else latest.shown,
    )


def _collected(details: list[Detail], _noun: str) -> str:
    votes, unable = _sum(details, "votes"), _sum(details, "cannot_tell")
    parts = [counted(votes, "vote")] if votes else []
    parts += [f"{unable:,} “cannot tell”"] if unable else []
    parts = parts or ["No votes"]
    answers = _sum(details, "new")
    text = f"{' and '.join(parts)} came in{_with(answers)}."
    if unreadable := _sum(details, "quarantined"):
        text += f" {counted(unreadable, 'answer')} could not be read."
    if changed := _sum(details, "labels_changed"):
        text += f" {counted(changed, 'label')} changed."
    return text


def _with(answers: int) -> str:
    return f" with {counted(answers, 'answer')}" if answers else ""


def _decided(details: list[Detail], _noun: str) -> str:
    changed = _sum(details, "changed")
    method = str(details[0].get("method", ""))
    title = dict(LABEL_METHODS).get(method)
    by = f" ({title})" if title else ""
    return f"Labels were decided{by}: {changed:,} new or changed."


def _adjudicated(details: list[Detail], noun: str) -> str:
    return f"{counted(len(details), noun)} {_was(len(details))} adjudicated."


def _created(details: list[Detail], noun: str) -> str:
    queries, hits = _sum(details, "queries"), _sum(details, "hits")
    of = f": {counted(queries, noun)} in {counted(hits, 'HIT')}" if queries else ""
    return f"The batch was created{of}."


def _crowd_chosen(details: list[Detail], _noun: str) -> str:
    crowd = str(details[0].get("crowd", ""))
    return f"Where it runs was chosen: {dict(Environment.choices).get(crowd, crowd)}."


def _tasks_uploaded(details: list[Detail], noun: str) -> str:
    tasks, groups = (int(details[0].get(name) or 0) for name in ("tasks", "groups"))
    return f"Prolific has the questions about {counted(tasks, noun)} in {counted(groups, 'group')}."


def _published(details: list[Detail], _noun: str) -> str:
    return f"{counted(_sum(details, 'hits'), 'HIT')} {_was(_sum(details, 'hits'))} published."


def _approved(details: list[Detail], _noun: str) -> str:
    n = sum(int(detail.get("assignments") or 1) for detail in details)
    return f"{counted(n, 'answer')} {_was(n)} approved."


def _model_asked(details: list[Detail], noun: str) -> str:
    models = ", ".join(dict.fromkeys(str(detail.get("model", "")) for detail in details))
    text = f"{models} labelled {counted(_sum(details, 'labels'), noun)}."
    if missing := _sum(details, "missing"):
        text += f" {counted(missing, 'answer')} named no category."
    if unanswered := _sum(details, "unanswered"):
        text += f" {counted(unanswered, noun)} got no answer."
    return text


def _counts(noun: str, done: str) -> Sentence:
    """Return the sentence that counts the entries: so many of `noun` were `done`."""

    def sentence(details: list[Detail], _noun: str) -> str:
        return f"{counted(len(details), noun)} {_was(len(details))} {done}."

    return sentence


def _stopped(details: list[Detail], _noun: str) -> str:
    n = _sum(details, "hits")
    return f"{counted(n, 'HIT')} {_was(n)} taken back: the batch was stopped."


def _imported(details: list[Detail], _noun: str) -> str:
    files = ", ".join(str(name) for detail in details for name in detail.get("files", ()))
    return f"Votes were imported from {files}." if files else "Votes were imported."


_SENTENCES: Mapping[str, Sentence] = {
    AuditAction.ACCOUNT_MADE: _counts("account", "made"),
    AuditAction.BONUS_PAID: _counts("bonus", "paid"),
    AuditAction.EXPIRED: _stopped,
    AuditAction.INVITATION_MADE: _counts("invitation", "made"),
    AuditAction.INVITATION_REVOKED: _counts("invitation", "revoked"),
    AuditAction.MESSAGE_ANSWERED: _counts("message", "answered"),
    AuditAction.PUBLISHING_BEGUN: lambda _details, _noun: "Publishing began.",
    AuditAction.SCHEME_CHANGED: lambda _details, _noun: "The scheme was changed.",
    AuditAction.VOTES_IMPORTED: _imported,
    AuditAction.ANSWERS_COLLECTED: _collected,
    AuditAction.APPROVED: _approved,
    AuditAction.BATCH_CREATED: _created,
    AuditAction.CROWD_CHOSEN: _crowd_chosen,
    AuditAction.MODEL_ASKED: _model_asked,
    AuditAction.PROLIFIC_TASKS_UPLOADED: _tasks_uploaded,
    AuditAction.PUBLISHED: _published,
    AuditAction.RESPONSES_IMPORTED: _collected,
    AuditAction.LABELS_DECIDED: _decided,
    AuditAction.QUERY_ADJUDICATED: _adjudicated,
}


def _sum(details: list[Detail], name: str) -> int:
    return sum(int(detail.get(name) or 0) for detail in details)


def _was(n: int) -> str:
    return "was" if n == 1 else "were"
