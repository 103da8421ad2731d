"""The e-mail address of an account, which receives notices about batches."""

from dataclasses import dataclass

from rest_framework.serializers import EmailField

from annotation.accounts.operations.tokens import account_of
from annotation.core.operations import Operation, Result, Run
from annotation.core.parameters import parameter


@dataclass(frozen=True, kw_only=True)
class SetEmailParameters:
    email: str = parameter(
        "",
        kind=EmailField,
        max_length=254,
        allow_blank=True,
        label="E-mail address",
        help_text="Empty: no mail.",
    )


class SetEmail(Operation[None, SetEmailParameters]):
    """Give one's own account an e-mail address, or take it away.

    Notices are sent when a batch is finished, stopped or out of budget, and at no other time.
    """

    name = "set email"
    command = None
    title = "Change the e-mail address"
    subject = None
    parameters = SetEmailParameters
    permission = None

    def run(self, subject: None, parameters: SetEmailParameters, run: Run) -> Result:
        user = account_of(run.actor)
        user.email = parameters.email
        user.save(update_fields=["email"])
        return Result(
            message=f"Mail about your batches goes to {parameters.email} from now on."
            if parameters.email
            else "No mail is sent to you from now on."
        )


SET_EMAIL = SetEmail()
