"""Reports of an import, in numbers and in words."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from annotation.labels.operations.imports import ImportedQuery
from annotation.labels.vote_files.answers import ModelAnswer, NoVote, Votes
from annotation.vocabulary import NoVoteReason


@dataclass(frozen=True)
class ImportReport:
    """The stored import. `set_aside` counts, by reason, answers that are kept but are no votes.

    `n_votes` are the votes that count on queries of the study, `n_gold_votes` those on gold
    questions; `first_set_aside` shows one place (file:line) for each reason.
    """

    name: str
    n_queries: int
    n_votes: int
    n_workers: int
    n_gold: int
    n_gold_votes: int
    n_model_labels: int = 0
    set_aside: dict[str, int] = field(default_factory=dict)
    first_set_aside: dict[str, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    @property
    def lines(self) -> list[str]:
        """The import in words."""
        votes = f"{self.n_votes:,} votes of {self.n_workers:,} workers"
        found = [f"{votes} on {self.n_queries:,} queries are imported."]
        if self.n_gold:
            found.append(f"{self.n_gold_votes:,} votes on {self.n_gold:,} gold questions.")
        if self.n_model_labels:
            found.append(f"{self.n_model_labels:,} labels of models are kept beside them.")
        for reason, count in self.set_aside.items():
            what, first = NoVoteReason(reason).label, self.first_set_aside[reason]
            found.append(f"Kept, but no votes: {count:,} ({what}; first at {first}).")
        return found + self.notes


def known_models(found: Votes) -> list[ModelAnswer]:
    """Keep the labels of models for imported queries: of others nobody has the text."""
    known = {one.qid for one in (*found.votes, *found.cannot_tell, *found.repeated)}
    return [one for one in found.models if one.qid in known]


def uncounted(found: Votes) -> list[NoVote]:
    """Number of answers that are kept but are no votes."""
    return [*found.set_aside, *(NoVote(one, NoVoteReason.REPEATED) for one in found.repeated)]


def import_report(name: str, queries: Sequence[ImportedQuery], found: Votes) -> ImportReport:
    """Return the counts of an import."""
    set_aside = uncounted(found)
    counted = Counter(str(one.reason) for one in set_aside)
    first: dict[str, str] = {}
    for one in set_aside:
        place = f"{Path(one.answer.path).name}:{one.answer.line}"
        first.setdefault(str(one.reason), place)
    gold = {one.qid for one in queries if one.gold}
    on_gold = sum(one.qid in gold for one in found.votes)
    return ImportReport(
        name=name,
        n_queries=len(queries) - len(gold),
        n_votes=len(found.votes) - on_gold,
        n_workers=len({one.worker for one in found.votes}),
        n_gold=len(gold),
        n_gold_votes=on_gold,
        n_model_labels=len(known_models(found)),
        set_aside=dict(sorted(counted.items())),
        first_set_aside=first,
        notes=found.notes,
    )
