"""The pages of the operations on a batch: terms, effect, and consent."""

from collections.abc import Mapping
from typing import Any

from django.contrib import messages
from django.forms import Form
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect

from annotation.batches.operations.adaptive_round import ADAPTIVE_ROUND
from annotation.batches.operations.approve import APPROVE
from annotation.batches.operations.ask_model import ASK_MODEL
from annotation.batches.operations.bonus import BONUS
from annotation.batches.operations.budget import BUDGET
from annotation.batches.operations.collect import COLLECT
from annotation.batches.operations.extend import EXTEND
from annotation.batches.operations.prolific.add_places import ADD_PLACES
from annotation.batches.operations.prolific.approve_submissions import APPROVE_SUBMISSIONS
from annotation.batches.operations.prolific.decide_bonuses import DECIDE_BONUSES
from annotation.batches.operations.prolific.draft import DRAFT_STUDY
from annotation.batches.operations.prolific.pay_bonuses import PAY_BONUSES
from annotation.batches.operations.prolific.publish_study import PUBLISH_STUDY
from annotation.batches.operations.prolific.reject_submission import (
    REJECT_SUBMISSION,
    REQUEST_RETURN,
)
from annotation.batches.operations.prolific.set_up_bonuses import SET_UP_BONUSES
from annotation.batches.operations.publish import PUBLISH
from annotation.batches.operations.read_again import READ_AGAIN
from annotation.batches.operations.top_up import TOP_UP
from annotation.core.consent import ConsentError, Estimate
from annotation.core.forms import (
    add_errors,
    form_of,
    is_of_several,
    sent_parameters,
    speak_of,
)
from annotation.core.operations import AnyOperation
from annotation.core.parameters import ParametersError
from annotation.core.perform import estimate
from annotation.labels.operations.classifier import TRAIN_CLASSIFIER
from annotation.labels.queries.questions import may_be_asked
from annotation.models import Batch
from annotation.schemes import Scheme
from annotation.vocabulary import Action
from annotation.web.access import (
    batch_view,
    checks_query,
    may_in,
    person_of,
    refused,
    takes,
    who,
)
from annotation.web.buttons import amount_sent, do_operation, look
from annotation.web.pages import batch_page
from metrics.errors import InputError

#: The operations in the menu of a batch, in its order; the others have buttons.
LISTED: tuple[AnyOperation, ...] = (
    EXTEND,
    TOP_UP,
    ADAPTIVE_ROUND,
    READ_AGAIN,
    APPROVE,
    BONUS,
    BUDGET,
    ASK_MODEL,
    TRAIN_CLASSIFIER,
)
#: Of these, what a study of Prolific's Task Builder does at Prolific.
_BY_CROWD: tuple[AnyOperation, ...] = (TOP_UP, APPROVE, BONUS)
#: Operations on the page of recruiting.
_MARKET: tuple[AnyOperation, ...] = (
    DRAFT_STUDY,
    PUBLISH_STUDY,
    ADD_PLACES,
    APPROVE_SUBMISSIONS,
    REJECT_SUBMISSION,
    REQUEST_RETURN,
    SET_UP_BONUSES,
    PAY_BONUSES,
    DECIDE_BONUSES,
)
#: The operations with a page of their own, by its place in the address.
PAGES: Mapping[str, AnyOperation] = {
    operation.page: operation for operation in (*LISTED, PUBLISH, COLLECT, *_MARKET)
}
#: Fields that a form may send several times; each form checks that they are its own.
_SEVERAL = {
    name
    for operation in PAGES.values()
    for name, field in form_of(operation).base_fields.items()
    if is_of_several(field)
}


def operations_listed(batch: Batch, *, n_unreadable: int = 0) -> list[AnyOperation]:
    """Return the operations possible in the batch's state; its page checks permissions."""
    is_adaptive = hasattr(batch, "adaptive_policy")
    return [
        operation
        for operation in LISTED
        if batch.state in operation.states
        and (operation is not ADAPTIVE_ROUND or is_adaptive)
        and (operation is not TRAIN_CLASSIFIER or batch.scheme.nominal)
        and (operation is not ASK_MODEL or _may_ask(batch.scheme))
        and (operation is not READ_AGAIN or n_unreadable)
        and not (batch.uses_task_builder and operation in _BY_CROWD)
    ]


def _may_ask(scheme: Scheme) -> bool:
    return any(may_be_asked(scheme, question) for question in scheme.closed)


@batch_view(Action.MANAGE)
@checks_query
@takes(several=_SEVERAL)
def operation_page(request: HttpRequest, batch: Batch, act: str) -> HttpResponse:
    """Show the effect of the operation with the terms of the address or the form, or do it."""
    operation = PAGES.get(act)
    if operation is None:
        raise Http404
    if operation.permission is not None and operation.permission not in may_in(request):
        return refused(request, operation.permission, batch.study)
    kind = form_of(operation)
    form_data = request.POST if request.method == "POST" else request.GET
    form = _form(kind, form_data, operation.initial(batch))
    speak_of(form, batch.scheme.item_noun)
    estimated, problem = None, ""
    try:
        _offer_choices(form, operation.choices(batch, person_of(request)))
        if form.is_bound:
            values = sent_parameters(kind, form_data or form.data)
            if looked := look(request, values):
                return looked
            estimated = estimate(operation, batch, values, who(request))
        if request.method == "POST" and estimated is not None:
            return _do(request, batch, operation, estimated)
    except ParametersError as error:
        add_errors(form, error)
    except ConsentError as error:
        problem = str(error.in_words("Look at it again and agree to {cost} USD."))
    except InputError as error:
        problem = str(error)
    context = {"operation": operation, "form": form, "plan": estimated, "problem": problem}
    is_real = operation.is_real(batch)
    return batch_page(request, "operation", batch, "progress", is_real=is_real, **context)


def _offer_choices(form: Form, choices: Mapping[str, list[tuple[str, str]]]) -> None:
    """Fill in choices that depend on the batch; a field without choices is left out."""
    for name, offered in choices.items():
        if offered:
            form.fields[name].choices = offered  # type: ignore[attr-defined]
        else:
            del form.fields[name]


def _form(kind: type[Form], form_data: QueryDict, initial: dict[str, Any]) -> Form:
    """Return the form as it was sent, at first with the defaults, which may not fill it."""
    fields = kind.base_fields
    usual = {name: field.initial for name, field in fields.items() if field.initial is not None}
    data = form_data or {**usual, **initial}
    is_ready = form_data or all(name in data for name in fields if fields[name].required)
    return kind(data) if is_ready else kind(initial=data)


def _do(
    request: HttpRequest, batch: Batch, operation: AnyOperation, estimated: Estimate
) -> HttpResponse:
    """Do the operation: real money has to be typed; elsewhere the cost shown must be right."""
    if estimated.nothing:
        raise InputError(estimated.nothing)
    is_real = operation.is_real(batch)
    agreed = amount_sent(request, "agreed" if is_real and estimated.cost else "cost")
    values = sent_parameters(form_of(operation), request.POST)
    messages.success(request, do_operation(request, operation, batch, values, agreed))
    return redirect("batch-prolific" if operation in _MARKET else "batch-detail", batch.pk)
