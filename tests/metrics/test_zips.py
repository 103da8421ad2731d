"""A zip says at its end how many entries it lists, and is not opened where those are too many."""

import io
import tracemalloc
import zipfile
from pathlib import Path

import pytest

from metrics.errors import InputError
from metrics.io.packing import each_file, only_member
from metrics.io.zips import open_zip
from tests.site.hostile_files import HOSTILE, zip_of_entries


@pytest.mark.parametrize("zip64", [False, True])
@pytest.mark.parametrize("n", [1, 7, 3_000])
def test_a_zip_is_opened_up_to_the_most_entries(n: int, zip64: bool) -> None:
    packed = io.BytesIO(zip_of_entries(n, zip64=zip64))
    assert len(open_zip(packed, most=n).infolist()) == n
    with pytest.raises(InputError):
        open_zip(packed, most=n - 1)


def unpack_only(path: Path) -> None:
    with path.open("rb") as file:
        only_member(file, path)


@pytest.mark.parametrize("zip64", [False, True])
def test_a_long_list_is_refused_before_it_is_read(tmp_path: Path, zip64: bool) -> None:
    path = tmp_path / "a.zip"
    path.write_bytes(zip_of_entries(200_000, zip64=zip64))
    tracemalloc.start()
    for opens in (each_file, open_zip, unpack_only):
        with pytest.raises(InputError) as caught:
            opens(path)
        assert caught.value.path == str(path)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 4_000_000


@pytest.mark.parametrize("announced", [0, 1])
def test_a_number_that_is_too_low_hides_no_entries(announced: int) -> None:
    packed = bytearray(zip_of_entries(60_000))
    end = packed.rindex(b"PK\5\6")
    packed[end + 8 : end + 12] = announced.to_bytes(2, "little") * 2
    assert len(zipfile.ZipFile(io.BytesIO(packed)).infolist()) == 60_000
    with pytest.raises(InputError):
        open_zip(io.BytesIO(packed), most=10_000)


def test_what_is_no_zip_is_not_opened() -> None:
    for what, content in HOSTILE.items():
        if not what.startswith(("zip", "xlsx")):
            with pytest.raises(zipfile.BadZipFile):
                open_zip(io.BytesIO(content))


def test_real_zips_with_long_names_and_comments_are_opened() -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for number in range(500):
            entry = zipfile.ZipInfo(f"{'a long folder/' * 10}{number}.run")
            entry.comment = b"of a run" * 10
            archive.writestr(entry, b"")
        archive.comment = b"of all runs" * 1_000
    with open_zip(packed, most=1_000) as archive:
        assert len(archive.namelist()) == 500
