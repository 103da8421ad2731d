"""Texts that were decoded by the wrong encoding, repaired before they are scored."""

import json
from pathlib import Path

import orjson
import pytest

from config.program import main
from metrics.errors import InputError
from metrics.texts.kept_scores import kept_scores
from metrics.texts.lexicon import read_lexicon
from metrics.texts.magnitude_store import open_magnitudes
from metrics.texts.repair import repair_line, repair_text
from metrics.texts.scan import reading
from metrics.texts.scoring import score_collection

# An apostrophe read as Windows-1252, a dash read as Latin-1, and a word that is as it should be.
BROKEN = ["sheâ€™s here", "hisâ\x80\x94home", "zoë said he came"]


def collection(path: Path) -> Path:
    numbered = enumerate(BROKEN)
    if path.suffix == ".jsonl":
        lines = [orjson.dumps({"id": f"d{n}", "text": text, "n": 1}) for n, text in numbered]
        # Escaped, as most programs write what is not ASCII.
        lines[0] = b'{"id": "d0", "contents": "she\\u00e2\\u20ac\\u2122s here"}'
    else:
        lines = [f"d{n}\t{text}".encode() for n, text in numbered]
    path.write_bytes(b"\n".join(lines) + b"\n")
    return path


@pytest.mark.parametrize("name", ["c.tsv", "c.jsonl"])
@pytest.mark.parametrize("small", [0, 1 << 24], ids=["kernels", "definition"])
def test_repaired_words_count(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, small: int
) -> None:
    monkeypatch.setattr(reading, "SMALL", small)
    path, scored = collection(tmp_path / name), []
    for repair in (False, True):
        output = tmp_path / f"{repair}.parquet"
        score_collection(path, output, repair_encoding=repair)
        scored.append(open_magnitudes(output))
    as_is, repaired = scored
    assert (as_is.tc["f"].tolist(), as_is.tc["m"].tolist()) == ([0, 0, 0], [0, 0, 1])
    assert (repaired.tc["f"].tolist(), repaired.tc["m"].tolist()) == ([1, 0, 0], [0, 1, 1])
    assert as_is.metadata.repair == ""
    assert repaired.metadata.repair.startswith("ftfy ")
    assert repaired.docnos == ["d0", "d1", "d2"]


def test_scores_that_were_repaired_are_kept_apart(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FAIRPOOL_CACHE_DIR", str(tmp_path / "kept"))
    path, words = collection(tmp_path / "c.tsv"), read_lexicon()
    counts = [
        int(kept_scores(path, words, repair_encoding=repair).tc["f"].sum())
        for repair in (False, True, False)
    ]
    assert counts == [0, 1, 0]


def test_a_repaired_collection_is_extended_by_repaired_passages_only(tmp_path: Path) -> None:
    path, old = collection(tmp_path / "c.tsv"), tmp_path / "old.parquet"
    score_collection(path, old, repair_encoding=True)
    more = tmp_path / "more.tsv"
    more.write_text("d9\tsheâ€™s here\n")
    with pytest.raises(InputError):
        score_collection(more, tmp_path / "all.parquet", extend=old)
    score_collection(more, tmp_path / "all.parquet", extend=old, repair_encoding=True)
    assert open_magnitudes(tmp_path / "all.parquet").tc["f"].tolist() == [1, 0, 0, 1]


@pytest.mark.parametrize(
    ("line", "format_"),
    [
        ("zoë\tthe café".encode(), "tsv"),
        (b"d1\t\xff\xfe", "tsv"),
        (b'{"id": "\\u00e2', "jsonl"),
        ('["é"]'.encode(), "jsonl"),
    ],
)
def test_a_line_that_is_whole_or_none_stays(line: bytes, format_: str) -> None:
    assert repair_line(line, format_) == line


def test_line_numbers_of_errors_are_those_of_the_file(tmp_path: Path) -> None:
    path = tmp_path / "c.tsv"
    path.write_bytes("d1\tsheâ€™s\nd2\tsheâ€™s\nno tab â€™\n".encode())
    with pytest.raises(InputError) as caught:
        score_collection(path, tmp_path / "m.parquet", repair_encoding=True)
    assert caught.value.line == 3


def test_nothing_but_the_encoding_changes() -> None:
    # Quotes, entities, line ends and ligatures that ftfy's other steps would change.
    text = "“quoted” &amp; ﬁne\r\v he"
    assert repair_text(text) == text


@pytest.mark.long
def test_scores_of_another_encoding_have_rows_of_their_own_in_the_table(tmp_path: Path) -> None:
    path, options = collection(tmp_path / "c.tsv"), []
    (tmp_path / "queries.tsv").write_text("q1\tone\n")
    for name in ("as_is", "repaired"):
        output = tmp_path / f"{name}.parquet"
        score_collection(path, output, repair_encoding=name == "repaired")
        options += ["--scores" if name == "as_is" else "--sensitivity", str(output)]
    run = tmp_path / "x.run"
    run.write_text("".join(f"q1 Q0 d{n} {n} {9 - n} x\n" for n in range(3)))
    options += ["--run", str(run), "--queries", str(tmp_path / "queries.tsv")]
    assert main(["report", *options, "--output", str(tmp_path / "report"), "--quiet"]) == 0
    rows = json.loads((tmp_path / "report" / "sensitivity.json").read_text())["rows"]
    counts = {
        row["with_repair"].partition(" ")[0]: row["greatest"]
        for row in rows
        if (row["measure"], row["magnitude"]) == ("ARaB", "tc")
    }
    # A male word at rank 3; repaired, a female one at rank 1 and a male one at rank 2, too.
    expected = {"none": 1 / 9, "ftfy": (-1 + 0 + 1 / 3) / 3}
    assert counts == {name: pytest.approx(value) for name, value in expected.items()}
