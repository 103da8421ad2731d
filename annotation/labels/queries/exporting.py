"""What an export would hold, for the page that previews it and for the file itself."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from annotation.core.parameters import parameter
from annotation.core.versions import State
from annotation.labels.export.labels import FORMATS, ExportedLabel, lines
from annotation.labels.queries.labels import exported_labels, standing_counts, with_votes
from annotation.models import Batch, Labelling
from annotation.vocabulary import TIE, Category
from metrics.errors import InputError

_PREVIEWED = 8


@dataclass(frozen=True, kw_only=True)
class ExportParameters:
    """Which labels to export, and how."""

    category: str = parameter(
        "n",
        choices=[*Category.values, "all"],
        help_text="Write the queries of this category only.",
    )
    layout: str = parameter(
        "csv",
        choices=FORMATS,
        style={"option": "format"},
        help_text="csv: qid,query,label as released, no header; tsv: qid<TAB>query; jsonl: all "
        "that is known about a label.",
    )
    quote: bool = parameter(
        default=False, help_text="csv: quote cells that need it (standard CSV)."
    )
    header: bool = parameter(
        default=False,
        help_text="csv: standard CSV below the header qid,query,label, as pandas.read_csv reads "
        "it.",
    )
    spreadsheet: bool = parameter(
        default=False,
        help_text="For programs that guess what a cell is: a byte order mark, and every cell text.",
    )
    ties: bool = parameter(
        default=False,
        help_text='jsonl: also write the queries without a majority, with the label "tie".',
    )

    @property
    def is_jsonl(self) -> bool:
        return self.layout == "jsonl"


@dataclass(frozen=True)
class LabelsOverview:
    """How the batch's labels were decided, and how many there are of each; None for none yet."""

    labelling: Labelling
    counts: dict[str, int]
    n_ties: int


@dataclass(frozen=True)
class ExportPreview:
    """The first lines of the file, how many queries it has, or why it cannot be written."""

    first: str
    n_queries: int
    problem: str


def labels_overview(*, batch: Batch) -> LabelsOverview | None:
    labelling = Labelling.objects.filter(batch=batch).first()
    if labelling is None:
        return None
    counts = standing_counts(batch=batch)
    return LabelsOverview(labelling, {code: counts[code] for code in Category.values}, counts[TIE])


def labels_to_export(*, batch: Batch, parameters: ExportParameters) -> list[ExportedLabel]:
    """The labels that the file holds; `InputError` where there are none."""
    labels = _labels(batch, parameters)
    return with_votes(labels, batch=batch) if parameters.is_jsonl else labels


def lines_of(labels: Sequence[ExportedLabel], parameters: ExportParameters) -> Iterator[str]:
    """The file's lines; `InputError` for a text that does not fit the layout."""
    flags = {
        "quote": parameters.quote,
        "header": parameters.header,
        "spreadsheet": parameters.spreadsheet,
    }
    return lines(labels, layout=parameters.layout, **flags)


def export_lines(*, batch: Batch, parameters: ExportParameters) -> list[str]:
    """All lines of the file that `export_queries` writes with the same options.

    `InputError` where there are no labels, or a text does not fit the layout.
    """
    return list(lines_of(labels_to_export(batch=batch, parameters=parameters), parameters))


def export_preview(*, batch: Batch, parameters: ExportParameters) -> ExportPreview:
    """The beginning of that file."""
    try:
        labels = _labels(batch, parameters)
        # The other layouts may refuse a text anywhere; JSON lines hold any, but need the votes.
        is_jsonl = parameters.is_jsonl
        written = with_votes(labels[:_PREVIEWED], batch=batch) if is_jsonl else labels
        found = list(lines_of(written, parameters))
    except InputError as error:
        return ExportPreview("", 0, str(error))
    return ExportPreview("".join(found[:_PREVIEWED]), len(labels), "")


def _labels(batch: Batch, parameters: ExportParameters) -> list[ExportedLabel]:
    ties = parameters.ties and parameters.is_jsonl
    return exported_labels(batch=batch, category=parameters.category, ties=ties)


def labelling_state(batch: Batch) -> State:
    """How the labels of a batch are decided, as a person reads it."""
    held = Labelling.objects.filter(batch=batch).first()
    if held is None:
        return {"Labels": "not decided"}
    strict = ", with more than half of the votes" if held.strict else ""
    return {"Labels": f"{held.get_method_display()}{strict}, seed {held.seed}"}
