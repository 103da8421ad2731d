"""A read-only folder, an empty database, an address of another app: a sentence, and no fault."""

import errno
import os
import runpy
import subprocess
import sys
import uuid
from pathlib import Path

import psycopg
import pytest
from django.conf import settings as site
from django.contrib.auth.models import User
from django.test import Client

from tests.project import ROOT
from tests.servers import POSTGRES, need_postgresql


def test_settings_are_read_where_the_data_folder_is_read_only(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refuse(_path: Path, _mode: int) -> None:
        raise OSError(errno.EROFS, "Read-only file system")

    monkeypatch.setattr(Path, "chmod", refuse)
    read = runpy.run_path(str(Path(site.BASE_DIR) / "config" / "settings.py"))
    assert read["DATA_DIR"] == site.DATA_DIR


@pytest.mark.parametrize("verb", [["key", "--json"], ["invariants"]])
def test_a_database_without_tables_is_told_in_a_sentence(tmp_path: Path, verb: list[str]) -> None:
    need_postgresql()
    name = f"empty_{uuid.uuid4().hex}"
    databases = dict.fromkeys(("DATABASE_URL", "CROWD_DATABASE_URL"), f"{POSTGRES}{name}")
    with psycopg.connect(f"{POSTGRES}postgres", autocommit=True) as server:
        server.execute(f"CREATE DATABASE {name}")
        try:
            ended = subprocess.run(
                [sys.executable, "manage.py", "crowd", *verb],
                cwd=ROOT,
                env=os.environ | databases | {"FAIRPOOL_DATA_DIR": str(tmp_path)},
                capture_output=True,
                text=True,
                check=False,
            )
        finally:
            server.execute(f"DROP DATABASE {name} WITH (FORCE)")
    assert ended.returncode == 1
    assert "manage.py migrate" in ended.stderr
    assert "Traceback" not in ended.stderr


@pytest.mark.django_db
def test_the_admin_site_shows_no_key_of_an_app() -> None:
    client = Client()
    client.force_login(User.objects.create_superuser("ada"))
    for page in ("config", "qrcode"):
        assert client.get(f"/admin/otp_totp/totpdevice/1/{page}/").status_code == 403
