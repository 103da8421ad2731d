"""What an export would hold, for the page that previews it and for the file itself."""

from dataclasses import dataclass

from annotation.core.versions import State
from annotation.labels.export.labels import lines
from annotation.labels.queries.labels import exported_labels, standing_counts, with_votes
from annotation.models import Batch, Labelling
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


def export_lines(
    *,
    batch: Batch,
    category: str,
    layout: str,
    quote: bool = False,
    header: bool = False,
    spreadsheet: bool = False,
    ties: bool = False,
) -> list[str]:
    """All lines of the file that `export_queries` writes with the same options.

    `InputError` where there are no labels, or a text does not fit the layout.
    """
    jsonl = layout == "jsonl"
    labels = exported_labels(batch=batch, category=category, ties=ties and jsonl)
    if jsonl:
        labels = with_votes(labels, batch=batch)
    return list(lines(labels, layout=layout, quote=quote, header=header, spreadsheet=spreadsheet))


def export_preview(
    *, batch: Batch, category: str, layout: str, ties: bool = False, **options: bool
) -> ExportPreview:
    """The beginning of that file; takes what `export_lines` takes."""
    jsonl = layout == "jsonl"
    try:
        labels = exported_labels(batch=batch, category=category, ties=ties and jsonl)
        # The other layouts may refuse a text anywhere; JSON lines hold any, but need the votes.
        written = with_votes(labels[:_PREVIEWED], batch=batch) if jsonl else labels
        found = list(lines(written, layout=layout, **options))
    except InputError as error:
        return ExportPreview("", 0, str(error))
    return ExportPreview("".join(found[:_PREVIEWED]), len(labels), "")


def labelling_state(batch: Batch) -> State:
    """How the labels of a batch are decided, as a person reads it."""
    held = Labelling.objects.filter(batch=batch).first()
    if held is None:
        return {"Labels": "not decided"}
    strict = ", with more than half of the votes" if held.strict else ""
    return {"Labels": f"{held.get_method_display()}{strict}, seed {held.seed}"}
