"""Files of a study: hostile ones are refused by what they hold, and refused ones leave nothing."""

import bz2
import gzip
import io
import lzma
import os
import random
import re
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import pyarrow.parquet as pq
import pytest
import zstandard
from django.core.files.storage import storages
from pytest_django import Settings

from annotation.models import AuditEvent, Study, StudyFile
from annotation.studies.file_checks import FIRST_LINES
from annotation.studies.file_store import files_to_point_to, local_path, workplace
from annotation.studies.operations.files import (
    add_study_file,
    shown_name,
    study_file_point_to,
)
from annotation.vocabulary import FileKind
from metrics.errors import InputError
from metrics.io.digests import digest_of
from metrics.runs.queries import read_queries
from metrics.texts.collection import read_collection
from tests.annotation.studies.material import a_run, add, below, collection, lines, queries
from tests.metrics.test_magnitude_store import repeated
from tests.performing import age_removed, remove

TEXTS = (FileKind.COLLECTION, FileKind.QUERIES, FileKind.RUN, FileKind.QRELS, FileKind.LEXICON)
GOOD = {
    FileKind.COLLECTION: collection(),
    FileKind.QUERIES: queries(),
    FileKind.RUN: a_run(0),
    FileKind.QRELS: b"q0 0 d1 1\nq0 0 d2 0\n",
    FileKind.LEXICON: b"she,f\nhe,m\n",
}


def refused(study: Study, kind: str, content: bytes, filename: str = "file.tsv") -> str:
    """Why a file is refused; nothing of it may stay, on disk or in the database."""
    with pytest.raises(InputError) as caught:
        add(study, kind, content, filename)
    assert not StudyFile.objects.exists()
    return str(caught.value)


def zipped(content: bytes) -> bytes:
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w") as archive:
        archive.writestr("collection.tsv", content)
    return held.getvalue()


def tarred(mode: str) -> bytes:
    held = io.BytesIO()
    with tarfile.open(fileobj=held, mode=mode) as archive:  # type: ignore[call-overload] # a text
        entry = tarfile.TarInfo("collection.tsv")
        entry.size = len(GOOD[FileKind.COLLECTION])
        archive.addfile(entry, io.BytesIO(GOOD[FileKind.COLLECTION]))
    return held.getvalue()


@pytest.mark.parametrize("kind", TEXTS)
def test_a_good_file_is_stored_as_it_is_with_its_checksum(
    study: Study, folders: Path, kind: FileKind
) -> None:
    file = add(study, kind, GOOD[kind], "My file.tsv")
    path = local_path(file)
    assert path.read_bytes() == GOOD[kind]
    assert (file.size, file.digest) == (len(GOOD[kind]), digest_of(path))
    assert file.summary["lines"] == GOOD[kind].count(b"\n")
    assert file.name == ("My_file" if kind == FileKind.RUN else "My file.tsv")
    assert path.is_relative_to(folders / "stored")
    assert below(folders / "uploads") == []
    event = AuditEvent.objects.get(study=study)
    assert (event.action, event.detail["digest"]) == ("file added", file.digest)


@pytest.mark.parametrize(
    ("pack", "suffix"),
    [
        (gzip.compress, ".gz"),
        (zstandard.ZstdCompressor().compress, ".zst"),
        (bz2.compress, ".bz2"),
        (lzma.compress, ".xz"),
        (zipped, ".zip"),
    ],
    ids=["gz", "zst", "bz2", "xz", "zip"],
)
def test_an_archive_is_known_by_its_bytes_and_named_so_that_readers_unpack_it(
    study: Study, pack: Callable[[bytes], bytes], suffix: str
) -> None:
    file = add(study, FileKind.COLLECTION, pack(collection()), "collection.tsv")
    assert file.path.endswith(f"collection.tsv{suffix}")
    assert len(list(read_collection(local_path(file)))) == 60
    assert file.summary["unpacked"] == len(collection())


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
@pytest.mark.parametrize(
    ("kind", "text"),
    [
        (FileKind.RUN, "q1\td1\t1\t22.5\n"),  # ColBERT
        (FileKind.RUN, '{"q1": {"d1": 2.0}}'),
        (FileKind.QRELS, "query-id\tcorpus-id\tscore\nq1\td1\t1\n"),  # BEIR
        (FileKind.QUERIES, '{"_id": "q1", "text": "who left"}\n'),
        (FileKind.QUERIES, "qid\tquery\tlabel\nq1\twho left\tn\n"),
        (FileKind.COLLECTION, "id\ttext\nd1\tHe left.\n"),
        (FileKind.LEXICON, "term,gender\nhe,m\nshe,f\n"),
    ],
)
def test_files_are_taken_as_the_field_writes_them(
    study: Study, kind: FileKind, text: str, encoding: str
) -> None:
    file = add(study, kind, text.encode(encoding), "input.tsv")

    if kind == FileKind.QUERIES:
        assert read_queries(local_path(file), "all").texts == {"q1": "who left"}
    if kind == FileKind.COLLECTION:
        assert list(read_collection(local_path(file))) == [("d1", "He left.")]


def test_a_name_that_lies_about_packing_is_put_right(study: Study) -> None:
    file = add(study, FileKind.QUERIES, queries(), "queries.tsv.gz")
    assert file.path.endswith("/queries.tsv")


@pytest.mark.parametrize("kind", TEXTS)
@pytest.mark.parametrize(
    ("content", "said"),
    [
        (tarred("w"), "is a tar archive"),
        (tarred("w:gz"), "is a tar archive"),
        (gzip.compress(gzip.compress(b"d1\ttext\n", mtime=0)), "an archive within an archive"),
        # Packed at a moment whose bytes are those of line ends.
        (
            gzip.compress(gzip.compress(b"d1\ttext\n", mtime=0x6B0D0D0D)),
            "an archive within an archive",
        ),
        (b"\x89PNG\r\n\x1a\n" + bytes(100), "is a picture"),
        (b"%PDF-1.7\n", "is a PDF document"),
        (b"PAR1" + bytes(100), "Parquet file"),
        (b"", "is empty"),
        (gzip.compress(b""), "is empty"),
        (gzip.compress(random.Random(1).randbytes(2_000))[:-900], "damaged or cut short"),
    ],
    ids=[
        "tar",
        "tar.gz",
        "gz.gz",
        "gz.gz of CR",
        "png",
        "pdf",
        "parquet",
        "empty",
        "empty gz",
        "cut gz",
    ],
)
def test_what_is_no_text_is_refused_by_its_bytes(
    study: Study, folders: Path, kind: FileKind, content: bytes, said: str
) -> None:
    told = refused(study, kind, content)
    assert said in told
    assert ("Unpack it" in told) == ("archive" in said)
    assert told.startswith("file.tsv")
    assert below(folders) == []


@pytest.mark.parametrize("kind", TEXTS)
def test_a_nul_byte_is_refused_with_its_line(study: Study, kind: FileKind) -> None:
    told = refused(study, kind, GOOD[kind] + b"a\0b\n")
    line = GOOD[kind].count(b"\n") + 1
    assert told.startswith(f"file.tsv:{line}: holds a NUL byte.")


@pytest.mark.parametrize("kind", TEXTS)
def test_what_is_not_utf_8_is_refused_with_its_line(study: Study, kind: FileKind) -> None:
    latin = {
        FileKind.COLLECTION: b"d1\tna\xefve\n",
        FileKind.QUERIES: b"q1\tna\xefve\n",
        FileKind.RUN: b"q1 Q0 na\xefve 1 1.0 x\n",
        FileKind.QRELS: b"q1 0 na\xefve 1\n",
        FileKind.LEXICON: b"na\xefve,f\n",
    }
    told = refused(study, kind, latin[kind])
    assert told.startswith("file.tsv:1:")
    assert "not UTF-8" in told


@pytest.mark.parametrize("kind", TEXTS)
def test_a_line_of_ten_megabytes_is_refused(study: Study, kind: FileKind) -> None:
    told = refused(study, kind, b"x" * 10_000_000)
    assert "file.tsv" in told


def test_a_passage_of_ten_megabytes_is_a_passage(study: Study) -> None:
    add(study, FileKind.COLLECTION, b"d1\t" + b"word " * 2_000_000, "long.tsv")


def test_a_line_longer_than_any_passage_is_refused(study: Study) -> None:
    told = refused(study, FileKind.COLLECTION, b"d1\tshort\nd2\t" + b"word " * 4_000_000)
    assert "file.tsv:2: the line has more than 16,777,216 bytes" in told


@pytest.mark.parametrize(
    "pack", [gzip.compress, zstandard.ZstdCompressor().compress], ids=["gz", "zst"]
)
def test_a_decompression_bomb_is_refused_before_it_has_grown(
    study: Study, pack: Callable[[bytes], bytes]
) -> None:
    told = refused(study, FileKind.COLLECTION, pack(b"d1\ttext\n" * 12_000_000))
    assert "grows to more than 200 times its size" in told


def test_what_unpacks_to_more_than_is_allowed_is_refused(study: Study, settings: Settings) -> None:
    settings.UNPACKED_LIMIT_MB = 0
    assert "holds more than 0 MB" in refused(study, FileKind.COLLECTION, collection())


def test_queries_that_are_a_collection_are_not_read_into_memory(study: Study) -> None:
    told = refused(study, FileKind.LEXICON, b"word,f\n" * 200_000)
    assert "holds more than 1 MB. Check that this is the right file (word list)." in told


def test_a_scored_collection_with_a_flipped_bit_is_refused(study: Study, folders: Path) -> None:
    """`measure` refuses it when it reads that page; a study takes no file that it cannot use."""
    path = repeated(folders / "m.parquet", "1", rows=2_000, groups=1)
    columns = pq.ParquetFile(path).metadata.row_group(0)
    for number in range(columns.num_columns):
        column = columns.column(number)
        begin = column.dictionary_page_offset or column.data_page_offset
        flipped = bytearray(path.read_bytes())
        flipped[begin + column.total_compressed_size - 1] ^= 1
        assert "is damaged" in refused(study, FileKind.MAGNITUDES, bytes(flipped), "m.parquet")


@pytest.mark.long
def test_a_small_scored_collection_that_grows_to_fill_the_memory_is_refused(
    study: Study, folders: Path
) -> None:
    content = repeated(folders / "m.parquet", "1", rows=1_000_000, groups=30).read_bytes()
    assert len(content) < 1_000_000
    assert "grows to" in refused(study, FileKind.MAGNITUDES, content, "m.parquet")
    assert below(folders) == ["m.parquet"]


@pytest.mark.parametrize(
    ("kind", "content", "said"),
    [
        (FileKind.COLLECTION, b"d1\ttext\nno tab\n", "file.tsv:2: no tab."),
        (FileKind.COLLECTION, b'{"id": "1"}\n', "file.tsv:1: no tab."),
        (
            FileKind.RUN,
            b"q1 Q0 d1 1 1.0 x\nq1 Q0 d1 1\n",
            "file.tsv:2: expected 6 columns, found 4.",
        ),
        (FileKind.RUN, b"q1 Q0 d1 1 nan x\n", "file.tsv:1: the score is 'nan'"),
        (FileKind.RUN, b"\n\n", "file.tsv: is empty."),
        (FileKind.QUERIES, b"q1\tone\nq1\ttwo\n", "file.tsv:2: repeats the query 'q1' of line 1."),
        (FileKind.QUERIES, b"q1\nq2\n", "file.tsv:1: the queries have no text."),
        (FileKind.QRELS, b"q1 0 d1\n", "file.tsv:1: expected 4 columns, found 3."),
        (FileKind.LEXICON, b"she\n", 'file.tsv:1: "she" is not one word and one group.'),
        (FileKind.MAGNITUDES, b"d1\ttext\n", "file.tsv: is damaged, or is not a Parquet file"),
    ],
)
def test_a_mistake_is_told_at_once_with_its_place(
    study: Study, kind: FileKind, content: bytes, said: str
) -> None:
    assert said in refused(study, kind, content)


def test_json_lines_are_read_as_their_name_says(study: Study) -> None:
    told = refused(study, FileKind.COLLECTION, b'{"id": "1"}\n', "c.jsonl")
    assert told.startswith("c.jsonl:1: no field contents or text or passage or segment or body.")
    add(study, FileKind.COLLECTION, b'{"id": "1", "text": "she"}\n', "c.jsonl")


@pytest.mark.parametrize(
    ("sent", "shown"),
    [
        ("../../etc/passwd", "passwd"),
        ("C:\\runs\\bm25.run", "bm25.run"),
        ("a\x00b\n\u202ec.tsv", "abc.tsv"),
        ("<img src=x onerror=alert(1)>.tsv", "<img src=x onerror=alert(1)>.tsv"),
        ("", "unnamed"),
        ("..", ".."),
        ("ü" * 300, "ü" * 100),
    ],
    ids=["up", "windows", "marks", "html", "empty", "dots", "long"],
)
def test_a_name_is_shown_without_tricks_and_never_used_as_a_path(
    study: Study, folders: Path, sent: str, shown: str
) -> None:
    assert shown_name(sent) == shown
    file = add(study, FileKind.COLLECTION, collection(), sent)
    assert file.name == shown
    assert [part for part in below(folders / "stored") if "<" in part or ".." in part] == []
    assert local_path(file).resolve().is_relative_to(folders / "stored" / str(study.pk))


def test_an_upload_beyond_the_limit_leaves_nothing(
    study: Study, folders: Path, settings: Settings
) -> None:
    settings.UPLOAD_LIMIT_MB = 1
    told = refused(study, FileKind.COLLECTION, b"d1\ttext\n" * 200_000)
    assert "has more than 1 MB" in told
    assert below(folders) == []


def test_an_upload_that_breaks_off_leaves_nothing(study: Study, folders: Path) -> None:
    class Broken:
        def __init__(self) -> None:
            self.blocks = [b"d1\ttext\n"]

        def read(self, _size: int = -1, /) -> bytes:
            if not self.blocks:
                raise ConnectionResetError
            return self.blocks.pop()

    with pytest.raises(ConnectionResetError):
        add_study_file(
            study=study, kind="collection", stream=Broken(), filename="c.tsv", actor="test"
        )
    assert below(folders) == []
    assert not StudyFile.objects.exists()


def test_what_a_killed_process_left_goes_a_day_later(folders: Path) -> None:
    for name, hours in (("old", 25), ("young", 23)):
        left = folders / "uploads" / name
        left.mkdir()
        (left / "part").write_bytes(b"x")
        then = left.stat().st_mtime - hours * 3_600
        os.utime(left, (then, then))
    with workplace():
        pass
    assert below(folders / "uploads") == ["young/part"]


def test_a_study_has_one_file_of_some_kinds_and_no_name_twice(study: Study) -> None:
    add(study, FileKind.QUERIES, queries(), "queries.tsv")
    with pytest.raises(InputError):
        add(study, FileKind.QUERIES, queries(3), "others.tsv")
    add(study, FileKind.RUN, a_run(0), "bm25.run")
    with pytest.raises(InputError):
        add(study, FileKind.RUN, a_run(1), "other.run", name="bm25")
    add(study, FileKind.RUN, a_run(1), "bm25.txt", name="BM25+")
    with pytest.raises(InputError):
        add(study, FileKind.RUN, a_run(1), "x.run", name="a b")


def test_a_file_of_the_server_is_used_where_it_lies(study: Study, folders: Path) -> None:
    (folders / "server" / "msmarco").mkdir()
    (folders / "server" / "msmarco" / "c.tsv").write_bytes(collection())
    (folders / "server" / ".hidden").write_bytes(b"x")
    assert files_to_point_to() == ["msmarco/c.tsv"]
    file = study_file_point_to(study=study, kind="collection", where="msmarco/c.tsv", actor="test")
    assert local_path(file) == folders / "server" / "msmarco" / "c.tsv"
    assert (file.is_pointed, file.name) == (True, "c.tsv")
    remove(study, "file", file)
    age_removed()
    assert (folders / "server" / "msmarco" / "c.tsv").exists()


@pytest.mark.parametrize(
    "where",
    [
        "../secret.tsv",
        "/etc/passwd",
        "out.tsv",
        "folder/secret.tsv",
        "loop",
        "",
        ".",
        "none",
        "a\0",
    ],
)
def test_pointing_leads_nowhere_outside_the_folder(study: Study, folders: Path, where: str) -> None:
    (folders / "secret.tsv").write_bytes(collection())
    server = folders / "server"
    (server / "out.tsv").symlink_to(folders / "secret.tsv")
    (server / "folder").symlink_to(folders)
    (server / "loop").symlink_to(server / "loop")
    with pytest.raises(InputError):
        study_file_point_to(study=study, kind="collection", where=where, actor="test")


def test_without_a_folder_nothing_can_be_pointed_to(study: Study, settings: Settings) -> None:
    settings.FILES_DIR = ""
    assert files_to_point_to() == []
    with pytest.raises(InputError):
        study_file_point_to(study=study, kind="run", where="etc/passwd", actor="test")


def test_a_file_that_is_pointed_to_and_replaced_is_not_used(study: Study, folders: Path) -> None:
    path = folders / "server" / "c.tsv"
    path.write_bytes(collection())
    file = study_file_point_to(study=study, kind="collection", where="c.tsv", actor="test")
    path.write_bytes(collection(61))
    with pytest.raises(InputError):
        local_path(file)


def test_a_pointed_file_is_packed_as_its_bytes_say_whatever_its_name(
    study: Study, folders: Path
) -> None:
    (folders / "server" / "c.tsv").write_bytes(gzip.compress(collection()))
    (folders / "server" / "q.tsv.gz").write_bytes(queries())
    for kind, where in (("collection", "c.tsv"), ("queries", "q.tsv.gz")):
        file = study_file_point_to(study=study, kind=kind, where=where, actor="test")
        assert file.summary["lines"]


@pytest.mark.django_db(transaction=True)
def test_a_removed_file_is_hidden_at_once_and_gone_a_day_later(folders: Path) -> None:
    study = Study.objects.create(name="gender")
    remove(study, "file", add(study, FileKind.RUN, a_run(0), "a.run"))
    assert not StudyFile.objects.exists()
    assert below(folders / "stored") != []
    age_removed()
    assert below(folders / "stored") == []
    assert not StudyFile.everything.exists()
    assert {"removed", "deleted for good"} <= set(study.events.values_list("action", flat=True))


def test_a_storage_that_is_no_folder_is_fetched_from_once(
    study: Study, folders: Path, settings: Settings
) -> None:
    settings.STORAGES = {
        **settings.STORAGES,
        "files": {"BACKEND": "tests.annotation.studies.remote.RemoteStorage"},
    }
    file = add(study, FileKind.RUN, a_run(0), "a.run")
    path = local_path(file)
    assert path.read_bytes() == a_run(0)
    assert path.is_relative_to(folders / "cache")
    storages["files"].delete(file.path)
    assert local_path(file) == path


def test_lines_end_at_line_feeds(study: Study) -> None:
    file = add(study, FileKind.QUERIES, lines(["q1\tone", "q2\ttwo"])[:-1], "q.tsv")
    assert file.summary == {"lines": 2, "unpacked": 13, "n_queries": 2, "layout": "texts"}


CONTRADICTING = b"q0 Q0 d1 1 1.0 t\nq0 Q0 d2 2 2.0 t\nq1 Q0 d1 1 9.0 t\n"


def test_what_is_odd_in_a_run_is_told_once_it_is_added(study: Study, folders: Path) -> None:
    run = add(study, FileKind.RUN, CONTRADICTING, "A.run")
    assert run.summary["n_queries"] == 2
    (warning,) = run.warnings
    assert warning.startswith("line 1: ")
    assert "--order" not in warning
    assert str(folders) not in warning


def test_queries_that_only_the_run_or_only_the_study_has_are_counted(
    study: Study, folders: Path
) -> None:
    run = add(study, FileKind.RUN, a_run(0, n_queries=12), "A.run")
    asked = add(study, FileKind.QUERIES, lines(f"q{i}\ttext" for i in range(2, 20)), "q.tsv")
    run.refresh_from_db()
    assert [re.findall(r"\d+", text) for text in run.warnings] == [["2", "12"], ["8", "18"]]
    assert add(study, FileKind.RUN, a_run(1), "B.run").warnings == run.warnings
    remove(study, "file", asked)
    run.refresh_from_db()
    assert not run.warnings


def test_a_run_without_a_query_of_the_study_is_refused_whichever_comes_first(
    study: Study, folders: Path
) -> None:
    run, others = a_run(0), b"other1\ttext\nother2\ttext\n"
    add(study, FileKind.RUN, run, "A.run")
    with pytest.raises(InputError, match="'other1'"):
        add(study, FileKind.QUERIES, others, "q.tsv")
    study.files.all().delete()
    add(study, FileKind.QUERIES, others, "q.tsv")
    with pytest.raises(InputError, match="'other1'"):
        add(study, FileKind.RUN, run, "A.run")
    assert study.files.count() == 1


def test_a_line_that_cannot_be_read_is_found_beyond_the_first_ones(
    study: Study, folders: Path
) -> None:
    run = a_run(0, n_queries=FIRST_LINES // 10) + b"q0 Q0 d1 NO 1 t\n"
    why = refused(study, FileKind.RUN, run, "A.run")
    assert f"A.run:{FIRST_LINES + 1}:" in why
