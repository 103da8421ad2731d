"""Backups, proved by restoring them, and the settings of production."""

import io
import json
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

from annotation.management.backups import backup_restore
from metrics.errors import InputError
from metrics.io.files import sha256_of
from tests.ports import free_port
from tests.project import ROOT, Project
from tests.servers import REDIS, need_program
from tests.site.workers.profiles import Embedded, Server, need, wait_until, write_queries


def expect_a_restored_study(project: Project, tmp_path: Path) -> None:
    project.prepare()
    project.run("crowd", "key", "--quiet")
    secret = (project.data_dir / "crowd-key.json").read_bytes()
    queries = write_queries(tmp_path / "queries.tsv", 5)
    project.run("batch", "create", "--name", "kept", "--queries", queries)
    before = project.json("batch", "show", "kept")
    for link in ("moved", "stays"):
        (tmp_path / link).mkdir()
        (tmp_path / link / "run.txt").write_text("kept")
        (project.data_dir / link).symlink_to(tmp_path / link)
    written = project.json("site", "backup", tmp_path / "backup")
    assert "data.tar.gz" in written["sha256"]
    assert (tmp_path / "backup").stat().st_mode & 0o077 == 0

    project.run("batch", "create", "--name", "lost", "--queries", queries)
    project.run("crowd", "key", "--new", "--quiet")
    (project.data_dir / "crowd-key.json").unlink()
    (project.data_dir / "moved").unlink()
    (tmp_path / "stays" / "run.txt").write_text("changed")
    assert (
        "nothing was restored"
        in project.run("site", "restore", tmp_path / "backup", status=1).stderr
    )
    project.run("site", "restore", tmp_path / "backup", "--yes")

    assert project.json("batch", "show", "kept") == before
    assert "there is no batch" in project.run("batch", "show", "lost", status=1).stderr
    assert (project.data_dir / "crowd-key.json").read_bytes() == secret
    assert (project.data_dir / "moved" / "run.txt").read_text() == "kept"
    assert (tmp_path / "stays" / "run.txt").read_text() == "kept"
    assert project.json("site", "check")["broken"] == {}


@pytest.mark.long
def test_a_backup_of_sqlite_brings_everything_back(tmp_path: Path) -> None:
    project = Embedded(data_dir=tmp_path / "var", port=free_port())
    project.data_dir.mkdir()
    expect_a_restored_study(project, tmp_path)

    damaged = shutil.copytree(tmp_path / "backup", tmp_path / "damaged")
    with (damaged / "default.sqlite3").open("ab") as file:
        file.write(b"x")
    assert "is damaged" in project.run("site", "restore", damaged, "--yes", status=1).stderr
    assert "exists already" in project.run("site", "backup", tmp_path / "backup", status=1).stderr


@pytest.mark.long
def test_a_killed_backup_leaves_nothing_once_the_next_one_has_been_written(tmp_path: Path) -> None:
    """Nor does a backup touch what another one is writing."""
    project = Embedded(data_dir=tmp_path / "var", port=free_port())
    project.data_dir.mkdir()
    project.prepare()
    backups, large = tmp_path / "backups", project.data_dir / "large"
    with large.open("wb") as file:
        file.truncate(16 << 30)  # of zeros: it takes minutes to pack
    with subprocess.Popen(
        [sys.executable, "manage.py", "site", "backup", backups / "night"],
        cwd=ROOT,
        env=project.environment,
    ) as killed:
        wait_until(lambda: list(backups.glob(".night.*/data.tar.gz")), seconds=120, what="it packs")
        large.unlink()
        project.run("site", "backup", backups / "other")
        [left] = backups.glob(".night.*")
        assert killed.poll() is None
        killed.kill()
    assert sorted(path.name for path in backups.iterdir()) == [left.name, "other"]
    assert (left / "default.sqlite3").exists()

    assert left.name in project.run("site", "backup", backups / "night").stderr
    assert sorted(path.name for path in backups.iterdir()) == ["night", "other"]
    project.run("site", "backup", backups / "again")
    assert len(list(backups.iterdir())) == 3


@pytest.mark.parametrize(
    ("name", "kind"),
    [("../out", tarfile.REGTYPE), ("/tmp/out", tarfile.REGTYPE), ("link", tarfile.SYMTYPE)],  # noqa: S108 - refused
)
def test_a_backup_that_would_write_elsewhere_is_refused(
    name: str, kind: bytes, tmp_path: Path
) -> None:
    backup, data = tmp_path / "backup", tmp_path / "data"
    backup.mkdir()
    with tarfile.open(backup / "data.tar.gz", "w:gz") as archive:
        entry = tarfile.TarInfo(name)
        entry.type, entry.linkname = kind, "/etc/passwd"
        archive.addfile(entry, io.BytesIO())
    sums = {"data.tar.gz": sha256_of(backup / "data.tar.gz")}
    (backup / "manifest.json").write_text(json.dumps(sums))
    with pytest.raises(InputError, match="a backup cannot have"):
        backup_restore(backup, data_dir=data)
    assert not data.exists()
    assert not (tmp_path / "out").exists()


@pytest.mark.long
@pytest.mark.services
def test_a_backup_of_postgresql_brings_everything_back(tmp_path: Path) -> None:
    need(REDIS)
    need_program("pg_dump")
    project = Server(data_dir=tmp_path / "var", port=free_port(), broker=REDIS)
    project.data_dir.mkdir()
    with project.databases():
        expect_a_restored_study(project, tmp_path)


@pytest.mark.long
def test_the_settings_of_production_pass_every_check_of_deployment(tmp_path: Path) -> None:
    project = Embedded(data_dir=tmp_path, port=free_port())
    done = subprocess.run(
        [sys.executable, "manage.py", "check", "--deploy", "--fail-level", "WARNING"],
        cwd=ROOT,
        env=project.environment
        | {
            "FAIRPOOL_OPEN": "0",
            "ALLOWED_HOSTS": "fairpool.example.org",
            "CSRF_TRUSTED_ORIGINS": "https://fairpool.example.org",
            "SECRET_KEY": "",  # then the one that the site makes for itself
            "SECURE_COOKIES": "1",
            "TRUST_PROXY": "1",
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
