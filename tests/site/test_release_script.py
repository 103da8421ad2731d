"""`.ci/release.py` on a clone: what it refuses, what it lists, and the tag that it makes."""

import hashlib
import json
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
import yaml

from metrics.version import VERSION
from mturk_local.version import VERSION as CROWD_VERSION
from tests.project import ROOT
from tests.servers import need_checkout

WHEEL = f"fairpool/fairpool-{VERSION}-py3-none-any.whl"


def git(clone: Path, *words: str) -> str:
    done = subprocess.run(
        [need_checkout(), *words], cwd=clone, capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


def wheel(path: Path, version: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("x.dist-info/METADATA", f"Name: x\nVersion: {version}\n\n")


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """A clone with a dated changelog, and what `make wheel` and `make docs` leave, empty inside."""
    clone = tmp_path / "clone"
    git(tmp_path, "clone", "--quiet", "--local", "--no-tags", str(ROOT), str(clone))
    git(clone, "config", "user.name", "Ada")
    git(clone, "config", "user.email", "ada@example.org")
    for path in (".ci/release.py", ".ci/image.py", ".dockerignore", ".gitignore"):
        (clone / path).write_bytes((ROOT / path).read_bytes())
    changelog = (clone / "CHANGELOG.md").read_text()
    dated = re.sub(
        r"^## \S+.*", f"## {VERSION} (2026-12-01)", changelog, count=1, flags=re.MULTILINE
    )
    (clone / "CHANGELOG.md").write_text(dated)
    kept = clone / "tests/upgrades" / VERSION / "data.tar.xz"
    kept.parent.mkdir(parents=True, exist_ok=True)
    kept.touch()
    git(clone, "add", "--all")
    git(clone, "commit", "--quiet", "--allow-empty", "--message", "Release")
    wheel(clone / "dist" / WHEEL, VERSION)
    wheel(clone / f"dist/mturk-local/mturk_local-{CROWD_VERSION}-py3-none-any.whl", CROWD_VERSION)
    source = clone / f"dist/fairpool/fairpool-{VERSION}"
    source.mkdir()
    (source / "PKG-INFO").write_text(f"Name: fairpool\nVersion: {VERSION}\n\n")
    tar = ["tar", "-czf", f"{source.name}.tar.gz", "--remove-files", source.name]
    subprocess.run(tar, cwd=source.parent, check=True)
    (clone / "var/site").mkdir(parents=True)
    (clone / "var/site/index.html").write_text(f"<title>Fairpool {VERSION}</title>")
    return clone


def release(clone: Path, *words: str) -> tuple[int, str, str]:
    command = [sys.executable, ".ci/release.py", *words, "dist"]
    done = subprocess.run(command, cwd=clone, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout, done.stderr


@pytest.mark.long
def test_a_release_lists_what_it_is_of_and_tags_its_commit(clone: Path) -> None:
    status, said, error = release(clone, "--tag")
    assert (status, error) == (0, "")
    assert git(clone, "rev-parse", f"v{VERSION}^{{commit}}") == git(clone, "rev-parse", "HEAD")
    assert f"git push origin v{VERSION}" in said
    sums = dict(
        line.split("  ")[::-1] for line in (clone / "dist/SHA256SUMS").read_text().splitlines()
    )
    recipe = yaml.safe_load((clone / "dist/recipe.yaml").read_text())
    source = f"fairpool/fairpool-{VERSION}.tar.gz"
    assert (recipe["context"]["version"], recipe["source"]["sha256"]) == (VERSION, sums[source])
    fixtures = f"fairpool-fixtures-{VERSION}.zip"
    assert {WHEEL, fixtures, "image-files.txt", "site-files.txt"} <= set(sums)
    with zipfile.ZipFile(clone / "dist" / fixtures) as archive:
        assert "fairpool-fixtures/values.json" in archive.namelist()
    for name, digest in sums.items():
        assert hashlib.sha256((clone / "dist" / name).read_bytes()).hexdigest() == digest
    entering = (clone / "dist/image-files.txt").read_text()
    assert "  manage.py\n" in entering
    assert "  tests/" not in entering
    assert "  measurements/" not in entering


@pytest.mark.long
def test_a_release_that_does_not_fit_says_why_and_tags_nothing(clone: Path) -> None:
    wheel(clone / "dist" / WHEEL, "0.9.0")
    (clone / "var/site/index.html").unlink()
    (clone / "manage.py").write_text("")
    shutil.rmtree(clone / "tests/upgrades" / VERSION)
    codemeta = json.loads((clone / "codemeta.json").read_text()) | {"version": "0.9.0"}
    (clone / "codemeta.json").write_text(json.dumps(codemeta))
    status, _, error = release(clone, "--tag")
    assert status == 1
    for said in (
        *("The versions differ", "not committed", "inside that it is 0.9.0", "make docs"),
        "tests.upgrades",
    ):
        assert said in error
    assert git(clone, "tag", "--list", f"v{VERSION}") == ""


def test_a_tag_of_another_commit_is_not_moved(clone: Path) -> None:
    git(clone, "tag", "--annotate", f"v{VERSION}", "--message", "earlier", "HEAD~1")
    status, _, error = release(clone)
    assert (status, "another commit" in error) == (1, True)


@pytest.mark.long
def test_a_dry_run_needs_no_date_and_no_commit(clone: Path) -> None:
    text = (clone / "CHANGELOG.md").read_text().replace("(2026-12-01)", "(not yet released)")
    (clone / "CHANGELOG.md").write_text(text)
    assert release(clone)[0] == 1
    status, said, _ = release(clone, "--dry")
    assert (status, f"git tag --annotate v{VERSION}" in said) == (0, True)


@pytest.mark.long
def test_changes_under_way_stop_a_release_and_no_dry_run(clone: Path) -> None:
    text = (clone / "CHANGELOG.md").read_text()
    (clone / "CHANGELOG.md").write_text(text.replace("## ", "## Unreleased\n\n## ", 1))
    status, _, error = release(clone)
    assert (status, "has no date" in error) == (1, True)
    assert "versions differ" not in error
    assert release(clone, "--dry")[0] == 0
