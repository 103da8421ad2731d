"""What the README and the pages of the library show, run as a reader would."""

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

from .conftest import PROGRAM
from .pages import blocks

ROOT = Path(__file__).resolve().parent.parent.parent


def python_of(path: str, module: ModuleType) -> list[tuple[str, str]]:
    """The blocks of Python of a page, and the output that the page shows after each."""
    name = module.__name__
    rankers = "fairpool.rankers" if name == "fairpool" else "rankers"
    return [
        (block.code.replace("import fairpool", f"import {name} as fairpool")
         .replace(f"import {name} as fairpool.", f"import {name}.")
         .replace("from fairpool.rankers", f"from {rankers}")
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


#: The pages whose Python a reader runs, and the packages that it takes.
PAGES = {
    "docs/agreement.md": ("pandas", "scipy"),
    "docs/index.md": (),
    "docs/integrations.md": ("pandas", "polars", "ir_measures", "pyarrow", "scipy"),
    "docs/automatic-labels.md": ("pandas", "scipy"),
    "docs/few-labels.md": ("scipy",),
    "docs/few-judgments.md": ("pandas", "scipy"),
    "docs/metrics.md": (),
    "docs/repetitions.md": ("pandas", "scipy"),
    "docs/retrieved-to-answered.md": ("pandas", "scipy"),
    "docs/tutorial.md": ("pyarrow", "sklearn", "matplotlib", "scipy", "HanTa"),
}
#: Pages whose blocks of shell are typed afterwards, in the same folder: what they print or write.
FOLLOWED = ("docs/integrations.md", "docs/tutorial.md")


def typed(page: str) -> str:
    """What the blocks of shell of a page print, of those that are not marked as parsed only."""
    shown = [block for block in blocks(ROOT / page) if block.is_shell and not block.only_parsed]
    program = f'fairpool() {{ "{sys.executable}" -m {PROGRAM} "$@"; }}\n'
    done = subprocess.run(
        ["/bin/bash", "-euo", "pipefail"],
        input=program + "".join(block.code for block in shown),
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("page", PAGES)
def test_every_block_prints_what_the_page_shows_in_an_empty_folder(
    fairpool: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, page: str
) -> None:
    for package in PAGES[page]:
        pytest.importorskip(package)
    (tmp_path / "empty").mkdir()
    monkeypatch.chdir(tmp_path / "empty")
    namespace: dict[str, Any] = {}

    shown = python_of(page, fairpool)

    assert shown
    for code, output in shown:
        if find_spec("pyterrier") or not re.search(r"\bpt\.|\blsa\b", code):
            assert run_block(code, namespace) == output, code
    if page in FOLLOWED:
        monkeypatch.setenv("PYTHONPATH", str(ROOT))
        printed = typed(page)
        assert page != "docs/integrations.md" or printed.startswith("nDCG@10\t0.8155\n")
        assert page != "docs/tutorial.md" or Path("report/index.html").is_file()


def test_the_first_example_needs_the_library_alone(fairpool: ModuleType) -> None:
    """The README's, and what it says of evaluate, which takes data frames."""
    (first, _), (second, _) = python_of("README.md", fairpool)

    assert run_block(first, {}).splitlines() == re.findall(r"# (.*)$", first, re.MULTILINE)
    pytest.importorskip("pandas")
    assert "TExFAIR" in run_block(second, {})


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
    if subprocess.run([program, "--version"], capture_output=True, check=False).returncode:
        pytest.skip("the program patch does not work")
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
