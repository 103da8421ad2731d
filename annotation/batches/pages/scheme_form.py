"""The form of a scheme: a field for everything that it can say, with what is wrong beside it."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from django import forms
from django.utils.text import capfirst

from annotation.batches.pages.scheme_draft import (
    FIRST_POINT,
    OptionDraft,
    QuestionDraft,
    SchemeDraft,
)
from annotation.batches.pages.scheme_wrong import Wrong
from annotation.schemes import About, Level
from annotation.schemes.kinds import KINDS
from annotation.schemes.scheme import ENGLISH
from annotation.task_page import languages

_LEVELS = {
    Level.NOMINAL: "None",
    Level.ORDINAL: "An order",
    Level.INTERVAL: "An order with equal distances",
}


_ITEMS = {About.QUERY: "Queries", About.PASSAGE: "Pairs"}


class _PartForm(forms.Form):
    """Fields filled with what was typed, which only a scheme's own checks call wrong."""

    use_required_attribute = False
    #: What the part is called, and its fields that are called so too.
    noun, chief = "", frozenset[str]()

    def __init__(self, typed: Mapping[str, Any], key: str, wrong: Wrong) -> None:
        super().__init__(initial=dict(typed), prefix=key or None)
        for name, field in self.fields.items():
            field.required = False
            if problems := wrong.get(self.add_prefix(name)):
                self.errors[name] = self.error_class(problems)

    def choices(self, **choices: Iterable[tuple[str, str]]) -> None:
        for name, of_field in choices.items():
            field = self.fields[name]
            assert isinstance(field, forms.ChoiceField)  # noqa: S101 - tells its type
            field.choices = list(of_field)

    def without(self, *names: str) -> None:
        for name in names:
            del self.fields[name]

    @property
    def is_wrong(self) -> bool:
        return bool(self.errors)


def _lines(rows: int) -> forms.Textarea:
    return forms.Textarea({"rows": rows})


def _boxes() -> forms.MultipleChoiceField:
    return forms.MultipleChoiceField(widget=forms.CheckboxSelectMultiple)


def _refreshing() -> forms.Select:
    """A list on which other fields depend: the script shows the form again once it changes."""
    return forms.Select({"data-refresh": ""})


class TextsForm(_PartForm):
    title = forms.CharField()
    language = forms.ChoiceField(choices=lambda: list(languages().items()), initial=ENGLISH)
    instructions = forms.CharField(
        widget=_lines(3), help_text="Workers read this before they judge anything."
    )
    content_warning = forms.CharField(
        widget=_lines(2), help_text="If you give one, annotators may leave out whatever they like."
    )


class SchemeNamesForm(_PartForm):
    name = forms.CharField(
        label="Name in files", help_text="Small letters, digits and _. Empty: made of the title."
    )
    source = forms.CharField(help_text="Where the questions come from, such as a publication.")
    hit_title = forms.CharField(
        label="Title of HITs", help_text="How a crowd lists the work. Empty: the title above."
    )
    hit_description = forms.CharField(
        label="Description of HITs", widget=_lines(3), help_text="Empty: the instructions."
    )
    hit_keywords = forms.CharField(label="Keywords of HITs", help_text="Separate them by commas.")


class QuestionForm(_PartForm):
    chief = frozenset({"text"})
    text = forms.CharField(label="Question")
    kind = forms.ChoiceField(
        label="Answer",
        choices=[(kind.name, kind.words) for kind in KINDS.values()],
        widget=_refreshing(),
    )
    help = forms.CharField(label="Help", widget=_lines(2))
    name = forms.CharField(
        label="Name in files",
        help_text="Small letters, digits and _. Empty: made of the question.",
    )
    level = forms.ChoiceField(label="Order of its options")
    first = forms.CharField(
        label="Number of the first point",
        widget=forms.TextInput({"inputmode": "numeric", "placeholder": FIRST_POINT}),
    )
    required = forms.BooleanField(label="Must be answered")
    cannot_tell = forms.BooleanField(label="Offers “I cannot tell”")
    after = forms.ChoiceField(label="Asked only after an answer to", widget=_refreshing())
    any_of = _boxes()

    def __init__(self, draft: SchemeDraft, question: QuestionDraft, wrong: Wrong) -> None:
        super().__init__(question.typed, question.key, wrong)
        self.question = question
        self.number = draft.questions.index(question) + 1
        self.noun, self.add_id = f"question {self.number}", f"{question.key}-add"
        self.is_first, self.is_last = self.number == 1, self.number == len(draft.questions)
        self.has_options = question.kind.has_options
        self.options = [
            OptionForm(question, option, self.noun, wrong) for option in question.options
        ]
        self.may_lack_none = question.kind.takes_several and not any(
            option.typed.get("alone") for option in question.options
        )
        self.options_wrong = wrong.get(f"{question.key}-options", [])
        levels = question.kind.levels
        if len(levels) == 1:
            self.without("level")
        else:
            self.choices(level=[(level.value, _LEVELS[level]) for level in levels])
        if not question.kind.has_points:
            self.without("first")
        self._condition(draft, question)

    @property
    def is_more_open(self) -> bool:
        return bool({*self.errors} - {"text", "kind"})

    def _condition(self, draft: SchemeDraft, question: QuestionDraft) -> None:
        before = draft.question(str(question.typed.get("after", "")))
        earlier = [
            candidate
            for candidate in draft.questions
            if (candidate.kind.has_options and draft.questions.index(candidate) < self.number - 1)
            or candidate is before
        ]
        self.choices(after=[("", "nothing: always asked"), *_named(earlier)])
        if before is None:
            self.without("any_of")
        else:
            self.fields["any_of"].label = f"Asked if the answer to “{before.words}” is"
            self.fields["any_of"].help_text = "If you mark none, after any answer."
            self.choices(any_of=_named(before.filled))


class OptionForm(_PartForm):
    chief = frozenset({"label"})
    label = forms.CharField()
    definition = forms.CharField(widget=_lines(2))
    examples = forms.CharField(label="Examples that it fits, one per line", widget=_lines(2))
    counter_example = forms.CharField(
        label="Counter-example", help_text="Something that seems to fit, but does not."
    )
    counter_reason = forms.CharField(label="Why it does not fit")
    key = forms.CharField(label="Key on the task page", help_text="A digit or a small letter.")
    code = forms.CharField(label="Code in files", help_text="Empty: made of the label.")
    alone = forms.BooleanField(label="Cannot be chosen with others", help_text="As none of these.")

    def __init__(self, question: QuestionDraft, option: OptionDraft, of: str, wrong: Wrong) -> None:
        super().__init__(option.typed, option.key, wrong)
        self.option = option
        at = question.options.index(option)
        self.number, self.is_first, self.is_last = at + 1, at == 0, option is question.options[-1]
        if not question.kind.takes_several:
            self.without("alone")
        short = f"option {self.number}"
        if question.kind.has_points:
            self.without("code")
            short = f"point {question.codes()[option.key]}"
        self.fields["label"].label, self.noun = capfirst(short), f"{short} of {of}"

    @property
    def is_more_open(self) -> bool:
        return bool({*self.errors} - {"label"})


class SubsetForm(_PartForm):
    words = forms.CharField(
        label="What they are called in reports",
        help_text="Such as “queries that name no religion”. Empty: made of the answers.",
    )
    question = forms.ChoiceField(label="Decided by the answer to", widget=_refreshing())
    any_of = _boxes()
    none_of = _boxes()
    at_least = forms.ChoiceField(label="From this point of the scale")
    at_most = forms.ChoiceField(label="Up to this point")

    def __init__(self, draft: SchemeDraft, wrong: Wrong) -> None:
        question = draft.subset_question()
        typed = {**draft.subset, "question": question.key if question else ""}
        super().__init__(typed, "subset", wrong)
        #: Whether somebody said which it is.
        self.is_own = any(value for name, value in draft.subset.items() if name != "question")
        self.choices(
            question=_named(
                candidate for candidate in draft.questions if candidate.kind.has_options
            )
        )
        options = question.filled if question else []
        self.fields["any_of"].label = f"{_ITEMS[draft.about]} with one of these answers"
        self.fields["none_of"].label = "Leave out those with one of these answers"
        if not options:
            self.without("any_of", "none_of")
        else:
            self.choices(any_of=_named(options), none_of=_named(options))
        if question is None or not question.kind.has_points:
            self.without("at_least", "at_most")
        else:
            points = [("", "any"), *_points(question)]
            self.choices(at_least=points, at_most=points)


class SchemeForm:
    """The forms of a scheme and of its parts. The field with the id `focus` begins with it."""

    def __init__(self, draft: SchemeDraft, wrong: Wrong, focus: str = "") -> None:
        self.texts = TextsForm({"language": ENGLISH, **draft.typed}, "", wrong)
        self.names = SchemeNamesForm(draft.typed, "", wrong)
        self.questions = [QuestionForm(draft, question, wrong) for question in draft.questions]
        self.questions_wrong = wrong.get("questions", [])
        self.subset = SubsetForm(draft, wrong)
        for form in self.parts():
            for field in form:
                if field.auto_id == focus:
                    field.field.widget.attrs["autofocus"] = True

    def parts(self) -> Iterator[_PartForm]:
        yield from (self.texts, self.names, self.subset)
        for question in self.questions:
            yield question
            yield from question.options

    def wrong_fields(self) -> Iterator[tuple[str, str]]:
        """The id of each place where something is wrong, and what it is called."""
        for form in self.parts():
            for field in form:
                if field.errors:
                    names = (form.noun, "" if field.name in form.chief else str(field.label))
                    yield (
                        field.id_for_label or f"{field.auto_id}_error",
                        ": ".join(filter(None, names)),
                    )
            if isinstance(form, QuestionForm) and form.options_wrong:
                yield f"{form.question.key}-options", f"the options of {form.noun}"


def _named(parts: Iterable[QuestionDraft | OptionDraft]) -> list[tuple[str, str]]:
    return [(part.key, part.words or "(nothing typed yet)") for part in parts]


def _points(question: QuestionDraft) -> Sequence[tuple[str, str]]:
    codes = question.codes()
    named = {option.key: option.typed.get("label") for option in question.filled}
    return [
        (key, f"{code}: {named[key]}" if named[key] not in {None, "", code} else code)
        for key, code in codes.items()
    ]
