"""Files are whole or not there at all, and closed when they were read."""

import os
import zipfile
from pathlib import Path

import pytest

from metrics.errors import InputError
from metrics.io.files import replacing, write_text
from metrics.io.storage import open_raw


def test_a_file_appears_when_it_is_complete(tmp_path: Path) -> None:
    target = tmp_path / "table.csv"

    with replacing(target) as temporary:
        temporary.write_text("whole")
        assert not target.exists()

    assert target.read_text() == "whole"
    assert [path.name for path in tmp_path.iterdir()] == ["table.csv"]


def write_half(target: Path, error: type[BaseException]) -> None:
    with replacing(target) as temporary:
        temporary.write_text("half")
        raise error


@pytest.mark.parametrize("error", [RuntimeError, KeyboardInterrupt, OSError])
def test_what_was_there_stays_when_writing_fails(
    tmp_path: Path, error: type[BaseException]
) -> None:
    target = tmp_path / "table.csv"
    target.write_text("before")

    with pytest.raises(error):
        write_half(target, error)

    assert target.read_text() == "before"
    assert [path.name for path in tmp_path.iterdir()] == ["table.csv"]


def test_a_folder_that_does_not_exist_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="nowhere:"):
        write_text(tmp_path / "nowhere" / "table.csv", "")


def test_a_pipe_is_written_to_and_not_replaced(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)

    write_text(pipe, "through")

    assert os.read(reader, 100) == b"through"
    assert pipe.is_fifo()
    os.close(reader)


def test_a_zip_is_closed_with_its_file(tmp_path: Path) -> None:
    path = tmp_path / "runs.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("A.run", "1 Q0 d1 1 2.5 A\n")
    opened = len(list(Path("/dev/fd").iterdir()))

    with open_raw(path / "A.run") as file:
        assert file.read(4) == b"1 Q0"
        file.seek(2)
        assert file.read() == b"Q0 d1 1 2.5 A\n"

    assert len(list(Path("/dev/fd").iterdir())) == opened
