"""The address for Prolific's events. A signature takes the place of signing in."""

from django.http import HttpRequest, HttpResponse
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST

from annotation.batches.operations.prolific.events import event_receive
from annotation.prolific.events import LONGEST, ForgedError
from metrics.errors import InputError


@csrf_exempt  # the signature stands in for the token
@require_POST
def prolific_event(request: HttpRequest, workspace: str) -> HttpResponse:
    """Store the event for a job; an event that was stored before is answered with 200, too."""
    if int(request.META.get("CONTENT_LENGTH") or 0) > LONGEST:
        return HttpResponse(status=413)
    try:
        event_receive(workspace_id=workspace, headers=request.headers, body=request.body)
    except ForgedError:
        return HttpResponse(status=403)
    except InputError:
        return HttpResponse(status=400)
    return HttpResponse(status=200)
