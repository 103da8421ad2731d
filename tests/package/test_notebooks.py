"""The notebooks of the documentation run in an empty folder and show what they are stored with."""

from pathlib import Path

import pytest

for _package in ("nbclient", "ipykernel", "krippendorff", "matplotlib", "pandas", "scipy"):
    pytest.importorskip(_package)

import nbformat  # noqa: E402 - skipped where it is missing

from .notebooks import NOTEBOOKS, executed, printed  # noqa: E402
from .test_real_collection import DATA  # noqa: E402

pytestmark = [pytest.mark.long, pytest.mark.timed, pytest.mark.filterwarnings("default")]


def test_there_are_notebooks() -> None:
    assert len(NOTEBOOKS) >= 2


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_is_stored_with_what_it_prints(path: Path, tmp_path: Path) -> None:
    stored = printed(nbformat.read(path, as_version=4))

    assert len(stored) >= 4
    assert printed(executed(path, tmp_path)) == stored


def test_lines_of_ms_marco_take_the_place_of_the_small_study(tmp_path: Path) -> None:
    if not (folder := DATA / "msmarco_dl19").is_dir():
        pytest.skip("the real collections (../shared/data) are not beside this checkout")
    lines = (folder / "collection.tsv").read_bytes().split(b"\n")[:-1]
    # U+0085 ends a line for str.splitlines, and stands inside of passages.
    some = [line for n, line in enumerate(lines) if n % 20 == 0 or "\u0085".encode() in line]
    (tmp_path / "collection.tsv").write_bytes(b"\n".join([*some, b""]))
    for name in ("queries.tsv", "qrels.txt"):
        (tmp_path / name).write_bytes((folder / name).read_bytes())

    [path] = [path for path in NOTEBOOKS if path.stem == "measure-your-runs"]
    first, *_ = printed(executed(path, tmp_path))

    assert first == f"{len(some):,} passages, 43 queries\n"


def test_votes_on_ms_marco_queries_take_the_place_of_the_simulated_ones(tmp_path: Path) -> None:
    if not (folder := DATA / "gender_queries").is_dir():
        pytest.skip("the real collections (../shared/data) are not beside this checkout")
    released = (folder / "queries_gender_annotated.csv").read_text(encoding="utf-8").split("\n")
    rows = [line.split(",", 1) for line in released[:200]]
    # U+0085 ends a line for str.splitlines, and stands inside of texts of MS MARCO.
    texts = "".join(f"{qid}\t{rest.rpartition(',')[0]}\u0085\n" for qid, rest in rows)
    (tmp_path / "queries.tsv").write_text(texts, encoding="utf-8")
    known = {qid for qid, _ in rows}
    votes = (folder / "llm_votes_long.csv").read_text(encoding="utf-8").splitlines()[1:]
    kept = [vote for vote in votes if vote.partition(",")[0] in known]
    (tmp_path / "votes.csv").write_text("\n".join(["query,worker,label", *kept, ""]))

    [path] = [path for path in NOTEBOOKS if path.stem == "from-votes-to-queries"]
    alpha = next(text for text in printed(executed(path, tmp_path)) if text.startswith("alpha"))

    assert f"over {len(kept)} votes on {len(known)} queries" in alpha
