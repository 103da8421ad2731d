"""Collections and scores in an object store: listed, read and written there."""

import gzip
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from metrics.errors import InputError
from metrics.io.listing import listed_files
from metrics.texts.scoring import score_collection
from tests.site.workers.s3 import S3, s3_server

pytestmark = pytest.mark.timed


@pytest.fixture
def s3(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Iterator[S3]:
    with s3_server(tmp_path_factory.mktemp("s3")) as server:
        for name, value in server.environment.items():
            monkeypatch.setenv(name, value)
        yield server


def in_this_process(function: Callable[[str], str], jobs: Sequence[str]) -> Iterable[str]:
    return map(function, jobs)


def test_a_folder_of_a_store_is_scored_into_the_store(s3: S3, tmp_path: Path) -> None:
    here = tmp_path / "in"
    here.mkdir()
    lines = b"".join(b"a%d\tshe said so\n" % i for i in range(2_000))
    (here / "a.tsv").write_bytes(lines)
    (here / "b.tsv.gz").write_bytes(gzip.compress(b"x\tmother\ny\tking\n"))
    table = pa.table({"id": [f"c{i}" for i in range(90)], "text": ["his and hers"] * 90})
    pq.write_table(table, here / "c.parquet", row_group_size=30)
    for path in here.iterdir():
        s3.put(f"in/{path.name}", path.read_bytes())
    s3.put("in/_SUCCESS", b"")
    score_collection(here, tmp_path / "here.parquet")
    expected = (tmp_path / "here.parquet").read_bytes()

    folder = f"s3://{s3.bucket}/in"
    names = ["a.tsv", "b.tsv.gz", "c.parquet"]
    assert listed_files([folder]) == [f"{folder}/{name}" for name in names]
    assert listed_files([f"{folder}/*.tsv*"]) == [f"{folder}/{name}" for name in names[:2]]
    score_collection(folder, tmp_path / "there.parquet")
    assert (tmp_path / "there.parquet").read_bytes() == expected
    score_collection(
        folder, f"s3://{s3.bucket}/out/m.parquet", engine=in_this_process, shard_size=9_000
    )
    assert s3.get("out/m.parquet") == expected
    assert s3.names() == {*(f"in/{name}" for name in names), "in/_SUCCESS", "out/m.parquet"}


def test_what_a_store_refuses_is_told(s3: S3, tmp_path: Path) -> None:
    for source in (f"s3://{s3.bucket}/none/*.tsv", f"s3://{s3.bucket}/none.tsv"):
        with pytest.raises(InputError):
            score_collection(source, tmp_path / "m.parquet")
    with pytest.raises(InputError, match=r"cannot be reached|no such file"):
        score_collection("s3://not-there/c.tsv", tmp_path / "m.parquet")
    with pytest.raises(InputError, match="credentials"):
        score_collection("s3://key:secret@bucket/c.tsv", tmp_path / "m.parquet")
