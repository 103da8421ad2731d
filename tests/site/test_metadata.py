"""What describes the project to others says the same everywhere."""

import json
import re
import tomllib
from importlib.util import find_spec
from pathlib import Path

import yaml

from measurements.bench.__main__ import MODULES
from metrics.extras import EXTRA_OF
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


def test_the_archive_says_what_the_citation_says() -> None:
    archived = json.loads((ROOT / ".zenodo.json").read_text())
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text())

    assert archived["title"] == citation["title"]
    assert archived["description"] == citation["abstract"]
    assert archived["keywords"] == citation["keywords"]
    assert archived["license"] in citation["license"]
    assert [creator["name"] for creator in archived["creators"]] == [
        author["name"] for author in citation["authors"]
    ]
    assert archived["related_identifiers"][0]["identifier"] == citation["references"][0]["doi"]


def test_the_recipe_for_conda_needs_what_the_library_needs() -> None:
    recipe = yaml.safe_load((ROOT / "deploy" / "conda" / "recipe.yaml").read_text())
    python, *needed = recipe["requirements"]["run"]
    lowest = recipe["context"]["python_min"]

    assert python == "python >=${{ python_min }}"
    assert PROJECT["requires-python"] == f">={lowest}"
    named = [re.sub("^python-", "", name).replace(" ", "") for name in needed]
    assert named == PROJECT["dependencies"]
    assert recipe["about"]["license"] == PROJECT["license"]
    assert recipe["about"]["license_file"] == PROJECT["license-files"]
    program, target = recipe["build"]["python"]["entry_points"][0].split(" = ")
    assert PROJECT["scripts"] == {program: target}


def test_the_workflow_runs_what_continuous_integration_runs_and_nothing_else() -> None:
    workflow = (ROOT / ".github" / "workflows" / "ci.yml").read_text()
    commands = re.findall(r"- run: (.*)", workflow)

    assert commands[-1] == ".ci/run"
    assert all(command.startswith("createdb ") for command in commands[:-1])


def test_every_citation_of_the_paper_is_in_its_bibliography() -> None:
    cited = set(re.findall(r"@([a-z]+\d{4})", (ROOT / "paper.md").read_text()))
    entries = set(re.findall(r"^@\w+\{(\w+),", (ROOT / "paper.bib").read_text(), re.MULTILINE))

    assert cited == entries


def test_what_is_published_is_what_was_tested() -> None:
    workflow = (ROOT / ".github" / "workflows" / "release.yml").read_text()
    commands = re.findall(r"- run: (.*)", workflow)

    assert commands[-2:] == ["make wheel docs", "python .ci/release.py dist"]
    assert sum("build" in command for command in commands) == 0
    published = set(re.findall(r"packages-dir: dist/([\w-]+)", workflow))
    assert published == set(re.findall(r'"\$DIST/([\w-]+)"', (ROOT / ".ci" / "wheel").read_text()))


def test_the_recipe_of_a_release_names_targets_and_scripts_that_exist() -> None:
    recipe = (ROOT / "docs" / "release.md").read_text()
    makefile = (ROOT / "Makefile").read_text()
    targets = re.findall(r"\bmake ([a-z-]+)", recipe)

    assert {"wheel", "bench", "docs", "faults", "soak"} <= set(targets)
    assert [target for target in targets if f"\n{target}:" not in makefile] == []
    scripts = re.findall(r"\.ci/[\w.]+|metrics/version\.py|mturk_local/version\.py", recipe)
    assert [script for script in scripts if not (ROOT / script).is_file()] == []


def test_hooks_call_targets_that_exist() -> None:
    makefile = (ROOT / "Makefile").read_text()
    targets = re.findall(r"entry: make (\w+)", (ROOT / ".pre-commit-config.yaml").read_text())

    assert targets
    assert [target for target in targets if f"\n{target}:" not in makefile] == []


def test_every_benchmark_that_is_named_is_there() -> None:
    assert [name for name in MODULES if find_spec(f"measurements.bench.{name}") is None] == []


def test_the_table_of_extras_has_each_of_them() -> None:
    documented = re.findall(
        r"^\|.*?\|", (ROOT / "docs" / "integrations.md").read_text(), re.MULTILINE
    )
    named = {extra for cell in documented for extra in re.findall(r"`fairpool\[(\w+)\]`", cell)}

    assert named == set(PROJECT["optional-dependencies"])


def test_every_package_that_work_asks_for_has_an_extra_that_brings_it() -> None:
    extras = PROJECT["optional-dependencies"]

    assert set(EXTRA_OF.values()) <= set(extras)


def test_the_licence_table_names_what_the_wheel_takes_from_beside_the_library() -> None:
    annotations = tomllib.loads((ROOT / "REUSE.toml").read_text())["annotations"]
    library = next(a["path"] for a in annotations if a["SPDX-License-Identifier"] == "Apache-2.0")
    houses = (ROOT / ".ci" / "houses.py").read_text()
    names = re.findall(r'\*\(("[^)]*)\)', houses[: houses.index("_PROGRAM")])

    taken = {f"pooling/{name}.py" for name in re.findall(r'"(\w+)"', " ".join(names))}

    assert "pooling/items.py" in taken
    assert {path for path in library if path.startswith("pooling/")} == taken
