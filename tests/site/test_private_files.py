"""Votes, worker ids and keys are files of one user: whatever the site writes, nobody else reads."""

import io
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from django.core.files.base import ContentFile
from django.core.management import CommandError, call_command
from pytest_django import Settings

from annotation import checks
from annotation.studies.file_store import store
from mturk_local.models import KeyPair
from tests.ports import free_port
from tests.project import ROOT, Project

GENEROUS = 0o022


def open_to_others(folder: Path) -> list[str]:
    """What in `folder`, and itself, others than its owner may read, write or enter."""
    found = [folder, *folder.rglob("*")]
    return [str(path) for path in found if stat.S_IMODE(path.lstat().st_mode) & 0o077]


@pytest.mark.long
def test_nothing_that_the_site_writes_is_for_other_users(tmp_path: Path) -> None:
    project = Project(data_dir=tmp_path / "var", port=free_port())
    project.data_dir.mkdir()
    project.data_dir.chmod(0o755)
    exports = tmp_path / "exports"
    exports.mkdir(mode=0o700)
    queries, votes = ROOT / "sample" / "queries.tsv", exports / "votes.csv"
    for command in (
        ("migrate", "--verbosity", "0"),
        ("migrate", "--database", "crowd", "--verbosity", "0"),
        ("crowd", "key", "--quiet"),
        ("study", "create", "ours"),
        ("batch", "create", "--name", "first", "--queries", queries, "--assignments", "1"),
        ("label", "export-votes", "first", "--output", votes),
        ("site", "backup", exports / "backup"),
    ):
        subprocess.run(
            [sys.executable, "manage.py", *map(str, command)],
            cwd=ROOT,
            env=project.environment,
            umask=GENEROUS,
            check=True,
            capture_output=True,
        )
    assert votes.stat().st_size
    assert open_to_others(project.data_dir) == []
    assert open_to_others(exports) == []


def test_an_upload_is_stored_for_its_owner_alone(settings: Settings, tmp_path: Path) -> None:
    before = os.umask(GENEROUS)
    try:
        settings.STORAGES = settings.STORAGES | {
            "files": {
                "BACKEND": "django.core.files.storage.FileSystemStorage",
                "OPTIONS": {"location": str(tmp_path / "studies")},
            }
        }
        store().save("1/bm25.run", ContentFile(b"q1 Q0 d1 1 1.0 bm25\n"))
    finally:
        os.umask(before)
    assert open_to_others(tmp_path / "studies" / "1") == []


def test_a_data_folder_that_others_can_enter_is_told(settings: Settings, tmp_path: Path) -> None:
    settings.DATA_DIR = tmp_path
    tmp_path.chmod(0o700)
    assert checks.data_folder(None) == []
    tmp_path.chmod(0o750)
    assert [message.id for message in checks.data_folder(None)] == ["annotation.W002"]


@pytest.mark.django_db(databases=["crowd"])
def test_a_key_pair_is_printed_on_a_terminal_or_as_json_only(
    settings: Settings, tmp_path: Path
) -> None:
    settings.MTURK_LOCAL_KEY_FILE = tmp_path / "key.json"
    output = io.StringIO()
    call_command("crowd", "key", stdout=output)
    secret = KeyPair.objects.get().secret_access_key
    assert secret not in output.getvalue()
    with pytest.raises(CommandError):
        call_command("crowd", "key", "--new", stdout=output)
    assert KeyPair.objects.count() == 1
    call_command("crowd", "key", "--json", stdout=output)
    assert secret in output.getvalue()
    for terminal, options in ((True, ()), (False, ("--shell",))):
        output = io.StringIO()
        output.isatty = lambda terminal=terminal: terminal  # type: ignore[method-assign, misc]
        call_command("crowd", "key", *options, stdout=output)
        assert f"export AWS_SECRET_ACCESS_KEY={secret}" in output.getvalue()
