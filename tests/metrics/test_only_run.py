"""Scoring only the documents that runs name: their rows are those of the whole collection."""

from collections.abc import Callable
from pathlib import Path

import pytest

from metrics.errors import InputError
from metrics.io.strings import strings
from metrics.texts.magnitude_store import Magnitudes, open_magnitudes
from metrics.texts.scan import reading
from metrics.texts.scan.selection import Selection
from metrics.texts.scoring import score_collection

#: Docnos with blanks of length on both sides of the eight bytes that are digested at a time.
DOCNOS = [f"D{i}" if i % 3 else f"document-{i}" for i in range(3_000)]
CHOSEN = [DOCNOS[i] for i in (0, 1, 2, 1_500, 2_999)]


@pytest.fixture(autouse=True, params=["definition", "kernels"])
def _both_ways(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "SMALL", 0 if request.param == "kernels" else 1 << 40)
    monkeypatch.setattr(reading, "BLOCK_SIZE", 1 << 14)


def tsv(docno: str, text: str) -> str:
    return f"{docno}\t{text}\n"


def jsonl(docno: str, text: str) -> str:
    return f'{{"id": "{docno}", "text": "{text}"}}\n'


def score(path: Path, *, chosen: list[str] | None) -> Magnitudes:
    output = path.with_suffix(".parquet")
    selection = Selection([strings(chosen), strings(chosen)], "blake3:1") if chosen else None
    score_collection(path, output, selection=selection)
    return open_magnitudes(output)


@pytest.mark.parametrize("write", [tsv, jsonl])
def test_the_rows_are_those_of_the_whole_collection(
    tmp_path: Path, write: Callable[[str, str], str]
) -> None:
    path = tmp_path / f"c.{write.__name__}"
    path.write_text("".join(write(docno, "she " * (i % 7)) for i, docno in enumerate(DOCNOS)))
    whole = score(path, chosen=None)
    part = score(path, chosen=[*CHOSEN, "not-there"])

    rows = whole.find(CHOSEN)
    assert part.docnos == CHOSEN
    assert part.n_tokens.tolist() == whole.n_tokens[rows].tolist()
    assert part.tf["f"].tobytes() == whole.tf["f"][rows].tobytes()
    assert part.metadata.collection_digest == whole.metadata.collection_digest
    assert (part.metadata.selected_by, whole.metadata.selected_by) == ("blake3:1", "")


@pytest.mark.long
@pytest.mark.parametrize(
    ("line", "at"),
    [
        ("no tab\n", 2_999),
        ("a blank\ttext\n", 2_999),
        ("D1\tis the docno of line 2\n", 2_999),
        ("D2998\tlone \udcff byte\n", 2_999),
    ],
)
def test_an_error_has_its_line_of_the_whole_file(tmp_path: Path, line: str, at: int) -> None:
    path = tmp_path / "c.tsv"
    lines = [tsv(docno, "he") for docno in DOCNOS]
    lines[at - 1] = line
    path.write_bytes("".join(lines).encode(errors="surrogateescape"))

    with pytest.raises(InputError) as caught:
        score(path, chosen=[*CHOSEN, "D2998"])

    assert caught.value.line == at


def test_what_needs_every_document_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "c.tsv"
    path.write_text("".join(tsv(docno, "he") for docno in DOCNOS))
    part = score(path, chosen=CHOSEN)

    with pytest.raises(InputError, match="--only-run"):
        part.mean_magnitude("tf", "f")
    with pytest.raises(InputError, match="--only-run"):
        score_collection(path, tmp_path / "more.parquet", extend=part.path)
