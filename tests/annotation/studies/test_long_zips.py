"""A zip that lists two million entries, in 94 MB, is refused before its list is read.

`python -m pytest -m long tests/annotation/studies/test_long_zips.py --log-cli-level=INFO` says
what each door took; `zipfile` alone takes 9 seconds and 730 MB.
"""

import logging
import time
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import pytest

from annotation.reports.bundle.archive import BUNDLE, open_archive
from annotation.studies.archives import names_in_zip, unpack_files
from metrics.errors import InputError
from metrics.io.packing import only_member
from tests.site.hostile_files import zip_of_entries

log = logging.getLogger(__name__)

_MEGABYTE = 1 << 20


@pytest.fixture(scope="module")
def zipped(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("zips") / "long.zip"
    path.write_bytes(zip_of_entries(2_000_000, zip64=True))
    return path


def _bundle(path: Path) -> None:
    with open_archive(path):
        pass


def _upload(path: Path) -> None:
    with path.open("rb") as file:
        names_in_zip(file)


def _collection(path: Path) -> None:
    with path.open("rb") as file:
        only_member(file, path)


@pytest.mark.long
@pytest.mark.parametrize(
    "door",
    [_upload, lambda path: unpack_files(path, path.parent / "unpacked"), _bundle, _collection],
    ids=["upload", "files of a study or of votes", "bundle", "run or collection"],
)
def test_two_million_entries_are_refused_at_once(
    zipped: Path, door: Callable[[Path], object]
) -> None:
    tracemalloc.start()
    began = time.process_time()
    with pytest.raises(InputError, match=r"lists 2,000,000 files and folders"):
        door(zipped)
    seconds, peak = time.process_time() - began, tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    log.info("refused after %.2f s of the processor, with %.1f MB", seconds, peak / _MEGABYTE)
    assert peak < 4 * _MEGABYTE
    assert seconds < 1


@pytest.mark.long
def test_it_is_taken_for_no_bundle(zipped: Path) -> None:
    assert not BUNDLE.recognises(zipped)
