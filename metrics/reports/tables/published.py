"""Values as published beside those computed, for whoever has the collection and the runs."""

import csv
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ...errors import InputError
from ...results.overlap import RunOverlap
from ...statistics.significance import correlation
from ...texts.lexicon import read_lexicon
from ...texts.magnitude_store import Metadata
from ...vocabulary import PUBLISHED_STUDIES
from ..formats.layout import Column, Table, Value
from ..results import Results

_FILE = Path(__file__).resolve().parents[2] / "data" / "published.csv"

#: Passages of MS MARCO, the collection of all published values.
N_DOCUMENTS = 8_841_823


@dataclass(frozen=True)
class StudySettings:
    """What a published study measured with; `tf` is our name of what its tables call TF."""

    lexicon: str
    tokenizer: str
    n_queries: int
    query_set: str
    tf: str = ""


SETTINGS: Mapping[str, StudySettings] = {
    # Its notebook computes log(1 + occurrences of all words) under the name of equation 1.
    "rekabsaz_schedl_2020": StudySettings(
        "rekabsaz_schedl_2020", "whitespace", 1_765, "the non-gendered queries", tf="logtc"
    ),
    "abolghasemi_2024_qs1": StudySettings(
        "rekabsaz_kopeinik_schedl_2021", "whitespace", 1_756, "the first query set"
    ),
    "abolghasemi_2024_qs2": StudySettings(
        "rekabsaz_kopeinik_schedl_2021", "whitespace", 215, "the second query set"
    ),
}

#: What may differ from a study and be stated: `--published-differs`.
DIFFERENCES = ("collection", "lexicon", "tokenizer", "queries")


def published_values(study: str) -> list[dict[str, str]]:
    """Rows `model, cutoff, measure, magnitude, value`; `*_change` is that of random embeddings."""
    with _FILE.open(encoding="utf-8", newline="") as file:
        return [row for row in csv.DictReader(file) if row["study"] == study]


def bias_magnitudes(study: str) -> tuple[str, ...]:
    """The magnitudes to measure for a comparison with the study; none for one without bias."""
    tf = SETTINGS[study].tf
    return (tf, "bool") if tf else ()


def settings_that_differ(study: str, metadata: Metadata, n_queries: int) -> dict[str, str]:
    """What was measured otherwise than in the study: one of `DIFFERENCES` to a sentence's part."""
    settings = SETTINGS[study]
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
        "queries": (
            n_queries == settings.n_queries,
            f"{n_queries:,} queries instead of {settings.query_set} ({settings.n_queries:,})",
        ),
    }
    return {name: text for name, (same, text) in pairs.items() if not same}


def check_settings(
    study: str, metadata: Metadata, n_queries: int, stated: Collection[str] = ()
) -> list[str]:
    """The stated differences from the study in words; `InputError` for one that is not stated."""
    if unknown := set(stated) - set(DIFFERENCES):
        raise InputError(
            f"--published-differs {min(unknown)}: not a setting of a study.",
            remedy=f"Use some of {', '.join(DIFFERENCES)}.",
        )
    differing = settings_that_differ(study, metadata, n_queries)
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


def published_table(
    results: Results,
    published: Published,
    overlaps: Sequence[RunOverlap] = (),
    notes: Sequence[str] = (),
) -> Table:
    """One row for each published value whose run and measure were computed."""
    crbo = {overlap.first: overlap.value for overlap in overlaps}
    tf = SETTINGS[published.study].tf
    rows: list[dict[str, Value]] = []
    for row in published_values(published.study):
        printed = row["magnitude"]
        for magnitude in dict.fromkeys((tf, "tf") if printed == "tf" else (printed,)):
            computed = _computed(results, row, magnitude, crbo)
            if computed is not None:
                value = float(row["value"])
                rows.append(
                    {
                        "measure": row["measure"].replace("_", " "),
                        "magnitude": magnitude,
                        "cutoff": int(row["cutoff"]),
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
            Column("published", "Published", digits=4),
            Column("computed", "Computed", digits=4),
            Column("difference", "Difference", digits=4),
        ],
        rows=rows,
        notes=[
            "Runs are matched by name; published values are rounded."
            + differing * bool(published.differing),
            *([_TF_NOTE] if tf else []),
            *notes,
        ],
        block="measure",
    )


_TF_NOTE = (
    "The study's TF is compared with logtc, what its notebook computes under that name, and with "
    "tf, its equation 1, where that was measured."
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
