"""The first line of a collection may name its columns: it is not a passage, read in any way."""

from pathlib import Path

import pytest

from metrics.errors import InputError
from metrics.texts.collection import read_collection
from metrics.texts.lexicon import read_lexicon
from metrics.texts.magnitude_store import open_magnitudes
from metrics.texts.scan import reading
from metrics.texts.scoring import score_collection
from metrics.texts.sharding.joining import join_parts
from metrics.texts.sharding.parts import Scoring, Work, score_shard
from metrics.texts.sharding.plan import plan_shards

_PASSAGES = [("d1", "He left."), ("d2", "She left.")]


def written(folder: Path, text: str | bytes, name: str = "c.tsv") -> Path:
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


@pytest.mark.parametrize("small", [0, reading.SMALL])
@pytest.mark.parametrize("header", ["", "id\ttext\n", "docno\tcontents\r\n", "PID\tPassage\n"])
@pytest.mark.parametrize(
    ("encoding", "end"), [("utf-8", "\n"), ("utf-8-sig", "\r"), ("utf-16", "\n"), ("utf-16", "\r")]
)
def test_a_header_is_no_passage(
    tmp_path: Path, small: int, header: str, encoding: str, end: str
) -> None:
    text = (header + "d1\tHe left.\nd2\tShe left.\n").replace("\r\n", "\n").replace("\n", end)
    path = written(tmp_path, text.encode(encoding))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reading, "SMALL", small)
        score_collection(path, tmp_path / "scores.parquet")

    assert list(read_collection(path)) == _PASSAGES
    assert list(open_magnitudes(tmp_path / "scores.parquet").docnos) == ["d1", "d2"]


def test_shards_of_a_collection_with_a_header_give_the_whole(tmp_path: Path) -> None:
    path = written(tmp_path, "id\ttext\nd1\tHe left.\nd2\tShe left.\nd1\tTwice.\n")
    scoring = Scoring(read_lexicon())
    plan = plan_shards([path], shard_size=10)
    parts = [tmp_path / f"{number}.parquet" for number in range(len(plan.shards))]
    for number, part in enumerate(parts):
        score_shard(Work.of(plan, number, scoring), part)

    with pytest.raises(InputError) as joined:
        join_parts(plan, parts, tmp_path / "m.parquet", scoring)
    with pytest.raises(InputError) as whole:
        score_collection(path, tmp_path / "w.parquet")

    assert len(parts) > 1
    assert str(joined.value) == str(whole.value)
    assert whole.value.line == 4


@pytest.mark.parametrize("small", [0, reading.SMALL])
@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("text\tid\nHe left.\td1\n", 1),
        ("id\turl\tbody\nd1\tx\tHe left.\n", 1),
        ("d1\tHe left.\rd2\tShe left.\nd3\tIt left.\n", 1),
        ("d1\tHe left.\nd2\tShe left.\rd3\tIt left.\n", 2),
        ("id\ttext\nd1\tHe left.\nd\x002\tShe left.\n", 3),
        ("d1\tHe left.\nd\r2\tShe left.\n", 2),
    ],
)
def test_what_hides_a_passage_or_names_other_columns_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, small: int, text: str, line: int
) -> None:
    monkeypatch.setattr(reading, "SMALL", small)
    path = written(tmp_path, text)

    with pytest.raises(InputError) as by_definition:
        list(read_collection(path))
    with pytest.raises(InputError) as scanned:
        score_collection(path, tmp_path / "scores.parquet")

    assert (by_definition.value.path, by_definition.value.line) == (str(path), line)
    assert str(scanned.value) == str(by_definition.value)


@pytest.mark.parametrize("small", [0, reading.SMALL])
def test_a_lone_carriage_return_inside_a_text_stays_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, small: int
) -> None:
    monkeypatch.setattr(reading, "SMALL", small)
    path = written(tmp_path, "d1\tHe\rleft.\nd2\tShe\0 left.\n")

    score_collection(path, tmp_path / "scores.parquet")

    assert list(read_collection(path)) == [("d1", "He\rleft."), ("d2", "She\0 left.")]
    assert open_magnitudes(tmp_path / "scores.parquet").metadata.n_documents == 2


@pytest.mark.parametrize("small", [0, reading.SMALL])
@pytest.mark.parametrize(
    "fields",
    [
        '{"pid": "%s", "passage": "%s", "spans": "(0,8)", "docid": "D1"}',  # MS MARCO v2 passages
        '{"url": "u", "title": "", "headings": "", "body": "%s", "docid": "%s"}',  # its documents
        '{"docid": "%s", "url": "u", "title": "", "headings": "h", "segment": "%s"}',  # v2.1
        '{"_id": "%s", "title": "", "text": "%s", "metadata": {}}',  # BEIR
    ],
)
def test_passages_of_the_collections_of_the_field_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, small: int, fields: str
) -> None:
    monkeypatch.setattr(reading, "SMALL", small)
    swapped = fields.index("%s") > fields.index("body") if "body" in fields else False
    pairs = [(text, docno) if swapped else (docno, text) for docno, text in _PASSAGES]
    path = written(tmp_path, "".join(f"{fields % pair}\n" for pair in pairs), "c.jsonl")

    score_collection(path, tmp_path / "scores.parquet")

    assert list(read_collection(path)) == _PASSAGES
    assert list(open_magnitudes(tmp_path / "scores.parquet").docnos) == ["d1", "d2"]
