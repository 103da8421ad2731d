"""Tokens of Prolific at rest: encrypted with a key that follows from the site's secret key.

A token never expires and may do everything, so that the database must not contain it in plain text.
"""

import base64

from cryptography.fernet import Fernet, InvalidToken
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from django.conf import settings

from annotation.models import ProlificWorkspace
from annotation.prolific.client import Prolific
from annotation.prolific.task_builder import TaskBuilder
from metrics.errors import InputError

_PURPOSE = b"annotation.prolific.tokens"


def seal(token: str) -> str:
    """`token` as it is stored."""
    return _cipher().encrypt(token.encode()).decode()


def unseal(stored: str) -> str:
    """The token that was stored; `InputError` where the site's secret key has changed since."""
    try:
        return _cipher().decrypt(stored.encode()).decode()
    except InvalidToken:
        raise InputError(
            "the stored token of Prolific cannot be read: the secret key of the site has changed.",
            remedy="Store the token again.",
        ) from None


def workspace_prolific(workspace: ProlificWorkspace) -> Prolific:
    """Prolific with the token of this workspace."""
    return Prolific(unseal(workspace.token), address=workspace.address)


def workspace_task_builder(workspace: ProlificWorkspace) -> TaskBuilder:
    """The Task Builder of this workspace."""
    return TaskBuilder(unseal(workspace.token), address=workspace.address)


def _cipher() -> Fernet:
    derived = HKDF(algorithm=hashes.SHA256(), length=32, salt=None, info=_PURPOSE)
    return Fernet(base64.urlsafe_b64encode(derived.derive(settings.SECRET_KEY.encode())))
