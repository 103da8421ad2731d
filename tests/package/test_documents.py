"""What the README and docs/integrations.md show of the library, run as a reader would."""

import contextlib
import io
import os
import re
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from .conftest import TEXTS
from .pages import blocks

ROOT = Path(__file__).resolve().parent.parent.parent


def python_of(path: str, module: ModuleType) -> list[tuple[str, str]]:
    """The blocks of Python of a page, and the output that the page shows after each."""
    name = module.__name__
    return [
        (block.code.replace("import fairpool", f"import {name} as fairpool")
         .replace(f"import {name} as fairpool.", f"import {name}.")
         .replace("from fairpool", f"from {name}"), block.output)
        for block in blocks(ROOT / path)
        if block.language == "python"
    ]  # fmt: skip


def run_block(code: str, namespace: dict[str, Any]) -> str:
    """What a block prints."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(code, namespace)  # noqa: S102 - our own documentation
    return printed.getvalue()


def test_every_block_prints_what_the_page_shows(
    fairpool: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for package in ("pandas", "polars", "ir_measures"):
        pytest.importorskip(package)
    monkeypatch.chdir(tmp_path)
    lines = "".join(f"{docno}\t{text}\n" for docno, text in TEXTS.items())
    Path("collection.tsv").write_text(lines)
    namespace: dict[str, Any] = {}

    shown = python_of("docs/integrations.md", fairpool)

    assert len(shown) >= 5
    for code, output in shown:
        if "pt.Experiment" not in code or find_spec("pyterrier"):
            assert run_block(code, namespace) == output, code


def test_the_example_of_few_labels(fairpool: ModuleType) -> None:
    pytest.importorskip("scipy")
    [(code, output)] = python_of("docs/few-labels.md", fairpool)

    assert run_block(code, {}) == output


@pytest.mark.parametrize("page", ["README.md", "docs/index.md"])
def test_the_library_in_three_lines(fairpool: ModuleType, page: str) -> None:
    pytest.importorskip("pandas")
    code, _ = python_of(page, fairpool)[0]

    assert len([line for line in code.splitlines() if line]) == 3
    assert "TExFAIR" in run_block(code, {})


def test_the_example_of_the_readme_that_needs_nothing_else(fairpool: ModuleType) -> None:
    _, (code, _) = python_of("README.md", fairpool)

    assert run_block(code, {}).splitlines() == re.findall(r"# (.*)$", code, re.MULTILINE)


@pytest.mark.long
def test_with_the_patch_ir_measures_finds_the_measures_by_itself(
    fairpool: ModuleType, study: Path
) -> None:
    theirs = pytest.importorskip("ir_measures")
    [patch] = re.findall(
        r"```diff\n(.*?)```", (ROOT / "docs" / "integrations.md").read_text(), re.DOTALL
    )
    place = study / "patched"
    shutil.copytree(Path(theirs.__file__).parent, place / "ir_measures")
    program = shutil.which("patch") or pytest.skip("the program patch is not installed")
    subprocess.run([program, "-p1", "-d", place], input=patch, text=True, check=True)
    plug_in = place / "plug_in-1.dist-info"
    plug_in.mkdir()
    (plug_in / "METADATA").write_text("Metadata-Version: 2.1\nName: plug-in\nVersion: 1\n")
    (plug_in / "entry_points.txt").write_text(
        f"[ir_measures.providers]\nfairpool = {fairpool.__name__}.ir_measures\n"
    )

    done = subprocess.run(
        [sys.executable, "-m", "ir_measures", study / "qrels.txt", study / "A.run",
         f"RaB(scores='{study / 'm.parquet'}')@2"],
        env={**os.environ, "PYTHONPATH": f"{place}{os.pathsep}{Path.cwd()}"},
        capture_output=True, text=True, check=True,
    )  # fmt: skip

    assert done.stdout.endswith("@2\t0.3466\n")
