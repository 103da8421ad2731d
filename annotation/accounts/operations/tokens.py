"""Tokens of the API: shown once, stored as digests, valid for their maker until they end."""

from dataclasses import dataclass
from datetime import timedelta

from django.contrib.auth.models import User
from django.utils import timezone
from knox.models import AuthToken

from annotation.accounts.queries.members import get_user
from annotation.core.moments import format_moment
from annotation.core.operations import Actor, NotPermittedError, Operation, Result, Run
from annotation.core.parameters import parameter
from annotation.models import TokenUse
from annotation.vocabulary import LONGEST_USERNAME
from metrics.errors import InputError

_ONE_USE = timedelta(minutes=1)


@dataclass(frozen=True, kw_only=True)
class CreateTokenParameters:
    user: str = parameter(
        "",
        max_length=LONGEST_USERNAME,
        allow_blank=True,
        help_text="User name of the account.",
        style={"positional": True, "hidden": True},
    )


@dataclass(frozen=True, kw_only=True)
class RevokeTokenParameters:
    key: str = parameter(max_length=25, help_text="The first characters of the token.")


class CreateToken(Operation[None, CreateTokenParameters]):
    """Print a token of the API for a person: whoever has it may do what the person may.

    It ends by itself, and cannot be shown again.
    """

    name = "create token"
    command = "account create-token"
    example = {"user": "ada"}
    title = "New token"
    subject = None
    parameters = CreateTokenParameters
    permission = None

    def run(self, subject: None, parameters: CreateTokenParameters, run: Run) -> Result:
        user = get_user(username=parameters.user) if parameters.user else account_of(run.actor)
        if run.actor.user not in (None, user):
            raise NotPermittedError("people can only make tokens for themselves.")
        stored, token = create_token(user=user)
        return Result(
            {"token": token, "expires_at": stored.expiry.isoformat()},
            token,
            note=f"It ends on {format_moment(stored.expiry)}. "
            "Send it as: Authorization: Bearer TOKEN",
        )


class RevokeToken(Operation[None, RevokeTokenParameters]):
    """End a token of one's own."""

    name = "revoke token"
    command = None
    title = "Revoke token"
    subject = None
    parameters = RevokeTokenParameters
    permission = None

    def run(self, subject: None, parameters: RevokeTokenParameters, run: Run) -> Result:
        tokens = AuthToken.objects.filter(user=account_of(run.actor), token_key=parameters.key)
        revoked, _ = tokens.delete()
        if not revoked:
            raise InputError("this token no longer exists.")
        return Result(message="The token no longer works.")


def create_token(*, user: User) -> tuple[AuthToken, str]:
    """Make a token for `user`; return it with its text, which nobody can read again."""
    if not user.is_active:
        raise InputError(f"the account {user.get_username()!r} is closed.")
    made: tuple[AuthToken, str] = AuthToken.objects.create(user)
    return made


def token_used(*, token: AuthToken) -> None:
    """Remember that the token is used now. Written once a minute: programs call often."""
    now = timezone.now()
    if not TokenUse.objects.filter(token=token, last_used_at__gt=now - _ONE_USE).exists():
        TokenUse.objects.update_or_create(token=token, defaults={"last_used_at": now})


def account_of(actor: Actor) -> User:
    if not isinstance(actor.user, User):
        raise InputError("nobody is signed in.", remedy="Sign in first.")
    return actor.user


CREATE_TOKEN = CreateToken()
REVOKE_TOKEN = RevokeToken()
