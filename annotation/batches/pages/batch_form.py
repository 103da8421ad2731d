"""The form of a new batch: the operation's parameters in sections, and files to paste."""

from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Any, Self

from django import forms
from django.contrib.auth.models import AnonymousUser
from django.core.exceptions import ValidationError
from django.core.validators import ProhibitNullCharactersValidator
from django.db.models import Avg, Count
from django.db.models.functions import Length
from django.utils.functional import cached_property
from django.utils.text import capfirst

from annotation.batches.operations.comprehension import PASSING
from annotation.batches.operations.create import CREATE_BATCH, BatchEstimate, plan_of
from annotation.batches.operations.gold_pairs import GOLD_PAIRS
from annotation.batches.operations.planning import BatchPlan, WorkerConditions, condition_problems
from annotation.batches.operations.terms import (
    AdaptiveParameters,
    ConditionsParameters,
    CreateBatchParameters,
    LengthField,
)
from annotation.batches.pages.batch_sections import COUNTING_FIELDS, SECTIONS, Section
from annotation.batches.pages.pasted import PastedGold, PastedQueries, PastedText, problem_of
from annotation.batches.queries.pay import proposed_reward
from annotation.batches.queries.schemes import own_schemes
from annotation.core.access import (
    User,
    batches_open_to,
    is_staff,
    pools_open_to,
    studies_open_to,
)
from annotation.core.counting import about_items
from annotation.core.durations import DAY, parse_seconds
from annotation.core.forms import add_errors, form_fields
from annotation.core.names import free_name, new_among
from annotation.core.operations import Actor
from annotation.core.parameters import ParametersError, TermError, fields_of, read_parameters
from annotation.core.perform import estimate
from annotation.models import Batch, Study
from annotation.schemes import (
    BLANK,
    KNOWN_ANSWERS,
    About,
    Question,
    blank_scheme,
    built_in_scheme,
    built_in_schemes,
    schemes_about,
)
from annotation.vocabulary import CATEGORY_QUESTION, Action, Category
from metrics.errors import InputError
from metrics.votes.adaptive import FIRST
from pooling.items import item_noun
from pooling.models import Pool


class LengthOfTime(forms.CharField):
    """A parameter's `7d`, `12h`, `30m`, or a number that counts its unit; cleaned to seconds."""

    def __init__(self, field: LengthField) -> None:
        texts: dict[str, Any] = {"label": field.label, "help_text": field.help_text}
        super().__init__(max_length=20, required=False, initial=field.style["usual"], **texts)
        self._field = field

    def clean(self, value: Any) -> int | None:
        text = super().clean(value)
        if not text:
            return None
        try:
            seconds = parse_seconds(text, unit=self._field.style["unit"])
        except InputError as error:
            raise ValidationError(str(error)) from None
        least, most = self._field.min_value or 0, self._field.max_value or 0
        if not least <= seconds <= most:
            raise ValidationError(f"From {least} seconds to {most // DAY} days.")
        return seconds


class Locales(forms.CharField):
    """Country codes between commas or blanks."""

    def clean(self, value: Any) -> tuple[str, ...]:
        codes = tuple(super().clean(value).replace(",", " ").split())
        problems = condition_problems(WorkerConditions(locales=codes))
        if problems:
            raise ValidationError(f"{'; '.join(problems)}.")
        return codes


#: Characters of pasted text; a request may bring two and a half megabytes.
_LIMIT = 1_000_000
_SMALL_LIMIT = 100_000
_KNOWN = f"one of {', '.join(Category)}; where other things are asked, {KNOWN_ANSWERS}"
_LINES = "One per line: qid, a tab, the text; or qid,text,label."


def _user(who: Actor) -> User:
    return who.user or AnonymousUser()


class _ByName:
    """A field of rows that are chosen by name: PostgreSQL cannot be asked for one with NUL."""

    def clean(self, value: Any) -> Any:
        ProhibitNullCharactersValidator()("".join(value or ()))
        return super().clean(value)  # type: ignore[misc]


class _Choice(_ByName, forms.ModelChoiceField):  # type: ignore[type-arg]
    pass


class _Choices(_ByName, forms.ModelMultipleChoiceField):  # type: ignore[type-arg]
    pass


class BatchForm(forms.Form):
    """The parameters of `CREATE_BATCH`; empty fields have its defaults."""

    pool = _Choice(
        Pool.objects.none(),
        to_field_name="name",
        required=False,
        empty_label="None: queries of my own",
    )
    queries = PastedQueries(limit=_LIMIT, label="Queries", help_text=_LINES)
    study = forms.ModelChoiceField(
        Study.objects.none(),
        required=False,
        empty_label="A new study: for staff only",
        label="Study of these queries",
        help_text="Its members see the batch. Queries of a pool belong to the pool's study.",
    )
    include_batched = forms.BooleanField(
        required=False, label="Also ask for queries that an earlier batch has"
    )
    scheme = forms.ChoiceField(
        required=False,
        label="What to ask",
        help_text="Questions, options and texts are edited in the draft.",
    )
    locales = Locales(
        required=False, max_length=300, label="Countries", help_text="As US, CA or US-CA."
    )
    not_from = _Choices(
        Batch.objects.none(),
        to_field_name="name",
        required=False,
        label="Nobody who worked on",
        help_text="To choose several, hold Ctrl or Command.",
    )
    gold = PastedGold(
        limit=_SMALL_LIMIT,
        labels=None,
        label="Queries with a known answer",
        help_text=f"qid,text,label, or qid, a tab, the label: {_KNOWN}. Mixed in unseen; ids must "
        f"not give them away. Of pairs: {GOLD_PAIRS}.",
    )
    comprehension = PastedGold(
        limit=_SMALL_LIMIT,
        labels=None,
        label="Test before the first HIT",
        help_text=f"qid,text,label: {_KNOWN}; of pairs as above. {PASSING}.",
    )
    adaptive = forms.BooleanField(
        required=False, label=f"Ask {FIRST} workers first, a third where they differ, more on ties"
    )
    full_share = forms.IntegerField(
        min_value=0,
        max_value=100,
        required=False,
        initial=round(100 * AdaptiveParameters.full_share),
        label="Percent of queries with three votes anyway",
        help_text="Used only with further votes: agreement is estimated on these queries.",
    )

    def __init__(self, *data: Any, who: Actor, is_sketch: bool = False, **options: Any) -> None:
        """With `is_sketch`, only the cost is wanted, without a name and checks."""
        super().__init__(*data, **options)
        self._who, self._is_sketch = who, is_sketch
        self.fields["name"].required = not is_sketch
        user = _user(who)
        choices = {
            "pool": pools_open_to(user=user, action=Action.MANAGE).filter(archived_at=None),
            "study": studies_open_to(user=user, action=Action.MANAGE).filter(archived_at=None),
            "not_from": batches_open_to(user=user, action=Action.MANAGE),
        }
        self._own = own_schemes(user=user)
        scheme = self.fields["scheme"]
        assert isinstance(scheme, forms.ChoiceField)  # noqa: S101 - tells its type
        scheme.choices = [
            *((name, built_in.title) for name, built_in in built_in_schemes().items()),
            (BLANK, "Blank: questions of my own"),
            *((key, own.title) for key, own in self._own.items()),
        ]
        for name, queryset in choices.items():
            choice = self.fields[name]
            assert isinstance(choice, forms.ModelChoiceField)  # noqa: S101 - tells its type
            choice.queryset = queryset
        noun = item_noun(of_pairs=self._is_of_pairs())
        for name in COUNTING_FIELDS:
            self.fields[name].label = about_items(str(self.fields[name].label), noun)

    @property
    def known_options(self) -> list[Question]:
        """The questions with options of the chosen scheme: what known answers are written in."""
        chosen = self["scheme"].value() or CATEGORY_QUESTION
        if chosen in self._own:
            return self._own[chosen].scheme.closed
        return built_in_scheme(chosen).closed if chosen in built_in_schemes() else []

    def _is_of_pairs(self) -> bool:
        """Return whether the pool that the form names has pairs."""
        pool = self._named_pool
        return pool is not None and pool.of_pairs

    @cached_property
    def _named_pool(self) -> Pool | None:
        """Return the pool that the form names so far, valid or not."""
        try:
            pool: Pool | None = self.fields["pool"].clean(self["pool"].value())
        except forms.ValidationError:
            return None
        return pool

    @classmethod
    def asked(cls, data: Mapping[str, Any], *, who: Actor) -> Self:
        """Return a form filled from the address; it is bound once the address has a name."""
        if "name" in data:
            return cls(data, who=who)
        pools = pools_open_to(user=_user(who), action=Action.MANAGE).filter(archived_at=None)
        latest = pools.order_by("-created_at").first()
        known = {
            name: data[name]
            for name in ("pool", "study")
            if name in data and "\0" not in data[name]
        }
        initial = {"pool": latest and latest.name, **known}
        if of_pairs := pools.filter(name=initial["pool"], of_pairs=True).first():
            initial["scheme"] = next(iter(schemes_about(About.PASSAGE)))
            initial["reward"] = _proposed_reward(of_pairs, _user(who))
        if initial["pool"]:
            free = free_name(initial["pool"], new_among(Batch.objects))
            initial["name"] = free
        return cls(initial=initial, who=who)

    def sections(self) -> Iterator[Section]:
        """The fields in their sections; a folded one opens where something is filled in."""
        noun = item_noun(of_pairs=self._is_of_pairs())
        for title, about, names, is_always_open in SECTIONS:
            fields = [self[name] for name in names]
            needed = "queries" in names and not self["pool"].value()
            is_filled = any(name in self.changed_data and self[name].data for name in names)
            wrong = any(name in self.errors for name in names)
            section_noun = noun if "queries" not in names else item_noun(of_pairs=False)
            yield Section(
                about_items(title, section_noun),
                about_items(about, section_noun),
                fields,
                is_always_open or needed or is_filled or wrong,
                "gold" in names,
            )

    def clean_title(self) -> str:
        """Return the title on one line; its field has several for small screens."""
        return " ".join(self.cleaned_data["title"].split())

    def clean(self) -> dict[str, Any]:
        cleaned = self.cleaned_data
        is_lost = cleaned.get("queries") and not (cleaned.get("pool") or cleaned.get("study"))
        if is_lost and not is_staff(_user(self._who)):
            self.add_error("study", "Choose the study that these queries belong to.")
        return cleaned

    @property
    def batch_study(self) -> Study | None:
        """The study that the batch will belong to, once the form is valid."""
        pool: Pool | None = self.cleaned_data["pool"]
        study: Study | None = self.cleaned_data["study"]
        return pool.belongs.study if pool else study

    @property
    def named_study(self) -> Study | None:
        """The study of what the form names so far, valid or not."""
        if pool := self._named_pool:
            return pool.belongs.study
        studies = self.fields["study"].queryset  # type: ignore[attr-defined]
        number = str(self["study"].value() or "")
        study: Study | None = studies.filter(pk=number).first() if number.isdecimal() else None
        return study

    def parameters(self) -> dict[str, Any]:
        """The valid form as parameters of the operation."""
        parameters = {
            name: value
            for name, value in self.cleaned_data.items()
            if value is not None and value is not False and value != ""
        }
        values = {
            name: parameters[name]
            for name in fields_of(CreateBatchParameters)
            if name in parameters
        }
        values["conditions"] = {
            name: parameters[name] for name in fields_of(ConditionsParameters) if name in parameters
        }
        values["conditions"]["not_from"] = [batch.name for batch in parameters["not_from"]]
        if own := self._own.get(str(parameters.get("scheme"))):
            values["scheme"] = own.scheme
        if parameters.get("scheme") == BLANK:
            of_pairs = "pool" in parameters and parameters["pool"].of_pairs
            values["scheme"] = blank_scheme(About.PASSAGE if of_pairs else About.QUERY)
        if "pool" in parameters:
            values["pool"] = parameters["pool"].pk
        if "adaptive" in parameters:
            rule: dict[str, Any] = {
                name: parameters[name]
                for name in ("question", "most_votes", "seed")
                if name in parameters
            }
            if "full_share" in parameters:
                rule["full_share"] = parameters["full_share"] / 100
            values |= {"adaptive": rule, "assignments_per_hit": FIRST}
        is_of_something = "pool" in parameters or "study" in parameters
        values["new_only"] = is_of_something and "include_batched" not in parameters
        return {"name": "sketch", **values} if self._is_sketch else values

    def plan(self) -> BatchPlan | None:
        """Return the plan of the batch; None if there are errors beside the fields."""
        if not self.is_bound or not self.is_valid():
            return None
        parameters, study = self.parameters(), self.batch_study
        try:
            if self._is_sketch:
                values = read_parameters(CreateBatchParameters, parameters, self._who.user)
                plan = plan_of(study, CREATE_BATCH.clean(study, values))
                plan.check_pages()
                return plan
            estimated = estimate(CREATE_BATCH, study, parameters, self._who)
        except ParametersError as error:
            add_errors(self, error)
        except InputError as error:
            name = error.name if isinstance(error, TermError) else None
            self.add_error(name, capfirst(problem_of(error)))
        else:
            assert isinstance(estimated, BatchEstimate)  # noqa: S101 - tells its type
            return estimated.plan
        return None


def _proposed_reward(pool: Pool, user: User) -> Decimal:
    read = pool.queries.aggregate(n=Count("pk"), mean=Avg(Length("passage")))
    return proposed_reward(
        usual=CreateBatchParameters.reward,
        n_pairs=max(1, read["n"]),
        pairs_per_hit=CreateBatchParameters.queries_per_hit,
        n_characters=read["mean"] or 0,
        batches=batches_open_to(user=user, action=Action.VIEW),
    )


def _derived() -> Iterator[tuple[str, forms.Field]]:
    for kind in (CreateBatchParameters, ConditionsParameters, AdaptiveParameters):
        yield from form_fields(kind).items()
    for name, field in fields_of(CreateBatchParameters).items():
        texts = {"label": field.label, "help_text": field.help_text}
        if isinstance(field, LengthField):
            yield name, LengthOfTime(field)
        elif name == "consent":
            yield name, PastedText(limit=field.max_length, **texts)


BatchForm.base_fields |= dict(_derived())
