"""Input of the wrong kind is refused where it comes in, not measured to empty numbers."""

import socket
from pathlib import Path

import pytest

from metrics.errors import InputError
from metrics.io.files import open_bytes
from metrics.io.storage import stat
from pooling.models import Pool
from tests import program
from tests.commands import failure


@pytest.fixture
def scored(tmp_path: Path) -> list[str]:
    (tmp_path / "c.tsv").write_text("a\tshe saw him\nb\ther\n", encoding="utf-8")
    (tmp_path / "r.run").write_text("1 Q0 a 1 2 t\n1 Q0 b 2 1 t\n", encoding="utf-8")
    program.run("score", tmp_path / "c.tsv", "--output", tmp_path / "m.parquet")
    return ["--scores", str(tmp_path / "m.parquet"), "--run", f"R={tmp_path / 'r.run'}"]


def test_swapped_columns_of_a_collection_are_named_with_their_line(tmp_path: Path) -> None:
    swapped = tmp_path / "swapped.tsv"
    swapped.write_text("d1\tshe\nwhat is rain\td2\n", encoding="utf-8")

    for command in ("score", "counterfactual"):
        said = program.failure(command, swapped, "--output", tmp_path / "out")
        assert f"{swapped}:2:" in said
        assert not (tmp_path / "out").exists()


@pytest.mark.django_db
def test_a_query_id_of_several_words_is_no_query_id(tmp_path: Path) -> None:
    votes = tmp_path / "votes.csv"
    votes.write_text("query_id,worker,label\nq1,w,n\nwhat is rain,w,n\n", encoding="utf-8")

    assert f"{votes}:3:" in failure("label", "import-votes", votes, "--name", "B")


@pytest.mark.django_db
@pytest.mark.parametrize("name", ["a/b", "", " ", "a\nb"])
def test_a_pool_has_a_name_that_an_address_can_hold(
    scored: list[str], tmp_path: Path, name: str
) -> None:
    (tmp_path / "q.tsv").write_text("1\tone\n", encoding="utf-8")

    failure("pool", "build", "--name", name, "--queries", tmp_path / "q.tsv", *scored)

    assert not Pool.objects.exists()


def test_judgements_of_other_queries_are_refused(scored: list[str], tmp_path: Path) -> None:
    (tmp_path / "qrels").write_text("7 0 a 1\n", encoding="utf-8")
    for measure in ("MRR", "Recall", "nDCG"):
        program.failure("measure", *scored, "--measure", measure, "--qrels", tmp_path / "qrels")


def test_a_line_that_is_no_passage_is_refused_in_little_memory(tmp_path: Path) -> None:
    long = tmp_path / "c.tsv"
    long.write_bytes(b"d1\t" + b"she " * (5 << 20))
    program.failure("score", long, "--output", tmp_path / "m.parquet")


@pytest.mark.long
def test_a_bucket_that_does_not_answer_is_no_damaged_archive(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))
        port = nobody.getsockname()[1]
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "key")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret")
    monkeypatch.setenv("AWS_ENDPOINT_URL", f"http://127.0.0.1:{port}")
    monkeypatch.setenv("AWS_MAX_ATTEMPTS", "1")
    address = "s3://bucket/c.tsv.gz"

    for read in (stat, lambda path: open_bytes(path).__enter__()):
        with pytest.raises(InputError) as caught:
            read(address)
        assert caught.value.path == address
        assert "AWS_ENDPOINT_URL" in caught.value.remedy
        assert "archive" not in caught.value.message
