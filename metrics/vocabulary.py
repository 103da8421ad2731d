"""The names that files, options and members share, and nothing that computes: quick to import."""

from enum import EnumType, StrEnum
from typing import Literal, Self, get_args


class _CategoryType(EnumType):
    """Gives `Category` what Django asks of the choices of a column."""

    @property
    def choices(cls) -> list[tuple[str, str]]:
        return [(category.value, category.label) for category in Category]

    @property
    def values(cls) -> list[str]:
        return [category.value for category in Category]


class Category(StrEnum, metaclass=_CategoryType):
    """The gender that a query names: the code of the released data set, and the words for it.

    The scheme of a batch has what annotators read about each category.
    """

    label: str

    def __new__(cls, code: str, label: str = "") -> Self:
        category = str.__new__(cls, code)
        category._value_, category.label = code, label
        return category

    @classmethod
    def _missing_(cls, value: object) -> "Category | None":
        """Return the category by its name: `female` for f."""
        return cls.__members__.get(str(value).upper())

    NON_GENDERED = "n", "Non-gendered"
    FEMALE = "f", "Female"
    MALE = "m", "Male"
    OTHER = "o", "Other or multiple genders"


CATEGORIES = tuple(Category.values)
#: Name of the question for the four categories, and of the built-in scheme that has it.
CATEGORY_QUESTION = "gender"

#: The answer "I cannot tell" where a question allows it; no option may have this code.
CANNOT_TELL = "?"
#: Its code in the released files, beside the categories.
CANNOT_TELL_IN_RELEASE = "u"
#: Between the codes of several options in a cell; no code has it.
JOINED = ";"


class Level(StrEnum):
    """Level of measurement: which differences between two answers mean something."""

    NOMINAL = "nominal"
    ORDINAL = "ordinal"
    INTERVAL = "interval"


#: Characters of an id of a query, a person or a model: in files of votes, forms and the database.
LONGEST_ID = 200
#: Characters of what people name: a study, a batch, a file, a run, a pool, a report.
LONGEST_OWN_NAME = 100
#: Characters of the text of a query, and of a passage beside one.
LONGEST_TEXT = 65_535

#: Of random numbers, wherever somebody gives one.
LARGEST_SEED = 2**31 - 1
#: Bytes of a file of votes or labels, or of all files of a zip, as unpacked: read into memory.
LARGEST_TABLE = 100_000_000

# How a collection is written.
Format = Literal["auto", "tsv", "jsonl", "parquet"]
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

# Which queries a figure is about: by `metrics.results.population`, or by the rule of version 1.0,
# the queries that any run of the call has.
Populations = Literal["default", "any-run"]

#: The part of the names of runs that repetitions of one system have in common, and an example.
GROUP = "system"
PATTERN_EXAMPLE = rf"bert_(?P<{GROUP}>.+)_seed\d+"

#: The tables of `fairpool table`: of the field, and that of papers on neural rankers.
NEURAL_BIAS = "neural-bias"
PRESETS = ("field", NEURAL_BIAS)

# How a run is re-ranked for gender balance.
BalanceMethod = Literal["interpolate", "mmr", "exposure", "count", "detgreedy"]
BALANCE_METHODS: tuple[BalanceMethod, ...] = get_args(BalanceMethod)

# Level of every interval unless another is named, and the words for such an interval.
LEVEL = 0.95
INTERVAL = f"{100 * LEVEL:g} % interval"

# In place of a label where votes decide nothing: a state, and no code of an option.
TIE = "tie"

# Draws of a bootstrap unless another number is named.
RESAMPLES = 1_000

# Ranks at which the bias is measured unless others are named, those of the published tables; also
# those of bundles.
CUTOFFS = (5, 10, 20, 30)

# That of tables and figures that have one, where it was measured.
MAIN_CUTOFF = 10

# The depth of the published values of CRBO, at p = 0.9.
CRBO_DEPTH = 10

# How RBO goes on behind the ranks that are compared: as before them, or not at all.
RboForm = Literal["extrapolated", "truncated"]
RBO_FORMS: tuple[RboForm, ...] = get_args(RboForm)

# How runs are tested against each other over the queries.
PairedTest = Literal["randomization", "paired-t"]
PAIRED_TESTS: tuple[PairedTest, ...] = get_args(PairedTest)

# How the p-values of tests that are read together are corrected.
Correction = Literal["holm", "bonferroni"]
CORRECTIONS: tuple[Correction, ...] = get_args(Correction)

# Which tests are read together.
Family = Literal["measure+cutoff", "table", "report"]
FAMILIES: tuple[Family, ...] = get_args(Family)

# The background of NFaiRR that is every document of the scored collection.
COLLECTION = "collection"

# The studies whose published values a report can show beside its own.
PUBLISHED_STUDIES = {
    "rekabsaz_schedl_2020": "Rekabsaz & Schedl, SIGIR 2020, tables 1 and 3",
    "abolghasemi_2024_qs1": "Abolghasemi et al., ECIR 2024, table 1, 1,756 queries",
    "abolghasemi_2024_qs2": "Abolghasemi et al., ECIR 2024, table 1, 215 queries",
}
