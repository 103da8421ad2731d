"""The contents of a release."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from annotation.reports.bundle.tables import DecisionRow
from metrics.errors import InputError

#: Licences of data by the name that options give them: their title, and their SPDX identifier.
LICENSES = {
    "cc-by-4.0": ("Creative Commons Attribution 4.0", "CC-BY-4.0"),
    "cc-by-sa-4.0": ("Creative Commons Attribution-ShareAlike 4.0", "CC-BY-SA-4.0"),
    "cc-by-nc-4.0": ("Creative Commons Attribution-NonCommercial 4.0", "CC-BY-NC-4.0"),
    "cc0-1.0": ("Creative Commons Zero 1.0", "CC0-1.0"),
    "odbl": ("Open Data Commons Open Database License", "ODbL-1.0"),
}
_ORCID = re.compile(r"(.*?)\s*\((\d{4}-\d{4}-\d{4}-\d{3}[\dX])\)")
_LONGEST_NAME = 200
_MOST_CREATORS = 100


@dataclass(frozen=True)
class Creator:
    """Somebody who made the data: a person with a given name, or else an organisation."""

    name: str
    given_name: str = ""
    orcid: str = ""

    @property
    def whole_name(self) -> str:
        return f"{self.given_name} {self.name}".strip()

    @property
    def is_person(self) -> bool:
        return bool(self.given_name)


def read_creators(text: str) -> tuple[Creator, ...]:
    """The creators in a text as `Lovelace, Ada (0000-0002-1825-0097); Open Search Group`.

    Raises `InputError` for none, for too many, and for a name without letters.
    """
    parts = [part.strip() for part in re.split(r"[;\n]", text) if part.strip()]
    if not parts:
        raise InputError(
            "nobody is named as creator.", remedy="Name people as Family, Given; others by name."
        )
    if len(parts) > _MOST_CREATORS:
        raise InputError(f"at most {_MOST_CREATORS} creators can be named.")
    return tuple(map(_creator, parts))


def _creator(text: str) -> Creator:
    match = _ORCID.fullmatch(text)
    named, orcid = match.groups() if match else (text, "")
    family, _, given = (part.strip() for part in named.partition(","))
    if not any(letter.isalpha() for letter in family) or len(text) > _LONGEST_NAME:
        raise InputError(
            f"{text[:_LONGEST_NAME]!r} is no name of a creator.",
            remedy="Write people as Family, Given (ORCID), divided by semicolons.",
        )
    return Creator(family, given, orcid)


@dataclass(frozen=True)
class Terms:
    """The publisher's statements about a release.

    `license` is a key of `LICENSES`; `doi` is "" while it has none; `language` is that of the
    queries, as BCP 47 writes it.
    """

    title: str
    creators: tuple[Creator, ...]
    license: str
    publisher: str = ""
    doi: str = ""
    language: str = "en"

    @property
    def spdx(self) -> str:
        return LICENSES[self.license][1]

    @property
    def license_url(self) -> str:
        return f"https://spdx.org/licenses/{self.spdx}.html"

    @property
    def url(self) -> str:
        """The address of the DOI, or "" without one."""
        return f"https://doi.org/{self.doi}" if self.doi else ""


@dataclass(frozen=True, slots=True)
class ReleasedVote:
    """One answer to one query.

    `annotator` is a name that holds within the release. `kind` says who that is: human, simulated,
    model or unverified. `counts` is 0 for votes that somebody discarded. `answered_on` is a day,
    as 2026-01-31, or "". `suggested` is the option that a model suggested on the page, or "".
    """

    qid: str
    annotator: str
    kind: str
    label: str
    counts: int
    answered_on: str
    seconds: float | None
    suggested: str


@dataclass(frozen=True, slots=True)
class ReleasedAnswer:
    """One answer to one question of a scheme; the other fields are those of a `ReleasedVote`.

    `codes` are the chosen options, several only where the question takes several.
    """

    qid: str
    annotator: str
    kind: str
    question: str
    codes: tuple[str, ...]
    counts: int
    answered_on: str


@dataclass(frozen=True, slots=True)
class Decision:
    """The decision on one question of a query; `codes` is empty while it is open.

    `chosen` counts each option among the `n_answers` that count, in the options' order.
    """

    qid: str
    question: str
    codes: tuple[str, ...]
    n_answers: int
    n_cannot_tell: int
    chosen: Mapping[str, int]
    in_subset: bool
    source: str


@dataclass(frozen=True)
class ReleasedScheme:
    """The scheme of a batch as JSON values, the answers to its closed questions, and decisions.

    `agreement` has the estimates by question: coefficient, value, low, high and level.
    """

    scheme: Mapping[str, Any]
    answers: Sequence[ReleasedAnswer]
    decisions: Sequence[Decision]
    agreement: Mapping[str, Mapping[str, Any]]

    @property
    def title(self) -> str:
        return str(self.scheme["title"])


@dataclass(frozen=True)
class ReleasedBatch:
    """The votes, labels and agreement of one batch.

    `queries` have the text of each query by its id, in the order of the batch, without gold
    questions. `texts` is what annotators read, a scheme in JSON values, if that is known.
    `measures` are rows of `metrics.results.scored_runs.COLUMNS` over the queries of the subset. A
    batch that asks the questions of a `scheme` has no votes for the categories.
    """

    name: str
    queries: Mapping[str, str]
    votes: Sequence[ReleasedVote]
    labels: Sequence[DecisionRow]
    agreement: Mapping[str, Any]
    terms: Mapping[str, str] = field(default_factory=dict)
    texts: Mapping[str, Any] | None = None
    suggested_by: str = ""
    measures: Sequence[Mapping[str, Any]] = ()
    scheme: ReleasedScheme | None = None


@dataclass(frozen=True)
class Release:
    """A study to be released. `options` are the codes and names of the answers, in their order.

    `cannot_tell` is the code of the answer that is none of them. `decided_on` is a day.
    """

    study: str
    description: str
    decided_on: str
    terms: Terms
    options: Mapping[str, str]
    cannot_tell: str
    batches: Sequence[ReleasedBatch]

    @cached_property
    def kinds(self) -> dict[str, int]:
        """Number of votes that count, by kind of voter."""
        counts: dict[str, int] = {}
        for batch in self.batches:
            for vote in batch.votes:
                if vote.counts:
                    counts[vote.kind] = counts.get(vote.kind, 0) + 1
        for answer in self.answers:
            if answer.counts:
                counts[answer.kind] = counts.get(answer.kind, 0) + 1
        return dict(sorted(counts.items()))

    @property
    def of_categories(self) -> list[ReleasedBatch]:
        """The batches that ask for the categories."""
        return [batch for batch in self.batches if batch.scheme is None]

    @property
    def schemes(self) -> dict[str, ReleasedScheme]:
        """Those of the batches that have one, by the name of the batch."""
        return {batch.name: batch.scheme for batch in self.batches if batch.scheme is not None}

    @cached_property
    def answers(self) -> list[ReleasedAnswer]:
        """The answers to the questions of all schemes."""
        return [answer for scheme in self.schemes.values() for answer in scheme.answers]

    @cached_property
    def collected(self) -> tuple[str, str]:
        """The first and the last day of an answer, or "" where none is known."""
        days = [vote.answered_on for batch in self.batches for vote in batch.votes]
        days += [answer.answered_on for answer in self.answers]
        known = [day for day in days if day]
        return (min(known), max(known)) if known else ("", "")

    @property
    def n_queries(self) -> int:
        return len({qid for batch in self.batches for qid in batch.queries})

    @property
    def n_votes(self) -> int:
        return sum(len(batch.votes) for batch in self.batches)

    @property
    def year(self) -> str:
        return self.decided_on[:4]
