"""Where Prolific tells of what happens. No page: a signature stands in for whoever signs in."""

from django.http import HttpRequest, HttpResponse
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST

from annotation.batches.operations.prolific.events import event_receive
from annotation.prolific.events import LONGEST, ForgedError
from metrics.errors import InputError


@csrf_exempt  # the signature stands in for the token
@require_POST
def prolific_event(request: HttpRequest, workspace: str) -> HttpResponse:
    """Take the event, which a job works off; also what was taken before is answered with 200."""
    if int(request.META.get("CONTENT_LENGTH") or 0) > LONGEST:
        return HttpResponse(status=413)
    try:
        event_receive(workspace_id=workspace, headers=request.headers, body=request.body)
    except ForgedError:
        return HttpResponse(status=403)
    except InputError:
        return HttpResponse(status=400)
    return HttpResponse(status=200)
