"""Contents of `pip install fairpool`: licences, size, imports, and the page of an index."""

import os
import re
import subprocess
import sys
from importlib.metadata import PackageNotFoundError, distribution
from importlib.util import find_spec
from pathlib import Path

import pytest

from .conftest import HEAVY

pytestmark = pytest.mark.skipif(
    os.environ.get("FAIRPOOL_MODULE") != "fairpool", reason="needs the wheel"
)

_MOST_BYTES = 100_000_000
_NAME = re.compile(r"[\w.-]+")
#: The lesser GPL leaves a program that imports a library its own licence.
_GPL = re.compile(r"(?<!Lesser )(?<!Library or )General Public License|\b(?<!L)GPL", re.IGNORECASE)


def licence_of(name: str) -> str:
    metadata = distribution(name).metadata
    classifiers = [text for text in metadata.get_all("Classifier", []) if "License" in text]
    stated = [*metadata.get_all("License-Expression", []), *metadata.get_all("License", [])]
    return " ".join([*(text.partition("\n")[0] for text in stated), *classifiers])


def installed_with(name: str, known: set[str]) -> set[str]:
    """The package and all that its installation brings, extras where they are installed."""
    if name.lower() in known:
        return known
    try:
        requirements = distribution(name).requires or []
    except PackageNotFoundError:
        return known
    known.add(name.lower())
    for requirement in requirements:
        if "extra ==" not in requirement or name == "fairpool":
            match = _NAME.match(requirement)
            assert match
            installed_with(match[0], known)
    return known


def test_nothing_that_the_wheel_brings_is_under_the_gpl() -> None:
    packages = installed_with("fairpool", set()) - {"fairpool"}

    assert {"numpy", "blake3"} <= packages
    assert {name: text for name in packages if _GPL.search(text := licence_of(name))} == {}


def test_the_wheel_holds_the_pages_that_the_documentation_of_pyterrier_collects() -> None:
    places = {str(path) for path in distribution("fairpool").files or []}

    assert "fairpool/pt_docs/index.rst" in places


def test_the_wheel_states_its_licences_and_holds_their_texts() -> None:
    wheel = distribution("fairpool")

    assert wheel.metadata["License-Expression"] == "Apache-2.0 AND MIT"
    texts = [path.read_text() for path in wheel.files or [] if path.name == "LICENSE"]
    assert any("Apache License" in text for text in texts)
    assert any("Navid Rekabsaz" in text for text in texts)
    assert not any("GNU GENERAL PUBLIC LICENSE" in text for text in texts)


@pytest.mark.skipif(find_spec("pyarrow") is not None, reason="extras are installed")
def test_it_is_small() -> None:
    files = {
        name: [Path(file.locate()) for file in distribution(name).files or []]
        for name in installed_with("fairpool", set())
    }
    sizes = {
        name: sum(path.stat().st_size for path in paths if path.is_file())
        for name, paths in files.items()
    }

    assert sum(sizes.values()) <= _MOST_BYTES, sizes


def test_it_is_imported_without_what_takes_long() -> None:
    code = "import sys, fairpool; fairpool.evaluate; print(*sys.modules)"
    told = subprocess.run(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, check=True
    )
    loaded = {name.partition(".")[0] for name in told.stdout.split()}
    assert "numpy" in loaded
    assert not loaded & HEAVY


def test_an_index_shows_no_address_that_leads_nowhere() -> None:
    metadata = distribution("fairpool").metadata
    description = metadata.get_payload()  # type: ignore[attr-defined] # an email message
    urls = [url.rpartition(" ")[2] for url in metadata.get_all("Project-URL", [])]

    assert "# Fairpool" in description
    assert re.findall(r"\]\((?!https?://|#)[^)]*\)", description) == []
    assert [url for url in (*urls, description) if re.search(r"\bexample\.\w", url)] == []
    assert len({tuple(url.split("/")[:5]) for url in urls}) <= 1


def test_type_checkers_read_its_types() -> None:
    assert any(path.name == "py.typed" for path in distribution("fairpool").files or [])
