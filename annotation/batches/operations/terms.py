"""The terms of a new batch: defaults, ranges and texts."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from django.db.models import QuerySet
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from annotation.batches.operations.comprehension import PASSING
from annotation.batches.operations.gold import LONGEST
from annotation.core.access import batches_open_to, pools_open_to
from annotation.core.durations import DAY, MINUTE, format_seconds, parse_seconds
from annotation.core.parameters import CENT, HIDDEN, USD, parameter, serializer_of
from annotation.core.scheme_field import SchemeField
from annotation.labels.queries.questions import modelled_question_parameter
from annotation.models import Batch
from annotation.schemes import KNOWN_ANSWERS, Scheme, built_in_scheme
from annotation.task_page import languages
from annotation.vocabulary import (
    CATEGORY_QUESTION,
    LONGEST_CONTACT,
    LONGEST_DESCRIPTION,
    LONGEST_ID,
    LONGEST_KEYWORDS,
    LONGEST_OWN_NAME,
    LONGEST_TEXT,
    LONGEST_TITLE,
    Action,
    Category,
)
from metrics.errors import InputError
from metrics.io.pair_ids import pair_id
from metrics.runs.queries import Queries
from metrics.vocabulary import LARGEST_SEED
from metrics.votes.adaptive import FULL
from metrics.votes.adaptive import MOST as MOST_VOTES
from pooling.models import Pool

#: Most queries on a HIT, and most assignments; more is a typing error.
MOST = 1_000
_YEAR = 365 * DAY
_MOST_QUERIES = 50_000


@dataclass(frozen=True)
class PlannedQuery:
    """A query to be labelled, or a pair: then `qid` is its `pair_id`.

    `gold` is what is known about it, as `known_answer` has it, or "".
    """

    qid: str
    text: str
    gold: str = ""
    passage: str = ""


@extend_schema_field(OpenApiTypes.INT)
class PoolField(serializers.PrimaryKeyRelatedField[Pool]):
    """A pool by its number, among those that the user may use."""

    def get_queryset(self) -> QuerySet[Pool]:
        user = self.context.get("user")
        if user is None:
            return Pool.objects.all()
        return pools_open_to(user=user, action=Action.MANAGE)


class BatchNamesField(serializers.ListField):
    """Names of batches, without those of other studies, whose workers must not be revealed."""

    child = serializers.CharField(max_length=LONGEST_OWN_NAME)

    def to_internal_value(self, data: Any) -> list[str]:
        names: list[str] = super().to_internal_value(data)
        user = self.context.get("user")
        batches = Batch.objects.all()
        if user is not None:
            batches = batches_open_to(user=user, action=Action.MANAGE)
        known = set(batches.filter(name__in=names).values_list("name", flat=True))
        if unknown := [name for name in names if name not in known]:
            raise serializers.ValidationError(f"There is no batch {unknown[0]!r}.")
        return names


class LengthField(serializers.IntegerField):
    """Seconds; as text with its unit, as in 7d, 12h, 30m or 90s."""

    def to_internal_value(self, data: Any) -> int:
        try:
            return super().to_internal_value(parse_seconds(data) if isinstance(data, str) else data)
        except InputError as error:
            raise serializers.ValidationError(str(error)) from None


class QueryText(serializers.Serializer[Any]):
    """A query to be labelled; with `gold`, its known answer, it checks the workers.

    With `docno` and `passage` it is a pair of query and passage.
    """

    # A qid's bytes matter, so that blanks around it stay.
    qid = serializers.CharField(max_length=LONGEST_ID, trim_whitespace=False)
    text = serializers.CharField(max_length=LONGEST_TEXT, trim_whitespace=False)
    docno = serializers.RegexField(
        r"^\S*$",
        max_length=LONGEST_ID,
        required=False,
        default="",
        allow_blank=True,
        help_text="Of a pair: id of its passage, without blanks.",
    )
    passage = serializers.CharField(
        max_length=LONGEST_TEXT,
        required=False,
        default="",
        allow_blank=True,
        trim_whitespace=False,
        help_text="Of a pair: text of its passage.",
    )
    gold = serializers.CharField(
        max_length=LONGEST,
        required=False,
        default="",
        allow_blank=True,
        help_text=f"One of {', '.join(Category)}; with a scheme {KNOWN_ANSWERS}.",
    )

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Give a pair its id; both fields of a passage belong together."""
        docno = attrs.pop("docno")
        if bool(docno) != bool(attrs["passage"].strip()):
            missing = "passage" if docno else "docno"
            raise serializers.ValidationError({missing: ["A pair has a docno and a passage."]})
        return {**attrs, "qid": pair_id(attrs["qid"], docno)} if docno else attrs


class QueriesField(serializers.ListField):
    """Queries one by one; pages and commands pass what they have read from a file."""

    child = QueryText()
    default_error_messages = {
        "max_length": "More than {max_length:,} queries; make a batch of each part of them."
    }

    def to_internal_value(self, data: Any) -> Any:
        if isinstance(data, Queries):
            return data
        return [PlannedQuery(**query) for query in super().to_internal_value(data)]


def _length(seconds: int, *, option: str, unit: str, **options: Any) -> Any:
    """A length of time; people read and type its default with its unit."""
    style = {"option": option, "unit": unit, "usual": format_seconds(seconds)}
    return parameter(seconds, kind=LengthField, style=style, **options)


@dataclass(frozen=True, kw_only=True)
class ConditionsParameters:
    """Conditions for workers. A condition that is left out admits everybody."""

    locales: Sequence[str] = parameter(
        (), kind=serializers.ListField, child=serializers.CharField(max_length=10), style=HIDDEN
    )
    min_approval: int | None = parameter(
        None,
        min_value=1,
        max_value=100,
        label="Percent of earlier answers approved",
        help_text="This has an effect only together with their number.",
    )
    min_approved: int | None = parameter(
        None, min_value=0, max_value=1_000_000, label="Number of earlier answers approved"
    )
    masters: bool = parameter(False, label="Masters only, for 5 % more fee")
    share_percent: int | None = parameter(
        None,
        min_value=1,
        max_value=100,
        label="Percent of the HITs for one worker",
        style={"option": "share"},
    )
    not_from: Sequence[str] = parameter(
        (),
        kind=BatchNamesField,
        help_text="Names of batches whose workers are excluded.",
        style=HIDDEN,
    )


@dataclass(frozen=True, kw_only=True)
class AdaptiveParameters:
    """Two workers first, a third where they differ, more on ties."""

    question: str = modelled_question_parameter(
        "Answers to this question bring further votes", "Question of further votes"
    )
    full_share: float = parameter(
        0.1,
        min_value=0,
        max_value=1,
        error_messages=dict.fromkeys(("min_value", "max_value"), "A share is from 0 to 1."),
        help_text="Random share of the queries that gets three votes in any case, so that "
        "agreement can be estimated without selection.",
        style=HIDDEN,
    )
    most_votes: int = parameter(
        MOST_VOTES,
        min_value=FULL,
        max_value=100,
        label="Votes on one query at most",
        style={"optional": True, "option": "most"},
    )
    seed: int = parameter(
        0, min_value=0, max_value=LARGEST_SEED, help_text="Chooses the share.", style=HIDDEN
    )


@dataclass(frozen=True, kw_only=True)
class CreateBatchParameters:
    """The terms of a batch, with a pool or with queries; what is left out has a default."""

    name: str = parameter(
        max_length=LONGEST_OWN_NAME,
        help_text="Must be new. You can leave everything else as it is.",
    )
    pool: Pool | None = parameter(None, kind=PoolField, allow_null=True, style=HIDDEN)
    queries: Queries | Sequence[PlannedQuery] = parameter(
        (), kind=QueriesField, max_length=_MOST_QUERIES, style=HIDDEN
    )
    gold: Queries | Sequence[PlannedQuery] = parameter(
        (),
        kind=QueriesField,
        max_length=_MOST_QUERIES,
        help_text="Gold questions, mixed in unseen.",
        style=HIDDEN,
    )
    exclude_labelled: bool = parameter(
        False,
        label="Leave out queries that have a label already",
        help_text="In the study, if the batch belongs to one.",
    )
    new_only: bool = parameter(
        False,
        help_text="Leave out queries about which an earlier batch of the study asks the same.",
        style=HIDDEN,
    )
    reward: Decimal = parameter(
        Decimal("0.25"),
        **USD,
        min_value=CENT,
        label="Reward, in USD",
        help_text="For one HIT, to each worker.",
    )
    assignments_per_hit: int = parameter(
        3,
        min_value=1,
        max_value=MOST,
        label="Workers per query",
        style={"option": "assignments"},
    )
    queries_per_hit: int = parameter(
        10,
        min_value=1,
        max_value=MOST,
        label="Queries per HIT",
        help_text="At most. Queries are spread evenly: HITs differ by at most one query, and "
        "each one pays the whole reward.",
    )
    budget: Decimal | None = parameter(
        None,
        **USD,
        min_value=CENT,
        label="Budget, in USD",
        help_text="Fees included. Publishing stops there. Empty: no limit.",
    )
    language: str = parameter(
        "en",
        choices=list(languages().items()),
        label="Language of the task page",
        help_text="The language of the built-in scheme. You can edit question, definitions and "
        "examples once the draft is stored.",
        style={"optional": True},
    )
    scheme: Scheme = parameter(
        built_in_scheme(CATEGORY_QUESTION),
        kind=SchemeField,
        help_text="What to ask (usually the gender): the name of a built-in scheme, or a scheme "
        "as YAML text or as JSON.",
        style=HIDDEN,
    )
    contact: str = parameter(
        "",
        max_length=LONGEST_CONTACT,
        allow_blank=True,
        label="Contact",
        help_text="Whom workers may write to, such as an e-mail address. Shown on every HIT.",
    )
    suggested_by: str = parameter(
        "",
        max_length=LONGEST_ID,
        allow_blank=True,
        label="Show the labels of a model",
        help_text="Annotators see with each query what this model of the study says. Their votes "
        "are marked, and left out of agreement and of corrected figures. Empty: none.",
        style={"optional": True},
    )
    title: str = parameter(
        "",
        max_length=LONGEST_TITLE,
        allow_blank=True,
        help_text="Left out: the title of the scheme. The same holds for description and keywords.",
        style={"rows": 2, "optional": True},
    )
    description: str = parameter(
        "", max_length=LONGEST_DESCRIPTION, allow_blank=True, style={"rows": 3, "optional": True}
    )
    keywords: str = parameter(
        "", max_length=LONGEST_KEYWORDS, allow_blank=True, style={"rows": 2, "optional": True}
    )
    consent: str = parameter(
        "",
        max_length=100_000,
        allow_blank=True,
        trim_whitespace=False,
        label="Consent text",
        help_text="Workers agree to it before the first query. Empty lines separate paragraphs.",
        style=HIDDEN,
    )
    conditions: ConditionsParameters = parameter(
        ConditionsParameters(), kind=serializer_of(ConditionsParameters), style=HIDDEN
    )
    comprehension: Queries | Sequence[PlannedQuery] = parameter(
        (),
        kind=QueriesField,
        max_length=MOST,
        help_text=f"A test before the first HIT: {PASSING}.",
        style=HIDDEN,
    )
    comprehension_question: str = modelled_question_parameter(
        "What the test asks", "Question of the test"
    )
    adaptive: AdaptiveParameters | None = parameter(
        None,
        kind=serializer_of(AdaptiveParameters),
        allow_null=True,
        help_text="Needs `assignments_per_hit` to be 2.",
        style=HIDDEN,
    )
    lifetime_seconds: int = _length(
        7 * DAY,
        min_value=30,
        max_value=_YEAR,
        label="Offered for, in days",
        help_text="Or as 12h, 30m.",
        option="lifetime",
        unit="d",
    )
    duration_seconds: int = _length(
        30 * MINUTE,
        min_value=30,
        max_value=_YEAR,
        label="Time for a HIT, in minutes",
        help_text="Or as 2h, 90s.",
        option="duration",
        unit="m",
    )
    auto_approval_seconds: int = _length(
        3 * DAY,
        min_value=0,
        max_value=30 * DAY,
        label="Paid automatically after, in days",
        help_text="Or as 12h. At most 30 days.",
        option="auto_approval",
        unit="d",
    )
    seed: int = parameter(
        0,
        min_value=0,
        max_value=LARGEST_SEED,
        help_text="Shuffles the queries over the HITs.",
    )
    together: bool = parameter(
        False,
        label="Pairs of one query come one after another",
        help_text="For a pool of pairs: a worker reads a query once for several passages, and "
        "compares them. Otherwise all pairs are shuffled.",
    )
