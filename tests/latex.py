"""Tables as a paper would hold them, compiled where a TeX engine is present."""

import shutil
import subprocess
from collections.abc import Iterable
from pathlib import Path

import pytest

_ENGINES = ("tectonic", "pdflatex", "lualatex")


def compile_latex(tables: Iterable[str], folder: Path) -> None:
    """Compile `folder/paper.pdf`; the test is skipped without a TeX engine."""
    engine = next(filter(None, map(shutil.which, _ENGINES)), None)
    if engine is None:
        pytest.skip("no TeX engine on this machine")
    body = "\n\\clearpage\n".join(tables)
    (folder / "paper.tex").write_text(
        "\\documentclass{article}\\usepackage{booktabs,longtable}\\begin{document}\n"
        f"{body}\n\\end{{document}}\n",
        encoding="utf-8",
    )
    batch = [] if engine.endswith("tectonic") else ["-interaction=batchmode", "-halt-on-error"]
    done = subprocess.run(
        [engine, *batch, "paper.tex"], cwd=folder, check=False, timeout=600, capture_output=True
    )
    log = folder / "paper.log"
    assert done.returncode == 0, log.read_text(errors="replace")[-2000:] if log.exists() else done
