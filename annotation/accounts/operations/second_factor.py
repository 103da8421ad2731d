"""The second factor of an account: codes of an authenticator app, and recovery codes for its loss.

django-otp keeps both and slows guessing down: after each failure an account waits twice as long. A
code works once. A person who has lost both asks staff, who reset it on the server.
"""

import time
from binascii import unhexlify
from dataclasses import dataclass

import structlog
from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone
from django_otp import verify_token
from django_otp.models import Device
from django_otp.oath import TOTP
from django_otp.plugins.otp_static.models import StaticDevice, StaticToken
from django_otp.plugins.otp_totp.models import TOTPDevice

from annotation.accounts.operations.tokens import account_of
from annotation.accounts.queries.members import get_user
from annotation.accounts.queries.second_factor import has_second_factor
from annotation.core.operations import NotPermittedError, Operation, Result, Run
from annotation.core.parameters import TermError, parameter
from annotation.models import SecurityKey
from annotation.vocabulary import LONGEST_CODE, LONGEST_USERNAME
from metrics.errors import InputError

RECOVERY_CODES = 10
#: Steps of 30 seconds by which the clock of a phone may differ.
_TOLERANCE = 1
#: Digits of a code of the app; recovery codes are longer.
_DIGITS = 6

log = structlog.get_logger(__name__)


@dataclass(frozen=True, kw_only=True)
class CodeParameters:
    code: str = parameter(
        max_length=LONGEST_CODE,
        label="Code",
        help_text="Six digits of the app, or a recovery code.",
    )


@dataclass(frozen=True, kw_only=True)
class TurnOnSecondFactorParameters:
    key: str = parameter(min_length=40, max_length=40, style={"hidden": True})
    code: str = parameter(
        max_length=LONGEST_CODE, label="Code", help_text="The six digits that the app shows now."
    )


@dataclass(frozen=True, kw_only=True)
class ResetSecondFactorParameters:
    user: str = parameter(
        max_length=LONGEST_USERNAME,
        help_text="User name of the account.",
        style={"positional": True},
    )


class TurnOnSecondFactor(Operation[None, TurnOnSecondFactorParameters]):
    """Ask for a code of an authenticator app at every sign-in; prints ten recovery codes, once."""

    name = "turn on second factor"
    command = None
    title = "Turn on two-step sign-in"
    subject = None
    parameters = TurnOnSecondFactorParameters
    permission = None

    @transaction.atomic
    def run(self, subject: None, parameters: TurnOnSecondFactorParameters, run: Run) -> Result:
        user = User.objects.select_for_update().get(pk=account_of(run.actor).pk)
        if has_second_factor(user=user):
            raise InputError("two-step sign-in is on already.", remedy="Turn it off first.")
        app = TOTP(unhexlify(parameters.key))
        app.time = time.time()
        if not app.verify(_digits(parameters.code), _TOLERANCE):
            raise TermError("code", "this is not the code that the app shows now.")
        remove_second_factor(user=user)
        TOTPDevice.objects.create(user=user, name="app", key=parameters.key, last_t=app.t())
        log.info("second factor turned on", user=user.pk)
        return Result(message="Two-step sign-in is on.", made=_new_recovery_codes(user))


class RenewRecoveryCodes(Operation[None, CodeParameters]):
    """Make ten new recovery codes, shown once; the old ones end."""

    name = "renew recovery codes"
    command = None
    title = "Make new recovery codes"
    subject = None
    parameters = CodeParameters
    permission = None

    def run(self, subject: None, parameters: CodeParameters, run: Run) -> Result:
        user = account_of(run.actor)
        check_second_factor(user=user, code=parameters.code)
        log.info("recovery codes renewed", user=user.pk)
        return Result(message="These codes replace the old ones.", made=_new_recovery_codes(user))


class TurnOffSecondFactor(Operation[None, CodeParameters]):
    """Ask for the password alone at sign-in."""

    name = "turn off second factor"
    command = None
    title = "Turn off two-step sign-in"
    subject = None
    parameters = CodeParameters
    permission = None

    def run(self, subject: None, parameters: CodeParameters, run: Run) -> Result:
        user = account_of(run.actor)
        check_second_factor(user=user, code=parameters.code)
        remove_second_factor(user=user)
        log.info("second factor turned off", user=user.pk)
        return Result(message="Two-step sign-in is off.")


class ResetSecondFactor(Operation[None, ResetSecondFactorParameters]):
    """Turn off the two-step sign-in of a person who has lost the app and the recovery codes.

    Make sure that it is them: afterwards the password alone signs in.
    """

    name = "reset second factor"
    command = "account reset-second-factor"
    title = "Reset two-step sign-in"
    subject = None
    parameters = ResetSecondFactorParameters
    example = {"user": "ada"}
    permission = None

    def run(self, subject: None, parameters: ResetSecondFactorParameters, run: Run) -> Result:
        if run.actor.user is not None:
            raise NotPermittedError("only a person with a shell on the server can do this.")
        user = get_user(username=parameters.user)
        if not remove_second_factor(user=user):
            raise InputError(f"{parameters.user} has no two-step sign-in.")
        log.info("second factor reset", user=user.pk, by=run.actor.name)
        return Result(
            {"user": parameters.user}, f"{parameters.user} now signs in by password alone."
        )


def check_sign_in(*, user: User, code: str) -> None:
    """Check a code at sign-in: a user with a security key may give a recovery code only."""
    is_of_app = len("".join(code.split())) == _DIGITS
    if is_of_app and SecurityKey.objects.filter(user=user).exists():
        raise TermError("code", "you have a security key: use it, or a recovery code.")
    check_second_factor(user=user, code=code)


def check_second_factor(*, user: User, code: str) -> Device:
    """Return the app or list of recovery codes that accepts `code`; `TermError` if none does."""
    code = "".join(code.split()).lower()
    kind = TOTPDevice if len(code) == _DIGITS else StaticDevice
    device = kind.objects.filter(user=user, confirmed=True).first()
    if device is None or not code.isalnum():
        raise TermError("code", "this code is wrong.")
    allowed, why = device.verify_is_allowed()
    if not allowed:
        seconds = int((why["locked_until"] - timezone.now()).total_seconds()) + 1
        raise TermError("code", f"too many wrong codes: wait {seconds} seconds.")
    verified: Device | None = verify_token(user, device.persistent_id, code)
    if verified is None:
        raise TermError("code", "this code is wrong, or was used before.")
    return verified


def remove_second_factor(*, user: User) -> bool:
    """Delete app, security keys and recovery codes of `user`; return whether there were any."""
    SecurityKey.objects.filter(user=user).delete()
    apps, _ = TOTPDevice.objects.filter(user=user).delete()
    lists, _ = StaticDevice.objects.filter(user=user).delete()
    return bool(apps or lists)


@transaction.atomic
def _new_recovery_codes(user: User) -> list[str]:
    StaticDevice.objects.filter(user=user).delete()
    device = StaticDevice.objects.create(user=user, name="recovery codes")
    codes = [StaticToken.random_token() for _ in range(RECOVERY_CODES)]
    StaticToken.objects.bulk_create(StaticToken(device=device, token=code) for code in codes)
    return codes


def _digits(code: str) -> int:
    typed = "".join(code.split())
    return int(typed) if typed.isdecimal() else -1


TURN_ON_SECOND_FACTOR = TurnOnSecondFactor()
RENEW_RECOVERY_CODES = RenewRecoveryCodes()
TURN_OFF_SECOND_FACTOR = TurnOffSecondFactor()
RESET_SECOND_FACTOR = ResetSecondFactor()
