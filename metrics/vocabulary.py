"""The names that files, options and members share, and nothing that computes: quick to import."""

from enum import StrEnum
from typing import Literal, get_args


class Category(StrEnum):
    """What a query says about gender. The codes are those of the released data set."""

    NON_GENDERED = "n"
    FEMALE = "f"
    MALE = "m"
    OTHER = "o"

    @property
    def label(self) -> str:
        """The category in words."""
        return _LABELS[self]


_LABELS = {
    Category.NON_GENDERED: "Non-gendered",
    Category.FEMALE: "Female",
    Category.MALE: "Male",
    Category.OTHER: "Other or multiple genders",
}

CATEGORIES: tuple[str, ...] = tuple(category.value for category in Category)

# How a collection is written.
Format = Literal["auto", "tsv", "jsonl"]
FORMATS: tuple[Format, ...] = get_args(Format)

# How texts are cut into words.
Tokenizer = Literal["word", "whitespace"]
TOKENIZERS: tuple[Tokenizer, ...] = get_args(Tokenizer)

# What stands for a group's words in a document.
MagnitudeName = Literal["tf", "logtc", "bool", "tc", "tfnorm"]
MAGNITUDE_NAMES: tuple[MagnitudeName, ...] = get_args(MagnitudeName)

# How the documents of a run are ranked.
Order = Literal["default", "trec_eval", "rank"]
ORDERS: tuple[Order, ...] = get_args(Order)

# What becomes of a document that the scored collection does not have.
Missing = Literal["error", "zero", "skip"]

# The measures, in the order of the tables; `metrics.measures.registry` has their definitions.
MEASURE_NAMES = (
    "RaB",
    "ARaB",
    "RaB-adjusted",
    "FaiRR",
    "NFaiRR",
    "AWRF",
    "TED",
    "TED-noRBDF",
    "TExFAIR",
    "TExFAIR-noRBDF",
    "LIWC",
    "LabelExposure",
    "LabelAWRF",
    "MRR",
    "Recall",
    "nDCG",
)

# Ranks at which the bias is measured unless others are named.
CUTOFFS = (5, 10, 20, 30)

# The depth of the published values of CRBO, at p = 0.9.
CRBO_DEPTH = 10

# How RBO goes on behind the ranks that are compared: as before them, or not at all.
RboForm = Literal["extrapolated", "truncated"]
RBO_FORMS: tuple[RboForm, ...] = get_args(RboForm)

# The background of NFaiRR that is every document of the scored collection.
COLLECTION = "collection"

# The studies whose published values a report can show beside its own.
PUBLISHED_STUDIES = {
    "rekabsaz_schedl_2020": "Rekabsaz & Schedl, SIGIR 2020, tables 1 and 3",
    "abolghasemi_2024_qs1": "Abolghasemi et al., ECIR 2024, table 1, 1,756 queries",
    "abolghasemi_2024_qs2": "Abolghasemi et al., ECIR 2024, table 1, 215 queries",
}
