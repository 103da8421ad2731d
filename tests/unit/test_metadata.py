"""What describes the project to others says the same everywhere."""

import json
import re
import tomllib
from pathlib import Path

from metrics.version import VERSION

ROOT = Path(__file__).resolve().parent.parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


def test_the_version_is_the_same_everywhere() -> None:
    codemeta = json.loads((ROOT / "codemeta.json").read_text())
    citation = (ROOT / "CITATION.cff").read_text()

    assert PROJECT["version"] == codemeta["version"] == VERSION
    assert f"\nversion: {VERSION}\n" in citation


def test_codemeta_names_what_the_library_needs() -> None:
    codemeta = json.loads((ROOT / "codemeta.json").read_text())
    needed = [re.split(r"[><=]", requirement)[0] for requirement in PROJECT["dependencies"]]

    assert codemeta["softwareRequirements"] == sorted(needed)


def test_the_workflow_runs_what_continuous_integration_runs_and_nothing_else() -> None:
    workflow = (ROOT / ".github" / "workflows" / "ci.yml").read_text()
    commands = re.findall(r"- run: (.*)", workflow)

    assert commands[-1] == ".ci/run"
    assert all(command.startswith("createdb ") for command in commands[:-1])


def test_every_citation_of_the_paper_is_in_its_bibliography() -> None:
    cited = set(re.findall(r"@([a-z]+\d{4})", (ROOT / "paper.md").read_text()))
    entries = set(re.findall(r"^@\w+\{(\w+),", (ROOT / "paper.bib").read_text(), re.MULTILINE))

    assert cited == entries


def test_hooks_call_targets_that_exist() -> None:
    makefile = (ROOT / "Makefile").read_text()
    targets = re.findall(r"entry: make (\w+)", (ROOT / ".pre-commit-config.yaml").read_text())

    assert targets
    assert [target for target in targets if f"\n{target}:" not in makefile] == []
