"""What an export would hold, for the page that previews it and for the file itself."""

from dataclasses import dataclass
from itertools import islice

from annotation.export.labels import lines
from annotation.models import Batch, Labelling
from annotation.selectors.labels import exported_labels, standing_counts
from annotation.vocabulary import TIE, Category
from metrics.errors import InputError

_PREVIEWED = 8


@dataclass(frozen=True)
class LabelsOverview:
    """How the batch's labels were decided, and how many there are of each; None for none yet."""

    labelling: Labelling
    counts: dict[str, int]
    n_ties: int


@dataclass(frozen=True)
class ExportPreview:
    """The first lines of the file, how many it has, or why it cannot be written."""

    first: str
    n_lines: int
    problem: str


def labels_overview(*, batch: Batch) -> LabelsOverview | None:
    labelling = Labelling.objects.filter(batch=batch).first()
    if labelling is None:
        return None
    counts = standing_counts(labelling=labelling)
    return LabelsOverview(labelling, {code: counts[code] for code in Category.values}, counts[TIE])


def export_lines(
    *,
    batch: Batch,
    category: str,
    layout: str,
    quote: bool = False,
    spreadsheet: bool = False,
    ties: bool = False,
) -> list[str]:
    """All lines of the file that `export_queries` writes with the same options.

    `InputError` where there are no labels, or a text does not fit the layout.
    """
    jsonl = layout == "jsonl"
    labels = exported_labels(batch=batch, category=category, ties=ties and jsonl, votes=jsonl)
    return list(lines(labels, layout=layout, quote=quote, spreadsheet=spreadsheet))


def export_preview(
    *,
    batch: Batch,
    category: str,
    layout: str,
    quote: bool = False,
    spreadsheet: bool = False,
    ties: bool = False,
) -> ExportPreview:
    """The beginning of that file."""
    try:
        found = export_lines(
            batch=batch,
            category=category,
            layout=layout,
            quote=quote,
            spreadsheet=spreadsheet,
            ties=ties,
        )
    except InputError as error:
        return ExportPreview("", 0, str(error))
    return ExportPreview("".join(islice(found, _PREVIEWED)), len(found), "")
