"""Draw tables of TREC DL 2019 as papers print them: `python -m measurements.printed_tables`.

Makes the report of six runs, sets two of its tables in acmart, and writes the page as
`docs/images/printed-tables.png`. Needs pdflatex with acmart, pdftoppm and the shared data.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

from PIL import Image, ImageChops

from config.program import main
from tests.conftest import SHARED_DATA
from tests.latex import CLASSES, compile_latex

PICTURE = Path(__file__).parents[1] / "docs/images/printed-tables.png"
_TABLES = ("fairness", "table3_bias")
_MARGIN = 20  # pixels


def draw(folder: Path, picture: Path) -> None:
    """Make the report in `folder`, and the picture of two of its tables."""
    data = SHARED_DATA / "msmarco_dl19"
    scores = folder / "scores.parquet"
    main(["score", str(data / "collection.tsv"), "--output", str(scores), "--quiet"])
    options = ["--run", str(data / "runs/*.run"), "--scores", str(scores), "--missing", "skip"]
    options += ["--queries", str(data / "queries.tsv"), "--qrels", str(data / "qrels.txt")]
    options += ["--baseline", "BM25", "--cutoff", "10,20"]
    main(["report", *options, "--output", str(folder / "report"), "--quiet"])
    texts = [(folder / "report" / f"{name}.tex").read_text(encoding="utf-8") for name in _TABLES]
    compile_latex(["\n".join(texts)], folder, CLASSES["acmart"])
    page = folder / "page"
    # The first page has the title alone.
    drawing = ["pdftoppm", "-r", "120", "-f", "2", "-singlefile", "-png", "paper.pdf", page.name]
    subprocess.run(drawing, cwd=folder, check=True, timeout=60)
    with Image.open(page.with_suffix(".png")) as image:
        drawn = image.convert("L")
        blank = Image.new("L", drawn.size, 255)
        # Without the running head.
        body = (0, drawn.height // 12, drawn.width, drawn.height)
        box = ImageChops.difference(drawn.crop(body), blank.crop(body)).getbbox()
        assert box is not None
        left, top, right, bottom = box
        down = body[1] - _MARGIN
        cut = (left - _MARGIN, top + down, right + _MARGIN, bottom + down + 2 * _MARGIN)
        drawn.crop(cut).quantize(16).save(picture, optimize=True)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as name:
        draw(Path(name), PICTURE)
    sys.stdout.write(f"{PICTURE} is drawn.\n")
