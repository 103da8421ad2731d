"""The contents of a release."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from annotation.reports.bundle.study import BatchBundle
from annotation.schemes import About, Scheme
from annotation.schemes.released import has_released_layout
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
    family, _, given_name = (part.strip() for part in named.partition(","))
    if not any(letter.isalpha() for letter in family) or len(text) > _LONGEST_NAME:
        raise InputError(
            f"{text[:_LONGEST_NAME]!r} is not a name of a creator.",
            remedy="Write people as Family, Given (ORCID), divided by semicolons.",
        )
    return Creator(family, given_name, orcid)


@dataclass(frozen=True)
class Terms:
    """The publisher's statements about a release.

    `license` is a key of `LICENSES`; `doi` is "" while it has none; `language` is that of the
    queries, as BCP 47 writes it. With `texts`, what annotators wrote is released, too.
    """

    title: str
    creators: tuple[Creator, ...]
    license: str
    publisher: str = ""
    doi: str = ""
    language: str = "en"
    texts: bool = False

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
class ReleasedAnswer:
    """One answer to one closed question about a query.

    `annotator` is a name that holds within the release. `kind` says who that is: human, simulated,
    model or unverified. `codes` are the chosen options, several only where the question takes
    several. `counts` is 0 for answers that somebody discarded. `answered_on` is a day, as
    2026-01-31, or "". `suggested` is the option that a model suggested on the page, or "".
    """

    qid: str
    annotator: str
    kind: str
    question: str
    codes: tuple[str, ...]
    counts: int
    answered_on: str
    seconds: float | None
    suggested: str


@dataclass(frozen=True, slots=True)
class ReleasedText:
    """A text of an annotator; `question` and `option` as those of a `FreeText`."""

    qid: str
    annotator: str
    kind: str
    question: str
    option: str
    text: str
    counts: int


@dataclass(frozen=True)
class ReleasedBatch:
    """The answers, decisions and agreement of one batch, without gold questions.

    `tables` are those of its bundle. `queries` have the text of each query by its id, in the order
    of the batch. `texts` are empty unless they were chosen. `measures` are rows of
    `metrics.results.scored_runs.STORED_COLUMNS` over the subset.
    """

    tables: BatchBundle
    queries: Mapping[str, str]
    answers: Sequence[ReleasedAnswer]
    texts: Sequence[ReleasedText] = ()
    measures: Sequence[Mapping[str, Any]] = ()

    @property
    def name(self) -> str:
        return self.tables.name

    @property
    def scheme(self) -> Scheme:
        return self.tables.scheme

    @property
    def is_of_pairs(self) -> bool:
        return self.scheme.about == About.PASSAGE

    @property
    def estimates(self) -> list[tuple[str, Mapping[str, Any]]]:
        """The coefficients of agreement by name, with their intervals."""
        return self.tables.layout.estimates(self.tables.agreement)


@dataclass(frozen=True)
class Release:
    """A study to be released; `decided_on` is a day."""

    study: str
    description: str
    decided_on: str
    terms: Terms
    batches: Sequence[ReleasedBatch]

    @cached_property
    def kinds(self) -> dict[str, int]:
        """Number of answers that count, by kind of voter."""
        counts = Counter(answer.kind for answer in self.answers if answer.counts)
        return dict(sorted(counts.items()))

    @property
    def of_the_paper(self) -> list[ReleasedBatch]:
        """The batches whose tables are those that the paper's authors released."""
        return [batch for batch in self.batches if has_released_layout(batch.scheme)]

    @property
    def by_question(self) -> list[ReleasedBatch]:
        """The others, whose tables have a row for each question."""
        return [batch for batch in self.batches if not has_released_layout(batch.scheme)]

    @property
    def has_pairs(self) -> bool:
        """True if a batch judges passages."""
        return any(batch.is_of_pairs for batch in self.batches)

    @cached_property
    def answers(self) -> list[ReleasedAnswer]:
        return [answer for batch in self.batches for answer in batch.answers]

    @cached_property
    def collected(self) -> tuple[str, str]:
        """The first and the last day of an answer, or "" where none is known."""
        known = [answer.answered_on for answer in self.answers if answer.answered_on]
        return (min(known), max(known)) if known else ("", "")

    def n_items(self, *, of_pairs: bool) -> int:
        """Number of queries, or of pairs, that questions were asked about."""
        batches = [batch for batch in self.batches if batch.is_of_pairs == of_pairs]
        return len({item for batch in batches for item in batch.queries})

    @property
    def year(self) -> str:
        return self.decided_on[:4]
