"""Leaves out what takes long where nothing that it imports has changed since it passed.

`make faults` runs everything and writes a digest for each file of tests that passed as a whole to
`passed.json`: of the file itself, of every module of ours that it imports, however far away, and of
what a site is made of beside Python. `make faults CHANGED=1` runs the files whose digest is another
now. Imports do not show what a process started by a test runs, so this saves time between two full
runs; it does not replace them. A change of what everything imports would run all: after `--within`
MINUTES no further test begins, and those that are left are skipped by name. Files run in the order
of their digests, so that other ones come first after each change.
"""

import hashlib
import json
import time
from functools import cache
from pathlib import Path

import grimp
import pytest

ROOT = Path(__file__).resolve().parent.parent
RECORD = Path(__file__).with_name("passed.json")
_HOUSES = (
    "annotation",
    "config",
    "metrics",
    "mturk_local",
    "pooling",
    "rankers",
    "tests",
    "measurements",
)
#: What decides beside Python: for every test, and for those that follow the documents.
_BESIDE = ("templates", "static", "sample", "deploy", "requirements-dev.txt")
_DOCUMENTS = ("README.md", "docs")
_STARTED = time.monotonic()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--changed", action="store_true", help="leave out files that are unchanged")
    parser.addoption("--record", action="store_true", help="record what passed in passed.json")
    parser.addoption("--within", type=float, help="minutes after which no further test begins")


def pytest_runtest_setup(item: pytest.Item) -> None:
    within = item.config.getoption("--within")
    if within and time.monotonic() - _STARTED > within * 60:
        pytest.skip(f"{within:g} minutes are over: run `make faults T={_name(item.path)}`")


def pytest_report_header(config: pytest.Config) -> list[str]:
    if not config.getoption("--changed"):
        return []
    return [f"unchanged since it passed: {name}" for name in sorted(_unchanged())]


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if config.getoption("--changed"):
        left_out = [item for item in items if _name(item.path) in _unchanged()]
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if item not in set(left_out)]
        items.sort(key=lambda item: _digest(_name(item.path)))


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    if session.config.getoption("--changed") and exitstatus == pytest.ExitCode.NO_TESTS_COLLECTED:
        session.exitstatus = pytest.ExitCode.OK


class Recorder:
    """Collects the files that passed, and records them in the end unless somebody stopped it."""

    def __init__(self) -> None:
        self._passed: set[str] = set()
        self._failed: set[str] = set()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        name = report.nodeid.partition("::")[0]
        if report.failed:
            self._failed.add(name)
        elif report.when == "call" and report.passed:
            self._passed.add(name)

    def pytest_sessionfinish(self, exitstatus: int) -> None:
        if exitstatus in {pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED}:
            recorded = {k: v for k, v in _passed().items() if k not in self._failed}
            recorded |= {name: _digest(name) for name in self._passed - self._failed}
            RECORD.write_text(json.dumps(recorded, indent=1, sort_keys=True) + "\n")


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("--record") and not hasattr(config, "workerinput"):
        config.pluginmanager.register(Recorder())


def _name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def _passed() -> dict[str, str]:
    """What was recorded of the files that are still there."""
    recorded = json.loads(RECORD.read_text()) if RECORD.exists() else {}
    return {name: digest for name, digest in recorded.items() if (ROOT / name).exists()}


@cache
def _unchanged() -> frozenset[str]:
    return frozenset(name for name, digest in _passed().items() if _digest(name) == digest)


@cache
def _digest(name: str) -> str:
    """Of a file of tests, with what it imports and what lies beside Python."""
    total = hashlib.sha256()
    names = (*_BESIDE, *_DOCUMENTS) if name.startswith("tests/site/test_") else _BESIDE
    for path in sorted({ROOT / name, *_imported(name), *_files(names)}):
        digest = hashlib.sha256(path.read_bytes()).hexdigest()
        total.update(f"{_name(path)} {digest}\n".encode())
    return total.hexdigest()


@cache
def _graph() -> grimp.ImportGraph:
    return grimp.build_graph(*_HOUSES, cache_dir=None)


def _imported(name: str) -> set[Path]:
    """The files of our modules that this file of tests imports, directly or not.

    With those of the programs beside it, which tests start as processes of their own. A folder that
    is not a package is not in the graph: then all modules count.
    """
    programs = [path for path in (ROOT / name).parent.glob("*.py") if path.stem[:5] != "test_"]
    starts = [_module(ROOT / name), *map(_module, programs)]
    graph = _graph()
    if any(start not in graph.modules for start in starts):
        modules = graph.modules
    else:
        modules = {*starts, *(up for start in starts for up in graph.find_upstream_modules(start))}
    bases = [ROOT / module.replace(".", "/") for module in modules]
    files = [path for base in bases for path in (base.with_suffix(".py"), base / "__init__.py")]
    return {path for path in files if path.exists()}


def _module(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@cache
def _files(names: tuple[str, ...]) -> frozenset[Path]:
    """The files of these names, and those below them where they are folders."""
    return frozenset(
        path
        for name in names
        for path in (ROOT / name, *(ROOT / name).rglob("*"))
        if path.is_file() and "__pycache__" not in path.parts
    )
