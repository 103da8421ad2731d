"""A study with folders of its own for what is uploaded and what may be pointed to."""

from pathlib import Path

import pytest
from django.core.files.storage import storages
from pytest_django import Settings

from annotation.models import Study


@pytest.fixture
def folders(tmp_path: Path, settings: Settings) -> Path:
    """`stored`, `uploads` and `server` below one folder, in place of those of the site."""
    for name in ("stored", "uploads", "server"):
        (tmp_path / name).mkdir()
    settings.STORAGES = {
        **settings.STORAGES,
        "files": {
            "BACKEND": "django.core.files.storage.FileSystemStorage",
            "OPTIONS": {"location": str(tmp_path / "stored")},
        },
    }
    settings.FILE_UPLOAD_TEMP_DIR = tmp_path / "uploads"
    settings.FILES_DIR = str(tmp_path / "server")
    settings.DATA_DIR = tmp_path
    assert storages["files"].path("x") == str(tmp_path / "stored" / "x")
    return tmp_path


@pytest.fixture
def study(db: None, folders: Path) -> Study:
    return Study.objects.create(name="gender")
