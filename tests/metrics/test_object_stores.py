"""Collections and scores in an object store: listed, read and written there."""

import gzip
from collections.abc import Callable, Iterable, Iterator, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from metrics.engines import Engine
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


class Refusing(BaseHTTPRequestHandler):
    """A store that answers every request with one status, or only those for what a file holds."""

    status = 403
    knows_sizes = False

    def do_GET(self) -> None:
        self._answer(self.status)

    def do_HEAD(self) -> None:
        self._answer(200 if self.knows_sizes else self.status)

    do_POST = do_PUT = do_GET  # noqa: N815 - as the standard library calls them

    def _answer(self, status: int) -> None:
        self.send_response(status)
        self.send_header("Content-Length", "24" if status == 200 else "0")
        self.end_headers()

    def log_message(self, *words: object) -> None:
        """The test's output is for the test."""


@pytest.fixture
def refusing(monkeypatch: pytest.MonkeyPatch) -> Iterator[type[Refusing]]:
    class Handler(Refusing):
        """Of this test alone."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        for name, value in S3(server.server_port).environment.items():
            monkeypatch.setenv(name, value)
        Thread(target=server.serve_forever, daemon=True).start()
        yield Handler
        server.shutdown()


@pytest.mark.faults  # six seconds until a client gives up on a store that is overloaded
@pytest.mark.parametrize("status", [403, 503])
@pytest.mark.parametrize("knows_sizes", [False, True])
@pytest.mark.parametrize("engine", [None, in_this_process])
def test_a_store_that_refuses_is_named_and_nothing_is_left(
    refusing: type[Refusing], tmp_path: Path, status: int, knows_sizes: bool, engine: Engine | None
) -> None:
    refusing.status, refusing.knows_sizes = status, knows_sizes
    told = r"s3://b/c\.tsv: cannot be reached .*(ACCESS_DENIED|503)"
    with pytest.raises(InputError, match=told):
        score_collection("s3://b/c.tsv", tmp_path / "m.parquet", engine=engine)
    (tmp_path / "c.tsv").write_text("a\tshe said so\n")
    with pytest.raises(InputError, match=r"s3://b/\S+: cannot be reached"):
        score_collection(tmp_path / "c.tsv", "s3://b/m.parquet", engine=engine)
    assert [path.name for path in tmp_path.iterdir()] == ["c.tsv"]
