"""Reports of an import, in numbers and in words."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from annotation.labels.operations.imports import ImportedQuery
from annotation.vocabulary import NoVoteReason
from metrics.votes.files.answers import GivenLabel, NoVote, Votes


@dataclass(frozen=True)
class ImportReport:
    """The stored import. `set_aside` counts, by reason, answers that are kept but are not votes.

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
        sentences = [f"{votes} on {self.n_queries:,} queries are imported."]
        if self.n_gold:
            sentences.append(f"{self.n_gold_votes:,} votes on {self.n_gold:,} gold questions.")
        if self.n_model_labels:
            sentences.append(f"{self.n_model_labels:,} labels of models are kept beside them.")
        for reason, count in self.set_aside.items():
            what, first = NoVoteReason(reason).label, self.first_set_aside[reason]
            sentences.append(f"Kept, but not as votes: {count:,} ({what}; first at {first}).")
        return sentences + self.notes


def known_models(read: Votes) -> list[GivenLabel]:
    """Keep the labels of models for imported queries: of others nobody has the text."""
    known = {vote.qid for vote in (*read.votes, *read.cannot_tell, *read.repeated)}
    return [answer for answer in read.models if answer.qid in known]


def uncounted(read: Votes) -> list[NoVote]:
    """Number of answers that are kept but are not votes."""
    return [*read.set_aside, *(NoVote(vote, NoVoteReason.REPEATED) for vote in read.repeated)]


def import_report(name: str, queries: Sequence[ImportedQuery], read: Votes) -> ImportReport:
    """Return the counts of an import."""
    set_aside = uncounted(read)
    counted = Counter(str(no_vote.reason) for no_vote in set_aside)
    first: dict[str, str] = {}
    for no_vote in set_aside:
        place = f"{Path(no_vote.answer.path).name}:{no_vote.answer.line}"
        first.setdefault(str(no_vote.reason), place)
    gold = {query.qid for query in queries if query.gold}
    on_gold = sum(vote.qid in gold for vote in read.votes)
    return ImportReport(
        name=name,
        n_queries=len(queries) - len(gold),
        n_votes=len(read.votes) - on_gold,
        n_workers=len({vote.worker for vote in read.votes}),
        n_gold=len(gold),
        n_gold_votes=on_gold,
        n_model_labels=len(known_models(read)),
        set_aside=dict(sorted(counted.items())),
        first_set_aside=first,
        notes=read.notes,
    )
