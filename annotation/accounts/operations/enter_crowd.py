"""Let a member of a study work on its HITs with the sign-in of the site."""

from annotation.core.operations import Operation, Result, Run
from annotation.core.parameters import NoParameters
from annotation.crowd.annotations import batch_annotation
from annotation.crowd.connection import people_at_local_crowd
from annotation.models import Study
from annotation.vocabulary import Action, BatchState, Environment
from metrics.errors import InputError


class EnterCrowd(Operation[Study, NoParameters]):
    """Go to the HITs of the study, signed in by a ticket that works once, within two minutes."""

    name = "enter the crowd service"
    command = None
    title = "Go to the HITs"
    button = "Go to the HITs"
    subject = Study
    parameters = NoParameters
    permission = Action.ANNOTATE

    def run(self, subject: Study, parameters: NoParameters, run: Run) -> Result:
        key = getattr(run.actor.user, "pk", None)
        if key is None:
            raise InputError(
                "you are not signed in, so your answers could not be told from those of others.",
                remedy="Sign in, or use a link from the page “Invite annotators” of a batch.",
            )
        url = people_at_local_crowd().ticket(str(key), annotations=_offered(subject))
        return Result(message="Signed in.", made=url)


def _offered(study: Study) -> list[str]:
    """Annotations of the HITs of the study's batches that are offered, the newest batch first."""
    offered = study.batches.filter(environment=Environment.LOCAL, state=BatchState.PUBLISHED)
    uids = offered.order_by("-created_at", "-pk").values_list("uid", flat=True)
    return [batch_annotation(uid) for uid in uids]


ENTER_CROWD = EnterCrowd()
