"""Both ways to serve the site limit the heaps of its processes by the same rule."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.project import ROOT

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="asks GNU's C library")

#: Eight threads allocate at once; the C library writes how many heaps it has.
_COUNT_HEAPS = """
import ctypes, sys, threading
at_once = threading.Barrier(8)
def allocate():
    at_once.wait()
    blocks = [bytes(1_000) for _ in range(10_000)]
    at_once.wait()
threads = [threading.Thread(target=allocate) for _ in range(8)]
for thread in threads: thread.start()
for thread in threads: thread.join()
library = ctypes.CDLL(None)
library.fopen.restype = ctypes.c_void_p
file = ctypes.c_void_p(library.fopen(sys.argv[1].encode(), b"w"))
library.malloc_info(0, file)
library.fclose(file)
"""
#: An open site at an address that others reach is refused, once the heaps are limited.
_WEB_SH = """
from contextlib import suppress
from types import SimpleNamespace
from config.web_server import on_starting
with suppress(SystemExit):
    on_starting(SimpleNamespace(cfg=SimpleNamespace(address=[("192.0.2.1", 8000)])))
"""
_SERVE = "from annotation.management.heaps import share_heaps; share_heaps()"


def heaps_after(statements: str, written: Path) -> int:
    subprocess.run(
        [sys.executable, "-c", f"{statements}\n{_COUNT_HEAPS}", str(written)],
        cwd=ROOT,
        env=os.environ | {"FAIRPOOL_OPEN": "1"},
        check=True,
    )
    return written.read_text().count("<heap nr=")


@pytest.mark.parametrize("start", [_SERVE, _WEB_SH], ids=["serve", "web.sh"])
def test_threads_share_two_heaps(start: str, tmp_path: Path) -> None:
    assert heaps_after("", tmp_path / "usual.xml") > 2
    assert heaps_after(start, tmp_path / "limited.xml") <= 2
