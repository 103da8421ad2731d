"""Workers as requesters deal with them: blocks, bonuses, messages."""

from django.db import transaction

from mturk_local import money
from mturk_local.errors import ParameterError, RequestError, does_not_exist, token_used
from mturk_local.lifecycle import funds
from mturk_local.lifecycle.tokens import token_use
from mturk_local.models import (
    Assignment,
    AssignmentState,
    Block,
    Bonus,
    Message,
    Worker,
)
from mturk_local.operations.assignments import assignment_get
from mturk_local.operations.hits import hit_get
from mturk_local.operations.limits import check_limits
from mturk_local.operations.registry import Call, Reply, operation
from mturk_local.protocol.paging import page_of

_MOST_WORKERS = 100
_LONGEST_SUBJECT = 200
_LONGEST_MESSAGE = 4_096
_JUDGED = (AssignmentState.APPROVED, AssignmentState.REJECTED)


@operation("CreateWorkerBlock", differs="A block has no effect on the worker's account.")
def create_worker_block(call: Call) -> Reply:
    Block.objects.update_or_create(
        requester=call.requester,
        worker=worker_get(call.params["WorkerId"]),
        defaults={"reason": call.params["Reason"]},
    )
    return {}


@operation("DeleteWorkerBlock")
def delete_worker_block(call: Call) -> Reply:
    """Unblock a worker; one who is not blocked is not an error."""
    worker = worker_get(call.params["WorkerId"])
    Block.objects.filter(requester=call.requester, worker=worker).delete()
    return {}


@operation("ListWorkerBlocks")
def list_worker_blocks(call: Call) -> Reply:
    blocks = Block.objects.filter(requester=call.requester).select_related("worker")
    page, token = page_of(blocks, call.params, listing="blocks")
    return {
        "NumResults": len(page),
        "NextToken": token,
        "WorkerBlocks": [
            {"WorkerId": block.worker.worker_id, "Reason": block.reason} for block in page
        ],
    }


@operation("SendBonus")
def send_bonus(call: Call) -> Reply:
    params = call.params
    check_limits(params)
    assignment = assignment_get(call)
    cents = money.cents(params["BonusAmount"])
    if assignment.worker.worker_id != params["WorkerId"]:
        raise RequestError(
            f"Worker {params['WorkerId']} did not do the assignment {params['AssignmentId']}.",
            turk_code="AssignmentDoesNotExist",
        )
    if cents == 0:
        raise ParameterError("The BonusAmount must be more than 0.")
    with transaction.atomic(using="crowd"):
        token_use(
            requester=call.requester,
            scope="SendBonus",
            token=params.get("UniqueRequestToken"),
            subject=assignment.assignment_id,
            now=call.now,
            refusal=lambda earlier: token_used(earlier.token),
        )
        funds.spend(call.requester.pk, money.bonus_cost(cents))
        Bonus.objects.create(
            assignment=assignment,
            amount_cents=cents,
            reason=params["Reason"],
            granted_at=call.now,
        )
    return {}


@operation("ListBonusPayments")
def list_bonus_payments(call: Call) -> Reply:
    params = call.params
    if ("HITId" in params) == ("AssignmentId" in params):
        raise ParameterError("Either a HITId or an AssignmentId must be given, and not both.")
    bonuses = Bonus.objects.select_related("assignment__worker")
    if "HITId" in params:
        bonuses = bonuses.filter(assignment__hit=hit_get(call))
    else:
        bonuses = bonuses.filter(assignment=assignment_get(call))
    listing = f"bonuses:{params.get('HITId')}:{params.get('AssignmentId')}"
    page, token = page_of(bonuses, params, listing=listing)
    return {
        "NumResults": len(page),
        "NextToken": token,
        "BonusPayments": [
            {
                "WorkerId": bonus.assignment.worker.worker_id,
                "BonusAmount": money.amount(bonus.amount_cents),
                "AssignmentId": bonus.assignment.assignment_id,
                "Reason": bonus.reason,
                "GrantTime": bonus.granted_at,
            }
            for bonus in page
        ],
    }


@operation("NotifyWorkers", differs="There is no e-mail: the message is on the worker's own page.")
def notify_workers(call: Call) -> Reply:
    params = call.params
    check_limits(params)
    worker_ids = params["WorkerIds"]
    if len(worker_ids) > _MOST_WORKERS:
        raise ParameterError(f"At most {_MOST_WORKERS} WorkerIds can be notified at once.")
    if len(params["Subject"]) > _LONGEST_SUBJECT or len(params["MessageText"]) > _LONGEST_MESSAGE:
        raise ParameterError(
            f"Subject and MessageText may have {_LONGEST_SUBJECT} and {_LONGEST_MESSAGE} "
            "characters."
        )
    judged = Assignment.objects.filter(hit__requester=call.requester, state__in=_JUDGED)
    known = {
        worker.worker_id: worker
        for worker in Worker.objects.filter(
            worker_id__in=worker_ids, pk__in=judged.values("worker")
        )
    }
    Message.objects.bulk_create(
        Message(
            requester=call.requester,
            worker=worker,
            subject=params["Subject"],
            text=params["MessageText"],
            sent_at=call.now,
        )
        for worker in known.values()
    )
    return {
        "NotifyWorkersFailureStatuses": [
            {
                "NotifyWorkersFailureCode": "HardFailure",
                "NotifyWorkersFailureMessage": "You have not approved or rejected work of theirs.",
                "WorkerId": worker_id,
            }
            for worker_id in dict.fromkeys(worker_ids)
            if worker_id not in known
        ]
    }


def worker_get(worker_id: str) -> Worker:
    worker = Worker.objects.filter(worker_id=worker_id).first()
    if worker is None:
        raise does_not_exist("Worker", worker_id)
    return worker
