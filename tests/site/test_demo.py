"""The demonstration, the README that shows it, and the study that is typed after it."""

import re
import shlex
from pathlib import Path

import pytest

from tests.latex import CLASSES, compile_latex
from tests.package.pages import blocks
from tests.project import ROOT, Project, new_project
from tests.svg import assert_same_drawing

pytestmark = [pytest.mark.timed, pytest.mark.long]

README = ROOT / "README.md"
STUDY = ROOT / "docs" / "study-protocol.md"


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> tuple[Project, str]:
    """A folder in which the demonstration has run, and what it printed."""
    folder = tmp_path_factory.mktemp("first")
    (folder / "sample").symlink_to(ROOT / "sample")
    project = new_project(folder / "var", folder)
    return project, project.run("demo").stdout


def test_the_readme_shows_what_the_demonstration_prints(demo: tuple[Project, str]) -> None:
    steps = [line for line in demo[1].splitlines() if line.startswith("[")]

    shown = [
        line
        for block in blocks(README)
        if block.language == "text"
        for line in block.code.splitlines()
    ]

    assert shown == [re.sub(r" \(\d+\.\d s\)$", "", line) for line in steps]


def test_the_readme_shows_the_figure_of_the_demonstration(demo: tuple[Project, str]) -> None:
    drawn = demo[0].folder / "demo-output" / "figure1_bias.svg"

    assert_same_drawing(drawn, ROOT / "docs/images/figure1.svg")


@pytest.mark.parametrize("document_class", CLASSES.values(), ids=CLASSES)
def test_the_tables_of_the_demonstration_fit_the_page(
    demo: tuple[Project, str], tmp_path: Path, document_class: str
) -> None:
    found = sorted((demo[0].folder / "demo-output").glob("*.tex"))
    compile_latex([path.read_text(encoding="utf-8") for path in found], tmp_path, document_class)
    assert (tmp_path / "paper.pdf").stat().st_size > 0


def test_the_site_shows_the_demonstration_as_a_study(demo: tuple[Project, str]) -> None:
    project, _ = demo
    assert project.json("job", "work", "--once") == {"tasks": 1}
    steps = project.json("study", "show", "demo")["steps"]

    states = {step["step"]: step["state"] for step in steps}
    assert states.pop("labels") == "ready", "its ties wait for an adjudicator"
    assert set(states.values()) == {"done"}


def test_another_demonstration_elsewhere_writes_the_same_bytes(
    demo: tuple[Project, str], tmp_path: Path
) -> None:
    other = new_project(tmp_path / "another" / "data", tmp_path)
    other.run("demo", "--output", tmp_path / "results")

    first = contents(demo[0].folder / "demo-output")
    second = contents(tmp_path / "results")

    assert len(first) > 20
    assert sorted(first) == sorted(second)
    assert [name for name in first if first[name] != second[name]] == []


def contents(folder: Path) -> dict[str, bytes]:
    paths = (path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): path.read_bytes() for path in paths}


def test_the_commands_of_the_whole_study_work_on_the_sample(demo: tuple[Project, str]) -> None:
    project, _ = demo
    programs = {"python manage.py ": project.run, "fairpool ": project.fairpool}
    lines = [line for block in blocks(STUDY) for line in block.code.splitlines()]
    commands = [
        (run, shlex.split(line.removeprefix(prefix)))
        for line in lines
        for prefix, run in programs.items()
        if line.startswith(prefix)
    ]
    assert len(commands) == 10

    with project.site():
        for run, arguments in commands:
            run(*arguments)

    exported = (project.folder / "non_gendered.csv").read_text(encoding="utf-8")
    assert exported.endswith(",n\n")
    assert (project.folder / "report" / "index.html").is_file()
