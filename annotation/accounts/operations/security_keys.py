"""Security keys (WebAuthn), which sign for the address that the browser is at, and for no other.

A key is added beside the app of an account. From then on codes of the app no longer sign in, so
that a phishing page, which passes on what people type, gets nothing of use. Recovery codes still
work without the key.
"""

import json
from dataclasses import dataclass
from typing import Any, cast
from urllib.parse import urlsplit

import structlog
from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Q
from django.utils import timezone
from fido2.server import Fido2Server
from fido2.webauthn import (
    AttestedCredentialData,
    AuthenticationResponse,
    PublicKeyCredentialRpEntity,
    PublicKeyCredentialUserEntity,
    UserVerificationRequirement,
)

from annotation.accounts.operations.second_factor import check_second_factor
from annotation.accounts.operations.tokens import account_of
from annotation.core.operations import Operation, Result, Run
from annotation.core.parameters import TermError, parameter
from annotation.models import SecurityKey
from annotation.vocabulary import LONGEST_CODE, LONGEST_KEY_NAME
from metrics.errors import InputError

KEYS_MAX = 10
#: The password is the first step, so that touching the key is enough.
_VERIFICATION = UserVerificationRequirement.DISCOURAGED

#: Errors of the parser of responses, also for input that is nested without end.
_UNREADABLE = (ValueError, KeyError, TypeError, AttributeError, RecursionError)

log = structlog.get_logger(__name__)


@dataclass(frozen=True, kw_only=True)
class AddSecurityKeyParameters:
    name: str = parameter(
        max_length=LONGEST_KEY_NAME, label="Name", help_text="What you call the key."
    )
    code: str = parameter(
        max_length=LONGEST_CODE,
        label="Code",
        help_text="Six digits of the app, or a recovery code.",
    )
    site: str = parameter(max_length=300, style={"hidden": True})
    challenge: str = parameter(max_length=100, style={"hidden": True})
    response: str = parameter(max_length=20_000, style={"hidden": True})


@dataclass(frozen=True, kw_only=True)
class RemoveSecurityKeyParameters:
    name: str = parameter(
        max_length=LONGEST_KEY_NAME, label="Name", help_text="What you call the key."
    )
    code: str = parameter(
        max_length=LONGEST_CODE,
        label="Code",
        help_text="Six digits of the app, or a recovery code.",
    )


class AddSecurityKey(Operation[None, AddSecurityKeyParameters]):
    """Ask for a touch of a security key at every sign-in, in place of a code of the app."""

    name = "add security key"
    command = None
    title = "Add security key"
    subject = None
    parameters = AddSecurityKeyParameters
    permission = None

    @transaction.atomic
    def run(self, subject: None, parameters: AddSecurityKeyParameters, run: Run) -> Result:
        user = User.objects.select_for_update().get(pk=account_of(run.actor).pk)
        keys = SecurityKey.objects.filter(user=user)
        if keys.filter(name__iexact=parameters.name).exists():
            raise TermError("name", "you already have a key with this name.")
        if keys.count() >= KEYS_MAX:
            raise InputError(
                f"an account can have at most {KEYS_MAX} keys.", remedy="Remove one first."
            )
        try:
            made = _server(parameters.site).register_complete(
                _state(parameters.challenge), json.loads(parameters.response)
            )
            credential = made.credential_data
        except _UNREADABLE:
            credential = None
        if credential is None:
            raise TermError("response", "the key gave no valid answer: try again.")
        if SecurityKey.objects.filter(credential_id=credential.credential_id.hex()).exists():
            raise TermError("response", "this key is in use already.")
        # Last, since trying a code uses it up.
        check_second_factor(user=user, code=parameters.code)
        keys.create(
            user=user,
            name=parameters.name,
            credential_id=credential.credential_id.hex(),
            credential=bytes(credential),
            uses=made.counter,
        )
        log.info("security key added", user=user.pk)
        return Result(message=f"{parameters.name} is asked for at your next sign-in.")


class RemoveSecurityKey(Operation[None, RemoveSecurityKeyParameters]):
    """Remove this key; without any, a code of the app signs in again."""

    name = "remove security key"
    command = None
    title = "Remove security key"
    subject = None
    parameters = RemoveSecurityKeyParameters
    permission = None

    def run(self, subject: None, parameters: RemoveSecurityKeyParameters, run: Run) -> Result:
        user = account_of(run.actor)
        keys = SecurityKey.objects.filter(user=user, name=parameters.name)
        if not keys.exists():
            raise TermError("name", "you have no key with this name.")
        check_second_factor(user=user, code=parameters.code)
        keys.delete()
        log.info("security key removed", user=user.pk)
        return Result(message=f"{parameters.name} is removed.")


def security_key_options(*, user: User, site: str, adding: bool) -> tuple[dict[str, Any], str]:
    """Return the browser's options for a key, and the challenge that its answer must contain."""
    known = [AttestedCredentialData(bytes(key.credential)) for key in _keys(user)]
    if not adding:
        options, state = _server(site).authenticate_begin(known, _VERIFICATION)
        return dict(options)["publicKey"], state["challenge"]
    person = PublicKeyCredentialUserEntity(
        id=str(user.pk).encode(), name=user.username, display_name=user.username
    )
    making, state = _server(site).register_begin(person, known, user_verification=_VERIFICATION)
    return dict(making)["publicKey"], state["challenge"]


def check_security_key(*, user: User, site: str, challenge: str, response: str) -> None:
    """Raise `InputError` unless a key of `user` signed the `challenge` of `site`, and only once."""
    known = [AttestedCredentialData(bytes(key.credential)) for key in _keys(user)]
    try:
        answer = AuthenticationResponse.from_dict(json.loads(response))
        used = _server(site).authenticate_complete(_state(challenge), known, answer)
    except _UNREADABLE:
        raise InputError("the key gave no valid answer: try again.") from None
    uses = answer.response.authenticator_data.counter
    # The counter of a copied key lags behind the original; keys without a counter send 0.
    fresh = Q(uses__lt=uses) if uses else Q(uses=0)
    key = SecurityKey.objects.filter(user=user, credential_id=used.credential_id.hex())
    if not key.filter(fresh).update(uses=uses, last_used_at=timezone.now()):
        log.warning("security key counts backwards", user=user.pk)
        raise InputError("this key counts behind an earlier use: it may have been copied.")


def _keys(user: User) -> list[SecurityKey]:
    return list(SecurityKey.objects.filter(user=user).order_by("pk"))


def _server(site: str) -> Fido2Server:
    """Return the verifier for `site`, the scheme and host of the address in the browser."""
    rp = PublicKeyCredentialRpEntity(name="Fairpool", id=cast("str", urlsplit(site).hostname))
    return Fido2Server(rp, verify_origin=lambda origin: origin == site)


def _state(challenge: str) -> dict[str, Any]:
    return {"challenge": challenge, "user_verification": _VERIFICATION}


ADD_SECURITY_KEY = AddSecurityKey()
REMOVE_SECURITY_KEY = RemoveSecurityKey()
