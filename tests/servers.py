"""The programs that some tests need: skipped where absent, or failed where they must be there.

Whether a program is installed says little: TeX has a class and lacks what the class loads, a
browser lacks a library. Each is asked once whether it can do the thing.
"""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any, NoReturn

import psycopg
import pytest
from kombu import Connection
from kombu.exceptions import OperationalError
from playwright.sync_api import Browser, Error, Playwright

from tests.project import ROOT

POSTGRES = "postgres://postgres@127.0.0.1:5432/"
REDIS = "redis://127.0.0.1:6379/15"
RABBITMQ = "amqp://guest:guest@127.0.0.1:5672//"
#: Seconds after which a program that says nothing of itself hangs, on a machine however busy.
_PATIENCE = 60


def absent(what: str) -> NoReturn:
    """Skip the test with one line; with FAIRPOOL_REQUIRE_SERVERS=1, as in CI, it fails."""
    if os.environ.get("FAIRPOOL_REQUIRE_SERVERS"):
        pytest.fail(f"{what}, and FAIRPOOL_REQUIRE_SERVERS is set", pytrace=False)
    pytest.skip(what)


def need_postgresql() -> None:
    try:
        psycopg.connect(f"{POSTGRES}postgres", connect_timeout=30).close()
    except psycopg.OperationalError:
        absent("no PostgreSQL answers at 127.0.0.1:5432")


def need_broker(broker: str) -> None:
    """Redis or RabbitMQ, whichever the address names."""
    try:
        with Connection(broker, connect_timeout=30) as connection:
            connection.ensure_connection(max_retries=1)
    except OperationalError:
        absent(f"no broker answers at {broker.rpartition('@')[2]}")


def need_program(*names: str, trial: Sequence[str] = ("--version",)) -> str:
    """The path of the first of these programs that is installed, and does its `trial`."""
    for name in names:
        if path := shutil.which(name):
            if wrong := _wrong_with((path, *trial)):
                absent(f"{name} is installed and does not work: {wrong}")
            return path
    absent(f"{names[0]} is not installed")


def need_checkout() -> str:
    """The path of git, where our files are a checkout: an unpacked archive of them is none."""
    git = need_program("git")
    if not (ROOT / ".git").exists():
        absent(f"{ROOT} is not a git checkout")
    return git


def need_chromium(playwright: Playwright, **options: Any) -> Browser:
    """Chromium, started with these options of Playwright."""
    path = need_program("chromium", "chromium-browser")
    try:
        return playwright.chromium.launch(executable_path=path, timeout=180_000, **options)
    except Error as error:
        absent(f"chromium is installed and does not start: {error.message.splitlines()[0]}")


def need_latex(preamble: str) -> str:
    """The path of pdflatex, which sets a line of text in a document with this preamble."""
    engine = need_program("pdflatex")
    if wrong := _wrong_with_latex(engine, preamble):
        absent(f"pdflatex cannot set {preamble.partition('}')[0]}}}: {wrong}")
    return engine


@cache
def _wrong_with_latex(engine: str, preamble: str) -> str:
    text = f"{preamble}\\begin{{document}}A line.\\end{{document}}\n"
    with tempfile.TemporaryDirectory(prefix="latex-") as folder:
        (Path(folder) / "line.tex").write_text(text, encoding="utf-8")
        command = (engine, "-interaction=batchmode", "-halt-on-error", "line.tex")
        wrong = _wrong_with(command, folder=folder, patience=10 * _PATIENCE)
        log = Path(folder) / "line.log"
        if wrong and log.exists():
            lines = log.read_text(errors="replace").splitlines()
            wrong = next((line for line in lines if line.startswith("!")), wrong)
    return wrong


@cache
def _wrong_with(
    command: tuple[str, ...], *, folder: str | None = None, patience: float = _PATIENCE
) -> str:
    """Why the command fails, in a line; empty if it does not."""
    try:
        done = subprocess.run(
            command, cwd=folder, capture_output=True, check=False, timeout=patience
        )
    except subprocess.TimeoutExpired:
        return f"it hangs for {patience:g} seconds"
    except OSError as error:
        return str(error)
    said = (done.stderr or done.stdout).decode(errors="replace").strip().splitlines()
    return "" if done.returncode == 0 else (said or [f"it ends with {done.returncode}"])[-1]
