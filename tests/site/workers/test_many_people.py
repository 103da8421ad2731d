"""Many people at the pages that show what the crowd service knows, which is the very same site."""

import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import requests

from tests.project import new_project

pytestmark = pytest.mark.timed
PEOPLE = 32


@pytest.mark.long
def test_many_people_at_once_read_and_invite_without_a_refusal(tmp_path: Path) -> None:
    project = new_project(tmp_path / "var")
    queries = tmp_path / "queries.tsv"
    queries.write_text("".join(f"q{n}\tquery {n}\n" for n in range(4)), encoding="utf-8")
    with project.site("--without-worker") as url:
        project.run("batch", "create", "--name", "b", "--queries", queries, "--quiet")
        project.run("batch", "publish", "b", "--yes", "--quiet")
        invite, messages = f"{url}/batches/1/invite/", f"{url}/batches/1/messages/"

        def read(number: int) -> requests.Response:
            return requests.get((invite, messages)[number % 2], timeout=60)

        def sign(_number: int) -> tuple[requests.Session, str]:
            browser = requests.Session()
            page = browser.get(invite, timeout=60).text
            (token,) = set(re.findall(r'name="csrfmiddlewaretoken" value="(\w+)"', page))
            return browser, token

        def make_link(signed: tuple[requests.Session, str]) -> requests.Response:
            browser, token = signed
            sent = {"csrfmiddlewaretoken": token, "places": "5", "days": "2", "note": "lab"}
            return browser.post(f"{invite}link/", sent, timeout=60)

        with ThreadPoolExecutor(PEOPLE) as pool:
            for page in pool.map(read, range(PEOPLE)):
                assert page.status_code == 200
                assert 'role="alert"' not in page.text
            signed = list(pool.map(sign, range(PEOPLE)))
            made = list(pool.map(make_link, signed))
        assert ['role="alert"' in page.text for page in made] == [False] * len(made)
        assert read(0).text.count('aria-labelledby="c-') == len(made)
