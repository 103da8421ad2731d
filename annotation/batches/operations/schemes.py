"""The scheme of a batch: every edit is a new version, until publishing begins."""

from collections import defaultdict
from dataclasses import dataclass

from django.db import transaction

from annotation.batches.operations.planning import question_of, shown_items
from annotation.batches.queries.schemes import latest_scheme, page_texts, scheme_state
from annotation.core.money import lock_batch
from annotation.core.operations import Operation, Result, Run
from annotation.core.parameters import HIDDEN, TermError, parameter
from annotation.core.perform import check_state
from annotation.core.scheme_field import SchemeField
from annotation.core.versions import State
from annotation.crowd.questions import most_bytes, size_in_bytes
from annotation.labels.queries.questions import nominal_question_in
from annotation.models import AdaptivePolicy, AuditEvent, Batch, Choice, Label, SchemeVersion
from annotation.schemes import CANNOT_TELL, JOINED, About, Scheme, known_answers, schemes_about
from annotation.vocabulary import LONGEST_CONTACT, TIE, AuditAction, BatchState
from metrics.errors import InputError


def store_scheme(*, batch: Batch, scheme: Scheme, actor: str) -> SchemeVersion:
    """Store the scheme as the next version, unless it is that of the latest one."""
    latest = latest_scheme(batch)
    if latest is not None and latest.content == scheme.as_json():
        return latest
    number = latest.number + 1 if latest else 1
    batch.asks = scheme.as_json()
    batch.save(update_fields=["asks"])
    return SchemeVersion.objects.create(
        batch=batch, number=number, content=batch.asks, created_by=actor
    )


@dataclass(frozen=True, kw_only=True)
class ChangeSchemeParameters:
    scheme: Scheme = parameter(kind=SchemeField, style=HIDDEN)
    contact: str | None = parameter(
        None,
        max_length=LONGEST_CONTACT,
        allow_null=True,
        allow_blank=True,
        help_text="Whom workers may write to. Shown on every HIT.",
    )


class ChangeScheme(Operation[Batch, ChangeSchemeParameters]):
    """Give a draft another scheme, as a new version. Published batches keep theirs."""

    name = "change scheme"
    path = "change-scheme"
    example = {"scheme": "severity"}
    title = "Edit scheme"
    subject = Batch
    parameters = ChangeSchemeParameters
    states = (BatchState.DRAFT,)

    def seen(self, subject: Batch, parameters: ChangeSchemeParameters) -> State:
        del parameters
        return scheme_state(subject)

    @transaction.atomic
    def run(self, subject: Batch, parameters: ChangeSchemeParameters, run: Run) -> Result:
        locked = lock_batch(subject.pk)
        check_state(self, locked)
        check_about(parameters.scheme, of=locked.scheme.about)
        _check_gold(locked, parameters.scheme)
        _check_asked(locked, parameters.scheme)
        _check_kept(locked, parameters.scheme)
        if parameters.contact is not None:
            locked.contact = parameters.contact
            locked.save(update_fields=["contact"])
        actor = run.actor.name
        number = store_scheme(batch=locked, scheme=parameters.scheme, actor=actor).number
        check_pages(locked)
        AuditEvent.objects.create(
            batch=locked,
            actor=actor,
            action=AuditAction.SCHEME_CHANGED,
            detail={"version": number},
        )
        return Result({"version": number}, f"Saved as version {number} of the scheme.")


def check_about(scheme: Scheme, *, of: About) -> None:
    """Refuse a scheme that judges something else than a batch has: queries, or passages."""
    if scheme.about != of:
        has = "pairs of query and passage" if of == About.PASSAGE else "queries without passages"
        asks = "passages" if scheme.about == About.PASSAGE else "queries alone"
        fitting = list(schemes_about(of))
        raise TermError(
            "scheme",
            f"{scheme.title!r} asks about {asks}, and the batch has {has}.",
            remedy=f"Choose {', '.join(fitting[:-1])} or {fitting[-1]}, or say in a scheme of your "
            f"own what it is about: {of}.",
        )


def check_pages(batch: Batch) -> None:
    """Refuse texts with which the page of a HIT is too large for the crowd."""
    texts, most = page_texts(batch), most_bytes(batch.environment)
    for hit in batch.hits.prefetch_related("places__query"):
        queries = [place.query for place in hit.places.all()]
        size = size_in_bytes(question_of(shown_items(queries), texts))
        if size > most:
            raise InputError(
                f"with these texts HIT {hit.index + 1} has {size:,} bytes; at most {most:,} "
                "are allowed.",
                remedy="Shorten the definitions or the consent text.",
            )


def _check_gold(batch: Batch, scheme: Scheme) -> None:
    """Refuse a scheme without the known answers of the batch's gold questions."""
    for qid, gold in batch.queries.exclude(gold="").values_list("qid", "gold"):
        try:
            known_answers(scheme, gold)
        except InputError as error:
            raise InputError(
                f"the gold question {qid!r} is known to be {gold!r}: {error.message}",
                remedy="Keep that question and its options, or make a new batch.",
            ) from None


def _check_asked(batch: Batch, scheme: Scheme) -> None:
    """Refuse a scheme without the question of the batch's test, or of its further votes."""
    policy = AdaptivePolicy.objects.filter(batch=batch).first()
    for what, name, codes in (
        ("the test before the first HIT asks", batch.comprehension_question, batch.comprehension),
        ("further votes follow the answers to", policy.question if policy else "", ()),
    ):
        if not name:
            continue
        keep = "Keep that question and its options, or make a new batch."
        try:
            offered = nominal_question_in(scheme, name).codes
        except InputError as error:
            raise InputError(f"{what} {name!r}: {error.message}", remedy=keep) from None
        if lost := sorted({code for _, code in codes} - set(offered)):
            raise InputError(
                f"{what} {name!r} and expects {', '.join(lost)}, which would not be offered.",
                remedy=keep,
            )


def _check_kept(batch: Batch, scheme: Scheme) -> None:
    """Refuse a scheme without options used in votes or labels of the batch."""
    choices = Choice.objects.filter(vote__query__batch=batch).values_list("question", "option")
    labels = Label.objects.filter(query__batch=batch).values_list("question", "value")
    codes_by_question: dict[str, set[str]] = defaultdict(set)
    for name, value in (*choices.distinct(), *labels.order_by().distinct()):
        codes_by_question[name].update(value.split(JOINED))
    offered = {question.name: question for question in scheme.closed}
    for before in batch.scheme.closed:
        codes = codes_by_question[before.name] - {"", CANNOT_TELL, TIE}
        now = offered.get(before.name)
        if codes and (now is None or now.kind != before.kind or not codes <= {*now.codes}):
            raise InputError(
                f"votes or labels answer the question {before.name!r} with "
                f"{', '.join(sorted(codes))}, which it would not offer any more.",
                remedy="Keep that question, its kind and these options, or make a new batch.",
            )


CHANGE_SCHEME = ChangeScheme()
