"""The form of a bias report."""

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import Any, NamedTuple

from django import forms
from django.db.models import Exists, OuterRef

from annotation.core.forms import form_fields
from annotation.core.names_sent import chosen
from annotation.core.parameters import fields_of
from annotation.labels.queries.raters import rater_question, raters_for
from annotation.models import Batch, Labelling, ModelRater, Study, StudyReport, Vote
from annotation.reports.operations.create import CreateReportParameters
from annotation.reports.operations.request import LARGEST_CUTOFF, MOST_CUTOFFS
from annotation.reports.queries.choice import ReportChoice
from annotation.reports.queries.pair_labels import kind_of
from annotation.reports.queries.view import ReportView
from annotation.schemes import ALL, About
from annotation.vocabulary import MAGNITUDE_CHOICES, FileKind
from metrics.reports.build import BIAS_MAGNITUDES
from metrics.vocabulary import COLLECTION, CUTOFFS

#: Usual endings of the names of randomly initialised twins.
_TWIN_SUFFIXES = ("_RND", "-RND", "(RND)", "_rnd", "-rnd", "_random", "-random", "_Random")
_PAIR = "twin_"
_EXAMPLE = ",".join(map(str, CUTOFFS))


class Section(NamedTuple):
    """Fields that are folded under a title, and what they say."""

    title: str
    says: str
    fields: list[forms.BoundField]
    is_open: bool


class ReportForm(forms.Form):
    """A new report on some of the study's runs; its choices are those of the study."""

    runs = forms.MultipleChoiceField(widget=forms.CheckboxSelectMultiple, label="Runs")
    scored = forms.ChoiceField(label="Scored collection")
    sensitivity = forms.MultipleChoiceField(
        widget=forms.CheckboxSelectMultiple,
        required=False,
        label="Also scored as",
        help_text="The same collection scored in another way: a table shows how much the bias "
        "depends on word list, tokenizer and magnitude.",
    )
    batches = forms.MultipleChoiceField(
        widget=forms.CheckboxSelectMultiple,
        required=False,
        label="Labels of",
        help_text="Without a batch, every query of the runs is measured.",
    )
    judgments = forms.MultipleChoiceField(
        widget=forms.CheckboxSelectMultiple,
        required=False,
        label="Judgments of",
        help_text="Batches of pairs whose labels judge the passages: relevance for MRR, Recall and "
        "nDCG, gender for LabelRaB.",
    )
    judges = forms.MultipleChoiceField(
        widget=forms.CheckboxSelectMultiple,
        required=False,
        label="Beside judgments of models",
        help_text="A table then has each figure by people, by the model, and corrected.",
    )
    magnitudes = forms.MultipleChoiceField(
        widget=forms.CheckboxSelectMultiple,
        choices=MAGNITUDE_CHOICES,
        initial=BIAS_MAGNITUDES,
        label="Magnitudes",
    )
    cutoffs = forms.CharField(initial=_EXAMPLE, label="Cut-offs")
    baseline = forms.ChoiceField(required=False, label="Baseline run")
    background = forms.ChoiceField(
        required=False,
        label="Background of NFaiRR",
        help_text="Whose documents are re-ordered for the ideal.",
    )

    def __init__(
        self,
        study: Study,
        data: Mapping[str, Any] | None = None,
        *,
        like: Mapping[str, Any] | None = None,
        batch: str = "",
    ) -> None:
        """With `like`, the parameters of an earlier report, the form begins with those.

        `batch` is the number of the batch whose labels to use, by default the latest, with labels
        rather than only answers. A batch of pairs judges passages, and chooses no queries.
        """
        super().__init__(data)
        files = list(study.files.filter(archived_at=None).order_by("kind", "name"))
        self._runs = [file.name for file in files if file.kind == FileKind.RUN]
        scored = [file for file in files if file.kind == FileKind.MAGNITUDES]
        names = [(name, name) for name in self._runs]
        pools = study.pools.filter(pool__archived_at=None).select_related("pool")
        latest = pools.order_by("-pool__pk").first()
        for rule in ("missing", "order"):
            # Measured as pooled, unless somebody chooses otherwise.
            self.fields[rule].initial = latest.pool.inputs.get(rule) if latest else None
        none = [("", "None")]
        self._choices("runs", names, self._runs)
        scores = [(f.name, f.name) for f in sorted(scored, key=lambda f: -f.pk)]
        self._choices("scored", scores)
        self._choices("sensitivity", scores)
        if len(scored) < 2:  # noqa: PLR2004 - there is no other
            del self.fields["sensitivity"]
        labelled = Labelling.objects.filter(batch=OuterRef("pk"))
        answered = Exists(Vote.objects.filter(query__batch=OuterRef("pk")))
        kept = study.batches.filter(archived_at=None).order_by("-pk")
        rows = kept.annotate(is_labelled=Exists(labelled), is_answered=answered)
        # Without labels the rule of the question's kind decides.
        usable = [row for row in rows if row.is_labelled or row.is_answered]
        usable.sort(key=lambda row: not row.is_labelled)
        of_pairs = [row for row in usable if row.scheme.about == About.PASSAGE]
        self._offer_judgments(study, of_pairs, meant=batch)
        usable = [row for row in usable if row.scheme.about == About.QUERY]
        self.fields["category"] = _category_field(usable)
        batches = [(str(row.pk), row.name) for row in usable]
        meant = [number for number, _ in batches if number == batch]
        if not any(str(row.pk) == batch for row in of_pairs):
            meant = meant or [number for number, _ in batches[:1]]
        self._choices("batches", batches, meant)
        for name in () if batches else ("category", "method"):
            self.fields[name].disabled = True
            self.fields[name].help_text = "Not available: no batch of the study has labels yet."
        self._choices("baseline", none + names, self._runs[:1])
        self._choices("background", [(COLLECTION, "The whole collection"), *names])
        if all(file.kind != FileKind.QRELS for file in files):
            del self.fields["with_qrels"]
        for place, name in enumerate(self._runs):
            self.fields[f"{_PAIR}{place}"] = forms.ChoiceField(
                choices=none + [choice for choice in names if choice[0] != name],
                required=False,
                label=name,
                initial=_twin_of(name, self._runs),
            )
        self.is_possible = bool(names and scored)
        if like:
            self.initial = self._filled_in(like)

    def _offer_judgments(self, study: Study, batches: Sequence[Batch], meant: str) -> None:
        """Offer the batches of pairs and the models whose labels a measure reads, if any."""
        judged = [row for row in batches if kind_of(row.scheme.subset_question)]
        names = {row.scheme.subset.question for row in judged}
        raters = study.model_raters.filter(question__in=names).order_by("name", "pk")
        numbers = [(str(row.pk), row.name) for row in judged]
        self._choices("judgments", numbers, [number for number, _ in numbers if number == meant])
        models = [(str(row.pk), f"{row.name}: {rater_question(row).title}") for row in raters]
        chosen_batches = [row for row in judged if str(row.pk) == meant]
        beside = [_model_beside(row) for row in chosen_batches]
        self._choices("judges", models, [str(rater.pk) for rater in beside if rater])
        for pool in (row.pool for row in chosen_batches if row.pool):
            # Below the depth of the pool nobody judged anything.
            judged_ranks = [rank for rank in CUTOFFS if rank <= pool.cutoff] or [pool.cutoff]
            self.fields["cutoffs"].initial = ",".join(map(str, judged_ranks))
        for name in ("judgments", "judged_by") if not judged else ():
            del self.fields[name]
        for name in ("judges", "half_width", "target") if not models else ():
            del self.fields[name]

    def _choices(
        self, name: str, choices: Sequence[tuple[str, str]], initial: Sequence[str] = ()
    ) -> None:
        field: Any = self.fields[name]
        field.choices = choices
        several = isinstance(field, forms.MultipleChoiceField)
        field.initial = list(initial) if several else next(iter(initial), None)

    def _filled_in(self, like: Mapping[str, Any]) -> dict[str, Any]:
        """The fields of a report with these parameters."""
        same = {name: like[name] for name in self.fields if name in like}
        paired = like.get("paired", {})
        return {
            **same,
            **{
                name: [str(number) for number in like.get(name, ())]
                for name in ("batches", "judgments", "judges")
            },
            "cutoffs": ",".join(map(str, like.get("cutoffs", CUTOFFS))),
            **{f"{_PAIR}{n}": paired.get(name, "") for n, name in enumerate(self._runs)},
        }

    @property
    def decided(self) -> list[forms.BoundField]:
        """The fields that every report decides anew."""
        return [self[name] for name in _DECIDED if name in self.fields]

    @property
    def sections(self) -> list[Section]:
        """All other fields, folded; a section says its values and opens where one is wrong."""
        twins = [field.name for field in self if field.name.startswith(_PAIR)]
        names = {**_SECTIONS, _TWINS: twins}
        return [
            Section(title, _says(fields), fields, any(field.errors for field in fields))
            for title in names
            if (fields := [self[name] for name in names[title] if name in self.fields])
        ]

    def clean_cutoffs(self) -> tuple[int, ...]:
        parts = [part.strip() for part in self.cleaned_data["cutoffs"].split(",") if part.strip()]
        if not parts or not all(part.isdecimal() and part.isascii() for part in parts):
            raise forms.ValidationError(f"Write ranks like {_EXAMPLE}.")
        cutoffs = sorted({int(part[:6]) for part in parts})
        if cutoffs[0] < 1 or cutoffs[-1] > LARGEST_CUTOFF or len(cutoffs) > MOST_CUTOFFS:
            raise forms.ValidationError(
                f"At most {MOST_CUTOFFS} ranks, from 1 to {LARGEST_CUTOFF:,}."
            )
        return tuple(cutoffs)

    def parameters(self) -> dict[str, Any]:
        """The valid form as parameters of the operation."""
        filled = {name: value for name, value in self.cleaned_data.items() if value != ""}
        twins = {name: filled.get(f"{_PAIR}{place}") for place, name in enumerate(self._runs)}
        paired = {name: twin for name, twin in twins.items() if twin and name in filled["runs"]}
        names = fields_of(CreateReportParameters)
        return {name: filled[name] for name in names if name in filled} | {"paired": paired}


_DECIDED = ("runs", "batches", "judgments")
_TWINS = "Randomly initialised twins, for the changes of Table 3"
_SECTIONS = {
    "Measures": (
        *("magnitudes", "cutoffs", "scored", "sensitivity", "background", "missing", "order"),
        "with_qrels",
    ),
    "Queries": ("category", "method", "population"),
    "Judgments": ("judged_by", "judges", "half_width", "target"),
    "Comparisons": ("baseline", "test", "correction", "family", "margin", "detect"),
    "Name": ("name",),
}
_DECLARED = ReportForm.base_fields | form_fields(CreateReportParameters)
ReportForm.base_fields = {
    name: _DECLARED[name] for name in (*_DECIDED, *chain(*_SECTIONS.values()))
}


#: Fields whose values a folded section says.
_SUMMARISED = (
    "magnitudes",
    "cutoffs",
    "category",
    "method",
    "judged_by",
    "judges",
    "baseline",
    "test",
)


def _says(fields: Iterable[forms.BoundField]) -> str:
    """The values that a folded section has, with the names of its fields."""
    values = [(field.label, _in_words(field)) for field in fields if field.name in _SUMMARISED]
    return "; ".join(f"{label}: {words}" for label, words in values if words)


def _in_words(field: forms.BoundField) -> str:
    """The value of a field as its choices call it, without what they add behind a colon."""
    value, titles = field.value(), dict(chain(*map(_flat, getattr(field.field, "choices", ()))))
    values = value if isinstance(value, list | tuple) else [value or ""]
    return ", ".join(str(titles.get(code, code)).partition(":")[0] for code in values)


def _flat(choice: tuple[Any, Any]) -> list[tuple[Any, Any]]:
    """The choices of a group, or the one choice."""
    return list(choice[1]) if isinstance(choice[1], list | tuple) else [choice]


def _category_field(batches: Iterable[Batch]) -> forms.ChoiceField:
    """The options of the questions that make the subsets of these batches."""
    schemes = [batch.scheme for batch in batches]
    questions = [scheme.subset_question for scheme in schemes]
    options = {question.name: [*question.labels.items()] for question in reversed(questions)}
    usual, every = ("", "The subset that measures run on"), (ALL, "All that have an answer")
    choices: list[Any] = [*options.items()] if len(options) > 1 else [*chain(*options.values())]
    return forms.ChoiceField(
        choices=[usual, *choices, every], required=False, label="Which queries"
    )


def _model_beside(batch: Batch) -> ModelRater | None:
    """The latest model that answered the question of the batch about some of its pairs."""
    question = batch.scheme.subset_question
    raters = raters_for(study=batch.study, question=question)
    labelled = raters.filter(labels__qid__in=batch.queries.values("qid")).distinct()
    return labelled.order_by("-pk").first()


def _twin_of(name: str, runs: Sequence[str]) -> str:
    return next((name + suffix for suffix in _TWIN_SUFFIXES if name + suffix in runs), "")


CHOICE_NAMES = tuple(field.name for field in dataclasses.fields(ReportChoice))


def view_of(report: StudyReport, query: Mapping[str, str]) -> ReportView:
    """Return the view that the address selects; refuse values that the report does not have."""
    cutoff = chosen(query, "cutoff", map(str, report.parameters["cutoffs"]))
    names = [name for name in CHOICE_NAMES if name != "cutoff"]
    choice = {name: query.get(name, "") for name in names}
    view = ReportView(report, ReportChoice(cutoff=int(cutoff or 0), **choice))
    chosen(query, "against", [*view.runs, "paired"])
    chosen(query, "run", view.runs)
    chosen(query, "magnitude", view.magnitudes)
    chosen(query, "measure", [value for value, _ in view.measures])
    chosen(query, "bin", ["zero", *map(str, range(len(view.histogram)))])
    return view
