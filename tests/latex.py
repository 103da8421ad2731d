"""Tables as a paper would hold them, compiled where a TeX engine is present."""

import re
import subprocess
from collections.abc import Iterable
from pathlib import Path

from tests.servers import need_latex

_TITLE = r"\title{Tables}\author{A}\affiliation{\institution{I}\country{C}}"

CLASSES = {
    "one column": r"\documentclass{article}",
    "two columns": r"\documentclass[twocolumn]{article}",
    "acmart": rf"\documentclass[sigconf,nonacm]{{acmart}}{_TITLE}",
}

_OVERFULL = re.compile(r"Overfull \\hbox \((?P<points>[0-9.]+)pt too wide\)[^\n]*")


def compile_latex(
    tables: Iterable[str], folder: Path, document_class: str = CLASSES["one column"]
) -> None:
    """Compile `folder/paper.pdf`, no box more than 1 pt too wide and no float too tall.

    Skipped without a pdflatex that knows the class.
    """
    preamble = f"{document_class}\\usepackage{{booktabs,graphicx}}"
    engine = need_latex(preamble)
    body = "\n\\clearpage\n".join(tables)
    title = "\\maketitle" if "\\title" in document_class else ""
    (folder / "paper.tex").write_text(
        f"{preamble}\\begin{{document}}{title}\n{body}\n\\end{{document}}\n",
        encoding="utf-8",
    )
    done = subprocess.run(
        [engine, "-interaction=batchmode", "-halt-on-error", "paper.tex"],
        cwd=folder,
        check=False,
        timeout=600,
        capture_output=True,
    )
    log = (folder / "paper.log").read_text(errors="replace")
    assert done.returncode == 0, log[-2000:]
    wide = [match[0] for match in _OVERFULL.finditer(log) if float(match["points"]) > 1]
    assert wide == []
    assert "Float too large" not in log
