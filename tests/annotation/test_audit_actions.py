"""What the log says was done is said with the members of one enum."""

import ast
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from annotation.core.origin import actor
from annotation.models import AuditEvent
from annotation.vocabulary import AuditAction

_CODE = Path(__file__).resolve().parents[2] / "annotation"
_WRITERS = {"AuditEvent.objects.create", "log_money_event", "note_thing", "create_imported_batch"}


def written() -> Iterator[tuple[str, ast.expr]]:
    """Each action that an entry is written with, and where; what is handed on has a type."""
    for path in _CODE.rglob("*.py"):
        if "migrations" in path.parts:
            continue
        for call in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(call, ast.Call) and ast.unparse(call.func) in _WRITERS:
                for keyword in call.keywords:
                    if keyword.arg == "action":
                        yield f"{path}:{call.lineno}", keyword.value


@pytest.mark.long
def test_every_entry_of_the_log_is_written_with_a_member() -> None:
    found = list(written())
    assert len(found) > len(AuditAction) / 2
    free = [place for place, action in found if isinstance(action, ast.Constant | ast.JoinedStr)]
    assert not free


def test_every_action_fits_into_its_column() -> None:
    longest = AuditEvent._meta.get_field("action").max_length
    assert longest is not None
    assert all(len(action) <= longest for action in AuditAction.values)


def test_a_command_of_a_user_id_without_a_name_is_recorded(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("LOGNAME", "USER", "LNAME", "USERNAME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(os, "getuid", lambda: 54321)
    assert actor() == "user 54321 (command line)"
