"""Labels in files, and the description of a format of such files."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace

from annotation.labels.export.file_formats import FileFormat
from metrics.errors import InputError
from metrics.io.pair_ids import pair_id


@dataclass(frozen=True)
class ExportedVote:
    """One vote; `worker` is a pseudonym, `kind` says whether a person gave it."""

    worker: str
    category: str
    kind: str


@dataclass(frozen=True)
class ExportedLabel:
    """All that is known about the label of a query, or of a pair of query and passage.

    `label` is a category code, a grade, or "tie". `source` is unanimous, majority, median,
    model-based, adjudicated, released or tie. `n_for` of the `n_votes` votes are for the label.
    `docno` and `passage` are empty of a query.
    """

    qid: str
    query: str
    label: str
    method: str
    source: str
    n_votes: int
    n_for: int
    confidence: float | None = None
    reason: str = ""
    votes: tuple[ExportedVote, ...] = field(default_factory=tuple)
    docno: str = ""
    passage: str = ""

    @property
    def ids(self) -> tuple[str, ...]:
        """Id of the query, and of the passage of a pair."""
        return (self.qid, self.docno) if self.docno else (self.qid,)

    @property
    def item_id(self) -> str:
        """Id of what was judged."""
        return pair_id(self.qid, self.docno) if self.docno else self.qid

    def graded(self, grades: Mapping[str, int | str]) -> "ExportedLabel":
        """Return a copy with the grade of its option for a label."""
        return replace(self, label=str(grades[self.label]))


@dataclass(frozen=True)
class FormatOption:
    """A yes-or-no option of some formats."""

    name: str
    title: str
    help_text: str


#: Option of formats that can express that a query has no majority.
TIES = FormatOption(
    "ties", "Ties, too", 'Also write the queries without a majority, with the label "tie".'
)


@dataclass(frozen=True, kw_only=True)
class LabelFormat(FileFormat):
    """A format of labelled queries.

    `write` makes the lines, each with its line end, from labels and the names of the options that
    are on; it raises `InputError` for a text that the format cannot hold. `pandas` and
    `ir_datasets` are code that reads such a file, to be copied; `pandas` gets these options, and
    the names of the first columns: the ids.

    A format with a `rule` has the grades of pairs, decided by that rule; without one a format has
    the labels that stand.
    """

    write: Callable[[Sequence[ExportedLabel], AbstractSet[str]], Iterator[str]]
    options: tuple[FormatOption, ...] = ()
    #: Whether a line needs the votes behind its label.
    has_votes: bool = False
    rule: str = ""
    pandas: Callable[[AbstractSet[str], Sequence[str]], str]
    ir_datasets: Callable[[str], str]

    @property
    def pair_title(self) -> str:
        """The title of a file about pairs, which has a column more."""
        return self.title.replace("qid,", "qid,docno,").replace("qid and", "qid, docno and")


def converted_for_ir_datasets(pandas: str) -> str:
    """Return code for ir_datasets, which only reads queries separated by tabs.

    `pandas` is the code that reads the file with pandas.
    """
    return f"""\
import ir_datasets

{pandas}
with open("queries.tsv", "w", encoding="utf-8", newline="\\n") as lines:
    for qid, text in zip(queries["qid"], queries["query"]):
        lines.write(f"{{qid}}\\t{{text}}\\n")
dataset = ir_datasets.create_dataset(queries_tsv="queries.tsv")
for query in dataset.queries_iter():
    print(query.query_id, query.text)
"""


def breaks_lines(label: ExportedLabel) -> bool:
    """Return whether the id or the text of the label's query holds a line break."""
    return any(end in label.item_id + label.query for end in "\r\n")


def unwritable(label: ExportedLabel, instead: str) -> InputError:
    """Return the error for a query that a format without quoting cannot hold."""
    return InputError(
        f"the query {label.item_id!r} holds a separator or a line break that this layout cannot "
        "hold.",
        remedy=f"Use {instead}.",
    )
