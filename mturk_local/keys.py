"""Requesters and the key pairs that sign their calls."""

import contextlib
import json
import os
import secrets
import tempfile
import time
from pathlib import Path

from mturk_local.ids import access_key_id
from mturk_local.models import KeyPair, Requester

#: After which nobody writes it any more: it takes an instant.
_SECONDS_OF_A_DRAFT = 60


def key_pair_get(key_id: str) -> KeyPair | None:
    """The active key pair of this access key id, with its requester."""
    return (
        KeyPair.objects.filter(access_key_id=key_id, active=True)
        .select_related("requester")
        .first()
    )


def key_pair_issue(*, requester_name: str) -> KeyPair:
    """A new key pair for the requester of this name, who is created if need be."""
    requester, _ = Requester.objects.get_or_create(name=requester_name)
    return KeyPair.objects.create(
        requester=requester, access_key_id=access_key_id(), nonce=secrets.token_hex(16)
    )


def key_file_ensure(path: Path, *, requester_name: str) -> KeyPair:
    """The key pair in the file at `path`; if the file is absent or void, a new pair is written.

    The file holds `access_key_id` and `secret_access_key` as JSON, readable by its owner only, and
    is replaced as a whole.
    """
    kept = _kept(path)
    if kept is not None and kept.requester.name == requester_name:
        return kept
    pair = key_pair_issue(requester_name=requester_name)
    content = {
        "access_key_id": pair.access_key_id,
        "secret_access_key": pair.secret_access_key,
    }
    _drafts_remove(path)
    # mkstemp makes the file with mode 0600, before anything is in it.
    handle, draft = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    with os.fdopen(handle, "w", encoding="ascii") as file:
        json.dump(content, file, indent=2)
        file.write("\n")
    Path(draft).replace(path)
    return pair


def _drafts_remove(path: Path) -> None:
    """Remove the drafts of processes that were killed over them."""
    for draft in path.parent.glob(f".{path.name}.*"):
        with contextlib.suppress(OSError):
            if time.time() - draft.stat().st_mtime > _SECONDS_OF_A_DRAFT:
                draft.unlink()


def _kept(path: Path) -> KeyPair | None:
    try:
        content = json.loads(path.read_text(encoding="ascii"))
        pair = key_pair_get(content["access_key_id"])
        valid = pair is not None and secrets.compare_digest(
            pair.secret_access_key, content["secret_access_key"]
        )
    except (FileNotFoundError, ValueError, KeyError, TypeError):
        return None
    return pair if valid else None
