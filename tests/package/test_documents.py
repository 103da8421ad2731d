"""What the README and docs/integrations.md show of the library, run as a reader would."""

import contextlib
import io
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from .conftest import TEXTS

ROOT = Path(__file__).resolve().parent.parent.parent
BLOCK = re.compile(r"```python\n(.*?)```\n(?:\n```text\n(.*?)```\n)?", re.DOTALL)


def blocks(path: str, module: ModuleType) -> list[tuple[str, str]]:
    """The blocks of Python of a page, and the output that the page shows after each."""
    text = (ROOT / path).read_text(encoding="utf-8")
    name = module.__name__
    return [
        (code.replace("import fairpool", f"import {name} as fairpool")
         .replace(f"import {name} as fairpool.", f"import {name}.")
         .replace("from fairpool", f"from {name}"), shown)
        for code, shown in BLOCK.findall(text)
    ]  # fmt: skip


def test_every_block_prints_what_the_page_shows(
    fairpool: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for package in ("pandas", "polars", "ir_measures"):
        pytest.importorskip(package)
    monkeypatch.chdir(tmp_path)
    lines = "".join(f"{docno}\t{text}\n" for docno, text in TEXTS.items())
    Path("collection.tsv").write_text(lines)
    namespace: dict[str, Any] = {}

    shown = blocks("docs/integrations.md", fairpool)

    assert len(shown) >= 4
    for code, output in shown:
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(code, namespace)  # noqa: S102 - our own documentation
        assert printed.getvalue() == output, code


def test_the_library_in_three_lines_of_the_readme(fairpool: ModuleType) -> None:
    pytest.importorskip("pandas")
    [code] = [code for code, _ in blocks("README.md", fairpool) if "evaluate(" in code]
    printed = io.StringIO()

    with contextlib.redirect_stdout(printed):
        exec(code, {})  # noqa: S102 - our own documentation

    assert len([line for line in code.splitlines() if line]) == 3
    assert "TExFAIR" in printed.getvalue()


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
