"""The content of an export, for the page that previews it and for the file itself."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, make_dataclass
from typing import Any

from annotation.core.parameters import ParametersError, parameter, read_parameters
from annotation.core.versions import State
from annotation.labels.export.file_formats import describe
from annotation.labels.export.formats import LABEL_FORMATS
from annotation.labels.export.label_formats.qrels import QRELS_THAT_STAND
from annotation.labels.export.labels import TIES, ExportedLabel, FormatOption, LabelFormat
from annotation.labels.queries.judgments import Judgments, judgments
from annotation.labels.queries.labels import (
    counts_by_option,
    exported_labels,
    standing_values,
    with_votes,
)
from annotation.labels.queries.questions import closed_question, codes_chosen
from annotation.models import Batch, Labelling
from annotation.schemes import ALL, LONGEST_NAME, Question
from annotation.vocabulary import TIE
from metrics.errors import InputError
from metrics.votes.deciding import MEDIAN

_PREVIEWED = 8


_OPTIONS = {
    option.name: option
    for label_format in LABEL_FORMATS.values()
    for option in label_format.options
}


#: The export of a question with grades where nobody chooses another: what trec_eval reads.
USUAL_QRELS = {"layout": QRELS_THAT_STAND, "category": ALL}


@dataclass(frozen=True, kw_only=True)
class ExportParameters:
    """Parameters of an export: labels and format."""

    question: str = parameter(
        "",
        max_length=LONGEST_NAME,
        allow_blank=True,
        label="Question",
        help_text="Question of the labels; left out, the only one with options that the batch "
        "asks.",
    )
    category: str = parameter(
        "",
        max_length=LONGEST_NAME,
        allow_blank=True,
        label="Queries",
        help_text=f"Queries with this label, as n; {ALL} for every labelled query. Left out: the "
        "subset that measures run on, which for the four categories is n.",
    )
    layout: str = parameter(
        next(iter(LABEL_FORMATS)),
        choices=[(layout.name, layout.title) for layout in LABEL_FORMATS.values()],
        style={"option": "format"},
        label="Format",
        help_text=describe(LABEL_FORMATS),
    )

    @property
    def format(self) -> LabelFormat:
        return LABEL_FORMATS[self.layout]

    @property
    def options(self) -> frozenset[str]:
        """The names of the options that are on."""
        return frozenset(name for name in _OPTIONS if getattr(self, name))

    def file_name(self, batch: Batch) -> str:
        question = closed_question(batch=batch, name=self.question)
        codes = codes_chosen(scheme=batch.scheme, question=question, category=self.category)
        which = codes[0] if len(codes) == 1 else self.category or "subset"
        named = [] if len(batch.scheme.closed) == 1 else [question.name]
        if not self.format.rule:
            named.append(which)
        stem = "-".join([batch.name, *(part.replace("/", "-") for part in named)])
        return f"{stem}.{self.format.extension}"


def _option_parameter(option: FormatOption) -> tuple[str, type, Any]:
    names = [layout.name for layout in LABEL_FORMATS.values() if option in layout.options]
    return (
        option.name,
        bool,
        parameter(
            default=False,
            label=f"{option.title} ({', '.join(names)})",
            help_text=f"{', '.join(names)}: {option.help_text}",
        ),
    )


#: Parameters with one for each option of a format.
EXPORT_PARAMETERS: type[ExportParameters] = make_dataclass(
    "ExportParameters",
    map(_option_parameter, _OPTIONS.values()),
    bases=(ExportParameters,),
    frozen=True,
    kw_only=True,
)


def read_export(values: Mapping[str, Any]) -> ExportParameters:
    """The parameters in `values`; `ParametersError` also for an option of another format."""
    parameters = read_parameters(EXPORT_PARAMETERS, values)
    foreign = parameters.options - {option.name for option in parameters.format.options}
    if foreign:
        wrong = f"{parameters.layout} has no such option."
        raise ParametersError({name: [wrong] for name in sorted(foreign)})
    if parameters.format.rule and parameters.category not in ("", ALL):
        raise ParametersError({"category": ["Qrels have the pairs of every grade."]})
    return parameters


@dataclass(frozen=True)
class LabelsOverview:
    """Labels of a question: the method that decided them, their number by option and by value."""

    labelling: Labelling
    counts: dict[str, int]
    n_ties: int
    values: Mapping[str, int]

    @property
    def n_labels(self) -> int:
        """The number of labelled queries; a tie is not a label."""
        return sum(self.values.values()) - self.n_ties


@dataclass(frozen=True)
class ExportPreview:
    """The first lines of the file and its number of queries, or why it cannot be written."""

    first: str
    n_queries: int
    problem: str
    left_out: str = ""


@dataclass(frozen=True)
class Export:
    """Content of a file; of qrels also how many pairs they leave out."""

    labels: list[ExportedLabel]
    judgments: Judgments | None = None

    @property
    def left_out(self) -> str:
        return self.judgments.left_out if self.judgments else ""


def labels_overview(*, batch: Batch, question: Question) -> LabelsOverview | None:
    """The labels of the question that stand; None before they are decided."""
    labelling = Labelling.objects.filter(batch=batch, question=question.name).first()
    if labelling is None:
        return None
    values = standing_values(batch=batch, question=question)
    counts = counts_by_option(values)
    by_option = {code: counts[code] for code in question.codes}
    return LabelsOverview(labelling, by_option, counts[TIE], values)


def export_content(*, batch: Batch, parameters: ExportParameters) -> Export:
    """The content of the file; `InputError` where there are no labels."""
    question = closed_question(batch=batch, name=parameters.question)
    export = _export(batch, question, parameters)
    if not parameters.format.has_votes:
        return export
    return Export(with_votes(export.labels, batch=batch, question=question))


def lines_of(labels: Sequence[ExportedLabel], parameters: ExportParameters) -> Iterator[str]:
    """The file's lines; `InputError` for a text that the format cannot hold."""
    return parameters.format.write(labels, parameters.options)


def export_lines(*, batch: Batch, parameters: ExportParameters) -> list[str]:
    """All lines of the file.

    `InputError` where there are no labels, or the format cannot hold a text.
    """
    return list(lines_of(export_content(batch=batch, parameters=parameters).labels, parameters))


def export_preview(*, batch: Batch, parameters: ExportParameters) -> ExportPreview:
    """The beginning of that file."""
    try:
        question = closed_question(batch=batch, name=parameters.question)
        export = _export(batch, question, parameters)
        # A format may refuse a text anywhere; formats with votes accept all, and votes take long.
        has_votes = parameters.format.has_votes
        few = export.labels[:_PREVIEWED]
        written = with_votes(few, batch=batch, question=question) if has_votes else export.labels
        first = list(lines_of(written, parameters))[:_PREVIEWED]
    except InputError as error:
        return ExportPreview("", 0, str(error))
    return ExportPreview("".join(first), len(export.labels), "", export.left_out)


def _export(batch: Batch, question: Question, parameters: ExportParameters) -> Export:
    if rule := parameters.format.rule:
        graded = judgments(batch=batch, question=question, rule=rule)
        return Export(graded.labels, graded)
    ties = TIES.name in parameters.options
    category = parameters.category
    return Export(exported_labels(batch=batch, question=question, category=category, ties=ties))


def labelling_state(batch: Batch, question: Question) -> State:
    """Return the state of a question's labels, as a person reads it."""
    held = Labelling.objects.filter(batch=batch, question=question.name).first()
    if held is None:
        return {"Labels": "not decided"}
    strict = ""
    if held.strict:
        is_median = held.method == MEDIAN
        strict = ", middles apart a tie" if is_median else ", with more than half of the votes"
    return {"Labels": f"{held.get_method_display()}{strict}, seed {held.seed}"}
