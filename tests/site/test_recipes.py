"""The blocks of docs/recipes.md, each in its file as it is printed, in a copy of the checkout.

The neural ranker's stands in `tests/rankers/neural/test_recipes.py`.
"""

import csv
import json
import re
import shutil
from pathlib import Path

import pytest

from metrics.votes.files.reader import IMPORT_FORMATS
from tests.package.pages import blocks
from tests.people import in_shell
from tests.ports import free_port
from tests.project import ROOT, Project

pytestmark = pytest.mark.long
PAGE = ROOT / "docs" / "recipes.md"
#: What a recipe adds to; all else is only read.
_COPIED = ("annotation", "config", "metrics", "rankers")


def printed(docstring: str) -> str:
    """The block of Python that begins with this docstring."""
    found = [block.code for block in blocks(PAGE) if block.language == "python"]
    [code] = [code for code in found if code.startswith(f'"""{docstring}')]
    return code


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """A checkout that may be changed; commands are typed beside it."""
    checkout = tmp_path / "checkout"
    checkout.mkdir()
    for path in ROOT.iterdir():
        if path.name in _COPIED:
            without = shutil.ignore_patterns("__pycache__")
            shutil.copytree(path, checkout / path.name, ignore=without)
        elif not path.name.startswith(".") and path.name != "var":
            (checkout / path.name).symlink_to(path)
    # Not a link: Python would take the folder that it leads to for that of its modules.
    (checkout / "manage.py").unlink()
    shutil.copy(ROOT / "manage.py", checkout)
    folder = tmp_path / "typed"
    folder.mkdir()
    return Project(tmp_path / "var", free_port(), folder, checkout=checkout)


def register(path: Path, imported: str, within: str, name: str) -> None:
    """Import a name in a registry, and write it behind `within`."""
    text = path.read_text(encoding="utf-8")
    assert text.count(within) == 1
    text = text.replace(within, f"{within}{name}, ")
    first = re.search(r"^from ", text, re.MULTILINE)
    assert first
    text = f"{text[: first.start()]}{imported}\n{text[first.start() :]}"
    path.write_text(text, encoding="utf-8")


def test_the_operation_is_a_command_that_does_it_and_logs_it(project: Project) -> None:
    project.prepare()
    folder = project.checkout / "annotation"
    code = printed("Give a batch another name.")
    (folder / "batches" / "operations" / "retitle.py").write_text(code, encoding="utf-8")
    register(
        folder / "jobs" / "registry.py",
        "from annotation.batches.operations.retitle import RETITLE",
        "    PUBLISH,\n    ",
        "RETITLE",
    )
    (project.folder / "q.tsv").write_text("1\twho was the queen\n", encoding="utf-8")
    project.run("batch", "create", "--name", "first", "--queries", "q.tsv")

    project.run("batch", "retitle", "first", "--name", "second")

    assert project.json("batch", "show", "second")["name"] == "second"
    project.run("batch", "show", "first", status=1)
    log = in_shell(
        project,
        "from annotation.models import AuditEvent; "
        "print(AuditEvent.objects.get(action='renamed').detail)",
    )
    assert log == "{'before': 'first'}"


def test_the_import_format_reads_votes(project: Project) -> None:
    code = printed("tally: items with their votes")
    # Its place is its own, as that of every format has to be.
    [position] = re.findall(r"position=(\d+)", code)
    assert int(position) not in {one.position for one in IMPORT_FORMATS.values()}
    formats = project.checkout / "metrics" / "votes" / "files" / "formats"
    (formats / "tally.py").write_text(code, encoding="utf-8")
    votes = [
        {"item": n, "votes": [{"who": who, "said": "nfm"[n % 3]} for who in ("ann", 8)]}
        for n in range(6)
    ]
    (project.folder / "votes.dat").write_text(json.dumps(votes), encoding="utf-8")

    project.fairpool("decide", "votes.dat", "-o", "labels.csv")

    with (project.folder / "labels.csv").open() as file:
        labels = {row["qid"]: (row["label"], row["n_votes"]) for row in csv.DictReader(file)}
    assert labels == {str(n): ("nfm"[n % 3], "2") for n in range(6)}


def test_the_ranker_ranks(project: Project) -> None:
    folder = project.checkout / "rankers"
    (folder / "shortest.py").write_text(printed("The shortest passage first."), encoding="utf-8")
    register(
        folder / "registry.py",
        "from rankers.shortest import SHORTEST",
        "in (*DEFAULT, ",
        "SHORTEST",
    )
    (project.folder / "c.tsv").write_text("a\tone two three\nb\tone\n", encoding="utf-8")
    (project.folder / "q.tsv").write_text("q\tone\n", encoding="utf-8")

    project.fairpool(
        "rank", "--collection", "c.tsv", "--queries", "q.tsv", "--rankers", "SHORTEST",
        "--output", "runs",
    )  # fmt: skip

    run = (project.folder / "runs" / "SHORTEST.run").read_text(encoding="utf-8")
    assert [line.split()[2] for line in run.splitlines()] == ["b", "a"]
