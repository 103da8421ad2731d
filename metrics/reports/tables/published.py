"""Published values beside computed ones, given the collection and the runs."""

import csv
import hashlib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ...errors import InputError
from ...results.overlap import RunOverlap
from ...runs.sidecar import SIZES
from ...statistics.correlations import correlation
from ...statistics.inference import USUAL, Inference
from ...texts.lexicon import read_lexicon
from ...texts.magnitude_store import Metadata
from ...vocabulary import COLLECTION, PUBLISHED_STUDIES
from ..formats.layout import Column, Table, Value
from ..formats.tables import DIGITS
from ..results import Results

_FILE = Path(__file__).resolve().parents[2] / "data" / "published.csv"

_SHORT = 12

#: Passages of MS MARCO, the collection of all published values.
N_DOCUMENTS = 8_841_823


@dataclass(frozen=True)
class StudySettings:
    """The settings of a published study; `tf` is our name of what its tables call TF.

    `qids_sha256` is the digest of its queries' ids (`qids_digest`), where these are released;
    `background` is that of NFaiRR, where it has that measure; `inference` are the tests of the
    paper.
    """

    lexicon: str
    tokenizer: str
    n_queries: int
    query_set: str
    tf: str = ""
    qids_sha256: str = ""
    background: str = ""
    inference: Inference = USUAL


# The paper's tests are paired t-tests with Bonferroni's correction; it names no family.
_ABO24 = Inference(test="paired-t", correction="bonferroni")

SETTINGS: Mapping[str, StudySettings] = {
    # Its notebook computes log(1 + occurrences of all words) under the name of equation 1.
    "rekabsaz_schedl_2020": StudySettings(
        "rekabsaz_schedl_2020",
        "whitespace",
        1_765,
        "the non-gendered queries",
        tf="logtc",
        qids_sha256="9d6987b24049f8f20afc9845eaed35425fdcb17824ff655e1a3ffc504c4e93f1",
    ),
    "abolghasemi_2024_qs1": StudySettings(
        "rekabsaz_kopeinik_schedl_2021",
        "whitespace",
        1_756,
        "the first query set",
        background=COLLECTION,
        inference=_ABO24,
    ),
    "abolghasemi_2024_qs2": StudySettings(
        "rekabsaz_kopeinik_schedl_2021",
        "whitespace",
        215,
        "the second query set",
        qids_sha256="8fe27ea96cbe4d4bd8ca1bf24c3ebfc3ba5274980da895866d01498d27658883",
        background=COLLECTION,
        inference=_ABO24,
    ),
}

#: Settings that may differ from a study if stated: `--published-differs`.
DIFFERENCES = ("collection", "lexicon", "tokenizer", "encoding", "queries", "background")


def published_values(study: str) -> list[dict[str, str]]:
    """Rows `model, cutoff, measure, magnitude, value`; `*_change` is that of random embeddings."""
    with _FILE.open(encoding="utf-8", newline="") as file:
        return [row for row in csv.DictReader(file) if row["study"] == study]


def bias_magnitudes(study: str) -> tuple[str, ...]:
    """The magnitudes to measure for a comparison with the study; none for one without bias."""
    tf = SETTINGS[study].tf
    return (tf, "bool") if tf else ()


def settings_that_differ(
    study: str, metadata: Metadata, qids: Collection[str], background: str = COLLECTION
) -> dict[str, str]:
    """Differences from the settings of the study: one of `DIFFERENCES` to a sentence's part.

    Queries are known by the digest of their ids where the study released those, else by their
    number.
    """
    settings, digest = SETTINGS[study], qids_digest(qids)
    lexicon = read_lexicon(settings.lexicon)
    pairs = {
        "collection": (
            metadata.n_documents == N_DOCUMENTS,
            f"{metadata.n_documents:,} documents instead of the {N_DOCUMENTS:,} of MS MARCO",
        ),
        "lexicon": (
            metadata.lexicon_sha256 == lexicon.sha256,
            f"the word list {metadata.lexicon_name} instead of {settings.lexicon}",
        ),
        "tokenizer": (
            metadata.tokenizer == settings.tokenizer,
            f"the tokenizer {metadata.tokenizer} instead of {settings.tokenizer}",
        ),
        "encoding": (
            not metadata.repair,
            f"broken encodings repaired by {metadata.repair} instead of texts as they are",
        ),
        "queries": (
            len(qids) == settings.n_queries and settings.qids_sha256 in ("", digest),
            (
                f"{len(qids):,} queries (SHA-256 of their ids {digest[:_SHORT]}) that are not "
                f"{settings.query_set} ({settings.n_queries:,})"
            ),
        ),
        "background": (
            settings.background in ("", background),
            f"NFaiRR over the documents of {background} instead of the whole collection",
        ),
    }
    return {name: text for name, (same, text) in pairs.items() if not same}


def qids_digest(qids: Collection[str]) -> str:
    """SHA-256 of the ids, each once, sorted as text and joined by line feeds."""
    return hashlib.sha256("\n".join(sorted(set(qids))).encode()).hexdigest()


def check_settings(
    study: str,
    metadata: Metadata,
    qids: Collection[str],
    stated: Collection[str] = (),
    background: str = COLLECTION,
) -> list[str]:
    """The stated differences from the study in words; `InputError` for one that is not stated."""
    if unknown := set(stated) - set(DIFFERENCES):
        raise InputError(
            f"--published-differs {min(unknown)}: not a setting of a study.",
            remedy=f"Use some of {', '.join(DIFFERENCES)}.",
        )
    differing = settings_that_differ(study, metadata, qids, background)
    unstated = [name for name in differing if name not in stated]
    if unstated:
        raise InputError(
            f"not the settings of {PUBLISHED_STUDIES[study]}: "
            f"{'; '.join(differing[name] for name in unstated)}.",
            remedy="Leave --published out, or state it: "
            f"--published-differs {','.join(differing)}. The table will say so.",
        )
    return list(differing.values())


@dataclass(frozen=True)
class Published:
    """The study to compare with, and what was measured otherwise."""

    study: str
    differing: Sequence[str] = ()

    @property
    def inference(self) -> Inference:
        """The tests of the study."""
        return SETTINGS[self.study].inference


def published_table(
    results: Results,
    published: Published,
    overlaps: Sequence[RunOverlap] = (),
    notes: Sequence[str] = (),
    *,
    sizes: Mapping[str, Mapping[str, int]] | None = None,
) -> Table:
    """One row for each published value whose run and measure were computed.

    `sizes` are those of the models, by run, as far as they are known.
    """
    crbo = {overlap.first: overlap.value for overlap in overlaps}
    tf = SETTINGS[published.study].tf
    rows: list[dict[str, Value]] = []
    for row in published_values(published.study):
        printed = row["magnitude"]
        for magnitude in dict.fromkeys((tf, "tf") if printed == "tf" else (printed,)):
            computed: float | None
            if is_size := row["measure"] in SIZES:
                computed = (sizes or {}).get(row["model"], {}).get(row["measure"])
            else:
                computed = _computed(results, row, magnitude, crbo)
            if computed is not None:
                value = int(row["value"]) if is_size else float(row["value"])
                rows.append(
                    {
                        "measure": row["measure"].removeprefix("n_").replace("_", " "),
                        "magnitude": magnitude,
                        "cutoff": None if is_size else int(row["cutoff"]),
                        "run": row["model"],
                        "published": value,
                        "computed": computed,
                        "difference": computed - value,
                    }
                )
    differing = f" Measured otherwise: {'; '.join(published.differing)}."
    return Table(
        name="published",
        title=f"Beside the published values ({PUBLISHED_STUDIES[published.study]}).",
        columns=[
            Column("measure", "Measure"),
            Column("magnitude", "Magnitude"),
            Column("cutoff", "Cut-off"),
            Column("run", "Model"),
            Column("published", "Published", digits=DIGITS),
            Column("computed", "Computed", digits=DIGITS),
            Column("difference", "Difference", digits=DIGITS),
        ],
        rows=rows,
        notes=[
            "Runs are matched by name; published values are rounded."
            + differing * bool(published.differing),
            *([_TF_NOTE] if tf else []),
            *([_TABLE_2_NOTE] if SETTINGS[published.study].background else []),
            *notes,
        ],
        block="measure",
    )


_TF_NOTE = (
    "The study's TF is compared with logtc, what its notebook computes under that name, and with "
    "tf, its equation 1, where that was measured."
)


_TABLE_2_NOTE = (
    "Of the study's table 2 only CRBO is compared: its fairness columns hold what its table 1 has "
    "for the other query set."
)


def _computed(
    results: Results, row: Mapping[str, str], magnitude: str, crbo: Mapping[str, float | None]
) -> float | None:
    model, cutoff = row["model"], int(row["cutoff"])
    if row["measure"] == "CRBO":
        return crbo.get(model)
    if row["measure"] == "pearson_r":
        pair = [results.per_query(model, name, cutoff) for name in ("NFaiRR", "TExFAIR")]
        both = [values for values in pair if values is not None]
        return correlation(*both).pearson if len(both) == len(pair) else None
    measure, _, change = row["measure"].partition("_")
    look_up = results.change if change else results.value
    return look_up(model, measure, cutoff, magnitude)
