"""Memory of a site's processes at its start, after all that it offers was opened, and after a rest.

The demonstration is made in a folder of its own and served: the worker makes its report, and then
every link is followed, downloads and pictures too, up to three of each kind. `make setup` installs
what a site needs; other libraries that are there take memory, too.
"""

import re
import sys
import tempfile
import time
import urllib.request
from collections import Counter, deque
from html.parser import HTMLParser
from http.cookiejar import CookieJar
from pathlib import Path
from urllib.error import HTTPError
from urllib.parse import parse_qsl, urldefrag, urljoin, urlsplit

from measurements.site_start import megabytes_of, processes_of, seconds_to, served
from tests.project import Project, new_project

#: A process of pages that has gained much gives its place to a new one within the last of these.
_OF_A_KIND, _SECONDS_AFTERWARDS, _SECONDS_OF_REST = 3, 10.0, 90.0


class _Links(HTMLParser):
    """Collects the addresses that a page leads to or is made of."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.feed(page)

    def handle_starttag(self, _tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.links += [value for name, value in attrs if name in ("href", "src") and value]


def kind_of(url: str) -> str:
    """Its address without numbers and digests, and the names of its parameters."""
    parts = urlsplit(url)
    names = sorted({name for name, _value in parse_qsl(parts.query)})
    return f"{re.sub(r'[0-9a-f-]{20,}|[0-9]+', 'N', parts.path)}?{','.join(names)}"


def open_all(site: str) -> Counter[str]:
    """Follow every link of the site; how many of each kind were opened."""
    opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(CookieJar()))
    opened: Counter[str] = Counter()
    seen, waiting = set[str](), deque([f"{site}/", f"{site}/studies/", f"{site}/annotate/"])
    while waiting:
        url = waiting.popleft()
        kind = kind_of(url)
        if url in seen or not url.startswith(f"{site}/") or opened[kind] == _OF_A_KIND:
            continue
        seen.add(url)
        try:
            with opener.open(url) as reply:
                content, is_page = reply.read(), reply.headers.get_content_type() == "text/html"
        except HTTPError:
            continue  # what a worker of the crowd service sees, or what only a form leads to
        opened[kind] += 1
        if is_page:
            links = _Links(content.decode()).links
            waiting += [urldefrag(urljoin(url, link)).url for link in links]
    return opened


def memory_in_words(pid: int, seconds: float = _SECONDS_AFTERWARDS) -> str:
    """Memory some seconds from now."""
    time.sleep(seconds)
    sizes = [megabytes_of(process) for process in processes_of(pid)]
    return f"{sum(sizes):.0f} MB, by process {' + '.join(f'{size:.0f}' for size in sizes)}"


def _is_report_made(project: Project) -> bool:
    jobs = project.json("job", "list")["tasks"]
    return all(job["state"] == "done" for job in jobs if job["kind"] == "report")


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        project = new_project(Path(folder) / "var")
        project.run("demo", "--output", Path(folder) / "output")
        site = f"http://127.0.0.1:{project.port}"
        with served(project.environment) as pid:
            seconds_to(f"{site}/sign-in/", time.monotonic())
            while not _is_report_made(project):
                time.sleep(1)
            sys.stdout.write(f"after the report: {memory_in_words(pid)}\n")
            opened = open_all(site)
            sys.stdout.write(f"{opened.total()} pages and files of {len(opened)} kinds opened\n")
            sys.stdout.write(f"afterwards: {memory_in_words(pid)}\n")
            sys.stdout.write(f"after a rest: {memory_in_words(pid, _SECONDS_OF_REST)}\n")


if __name__ == "__main__":
    main()
