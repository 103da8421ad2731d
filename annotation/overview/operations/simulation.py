"""Simulated workers: they answer a local batch through the annotators' pages, as a browser would.

They read each page's forms and send answers, with errors of their own. Assignments and votes follow
from the seed, so that a run can be repeated exactly.
"""

import hmac
import json
import shlex
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from random import Random
from typing import NamedTuple
from urllib.parse import urlencode, urljoin

import mechanicalsoup
from bs4 import BeautifulSoup, Tag
from django.conf import settings
from requests import RequestException, Response
from requests.adapters import HTTPAdapter
from urllib3.util import Retry

from annotation.batches.operations.gold import known_answer
from annotation.models import HIT, Batch, HITQuery, Worker
from annotation.overview.operations.simulated_answers import answers_of
from annotation.schemes import Scheme, known_answers
from annotation.task_page import scheme_fields
from annotation.vocabulary import Environment, HITState, WorkerKind
from metrics.errors import InputError
from metrics.runs.queries import read_queries

_LINK_LASTS_SECONDS = 3_600
_SECONDS_PER_PAGE = 60


class Crowd(NamedTuple):
    """Simulated workers by id, each with an error rate."""

    seed: int
    error_rates: dict[str, float]


class Simulated(NamedTuple):
    """Counts of a simulation: workers who submitted, assignments, votes."""

    n_workers: int
    n_assignments: int
    n_votes: int


def read_truth(path: str | Path, scheme: Scheme) -> dict[str, str]:
    """The known answers of each query, from `qid,query,label` or `qid<TAB>label` lines.

    A label is what a line of gold questions may say of the questions of `scheme`.
    """
    queries = read_queries(path, category="all", labels=None)
    if queries.layout == "ids":
        raise InputError("holds no labels.", path=path, remedy="Write qid,query,label.")
    truth = {}
    for qid, label in (queries.labels or queries.texts).items():
        try:
            truth[qid] = known_answer(qid, label, scheme)
        except InputError as error:
            line = queries.lines[qid]
            raise InputError(error.message, path=path, line=line, remedy=error.remedy) from None
    return truth


def crowd_of(*, seed: int, n_workers: int, accuracy: float) -> Crowd:
    """Return `n_workers` workers whose error rates scatter around 1 - `accuracy` (0 to 1)."""
    rates = {}
    for number in range(1, n_workers + 1):
        worker_id = f"ASIM{seed}W{number:03d}"
        rate = (1.0 - accuracy) * Random(f"{seed}:{worker_id}").uniform(0.5, 1.5)
        rates[worker_id] = min(rate, 1.0)
    return Crowd(seed, rates)


def given_answers(
    crowd: Crowd, worker_id: str, qid: str, scheme: Scheme, truth: str = ""
) -> Mapping[str, frozenset[str]]:
    """The worker's answers about this query: the truth, or at the worker's rate others.

    They depend on nothing but the seed, the worker, the query and the truth; what `truth` does not
    say of a question is made up.
    """
    return answers_of(
        scheme,
        seed=crowd.seed,
        worker=worker_id,
        rate=crowd.error_rates[worker_id],
        qid=qid,
        known=known_answers(scheme, truth) if truth else {},
    )


def batch_simulate(
    *,
    batch: Batch,
    truth: Mapping[str, str],
    crowd: Crowd,
    progress: Callable[[int], object] = lambda _done: None,
) -> Simulated:
    """Let the crowd answer every open assignment of `batch`; call `progress` with each HIT done.

    `truth` is as `read_truth` returns it; without one the truth is made up. The workers are marked
    as simulated before they answer. HITs that are already answered are left alone, so an
    interrupted run can be repeated. Refuses any environment but the local one.
    """
    hits = list(batch.hits.filter(state=HITState.PUBLISHED).order_by("index"))
    _check(batch, truth, hits, crowd)
    _register(crowd)
    site = urljoin(batch.endpoint or settings.MTURK_LOCAL_ENDPOINT, "../annotate/")
    browsers = {
        worker_id: _Browser(
            site,
            worker_id,
            _answering(batch.scheme, crowd, worker_id, truth),
        )
        for worker_id in crowd.error_rates
    }
    votes: dict[str, list[int]] = {worker_id: [] for worker_id in browsers}
    with ExitStack() as stack:
        for browser in browsers.values():
            stack.callback(browser.close)
        for hit in hits:
            _answer(hit, crowd, browsers, votes)
            progress(1)
    handed_in = {worker_id: [n for n in numbers if n] for worker_id, numbers in votes.items()}
    return Simulated(
        n_workers=sum(bool(numbers) for numbers in handed_in.values()),
        n_assignments=sum(len(numbers) for numbers in handed_in.values()),
        n_votes=sum(sum(numbers) for numbers in handed_in.values()),
    )


def _check(batch: Batch, truth: Mapping[str, str], hits: Sequence[HIT], crowd: Crowd) -> None:
    if batch.environment != Environment.LOCAL:
        raise InputError(
            f"batch {batch.name!r} is in the environment {batch.environment!r}.",
            remedy="Only a batch of the local crowd service can be answered by simulated workers.",
        )
    if not hits:
        raise InputError(
            f"batch {batch.name!r} has no published HIT.",
            remedy=f"Run: python manage.py batch publish {shlex.quote(batch.name)}",
        )
    qids = HITQuery.objects.filter(hit__in=hits).values_list("query__qid", flat=True)
    unknown = sorted(set(qids) - truth.keys()) if truth else []
    if unknown:
        raise InputError(
            f"the truth has no label for {len(unknown)} queries of the batch, such as "
            f"{unknown[0]!r}.",
            remedy="Add them to the file.",
        )
    most = max(hit.max_assignments for hit in hits)
    if len(crowd.error_rates) < most:
        raise InputError(
            f"{len(crowd.error_rates)} workers cannot give {most} answers to one HIT.",
            remedy=f"Ask for at least --workers {most}.",
        )


def _register(crowd: Crowd) -> None:
    """Mark the workers as simulated before their votes can be collected."""
    for worker_id in crowd.error_rates:
        worker, _ = Worker.objects.get_or_create(
            environment=Environment.LOCAL,
            worker_id=worker_id,
            defaults={"kind": WorkerKind.SIMULATED},
        )
        if worker.kind != WorkerKind.SIMULATED:
            raise InputError(f"worker {worker_id!r} is known as {worker.kind!r}, not simulated.")


def _answer(
    hit: HIT,
    crowd: Crowd,
    browsers: "Mapping[str, _Browser]",
    votes: Mapping[str, list[int]],
) -> None:
    """Let as many workers as the HIT asks for answer it; those who may not do it are passed over.

    Each worker is equally likely; more assignments only add workers.
    """
    workers = sorted(crowd.error_rates)
    Random(f"{crowd.seed}:hit:{hit.index}").shuffle(workers)
    n_workers = 0
    for worker_id in workers:
        n_votes = browsers[worker_id].work_on(str(hit.hit_id))
        if n_votes is not None:
            votes[worker_id].append(n_votes)
            n_workers += 1
        if n_workers == hit.max_assignments:
            return
    raise InputError(
        f"HIT {hit.index} asks for {hit.max_assignments} workers, and {n_workers} of "
        f"{len(workers)} may do it: the batch excludes the others, such as those of an earlier "
        "round.",
        remedy="Give another --seed, which makes other workers, or more --workers.",
    )


#: Fills in the form of a task's page, and tells how many queries it answered.
_Fill = Callable[[BeautifulSoup], int]


def _answering(scheme: Scheme, crowd: Crowd, worker_id: str, truth: Mapping[str, str]) -> _Fill:
    def fill(page: BeautifulSoup) -> int:
        items = page.select("[data-qid]")
        for place, item in enumerate(items):
            qid = str(item["data-qid"])
            answers = given_answers(crowd, worker_id, qid, scheme, truth.get(qid, ""))
            for name, value in scheme_fields(scheme, place, answers):
                _one(item, f'input[name="{name}"][value="{value}"]')["checked"] = ""
        return len(items)

    return fill


class _Browser:
    """One worker's browser on the annotators' site."""

    def __init__(self, site: str, worker_id: str, fill: _Fill) -> None:
        self._site = site
        self._worker_id = worker_id
        self._fill = fill
        self._browser = mechanicalsoup.Browser(soup_config={"features": "lxml"})
        # A site closes idle connections, perhaps just when one is used again. All requests here may
        # be repeated: nothing is accepted or submitted twice.
        patient = HTTPAdapter(max_retries=Retry(3, backoff_factor=0.2, allowed_methods=None))
        self._browser.session.mount("http", patient)
        self._signed_in = False

    def close(self) -> None:
        self._browser.close()

    def work_on(self, hit_id: str) -> int | None:
        """Preview, accept, answer and submit a HIT.

        Return the number of votes: 0 if it is closed, None if this worker may not do it.
        """
        if not self._signed_in:
            self._get(_joining_link(self._site, self._worker_id))
            self._signed_in = True
        page = self._get(urljoin(self._site, f"hits/{hit_id}/"), refusal=_NOT_QUALIFIED)
        if page.status == _NOT_QUALIFIED:
            return None
        if accept := page.soup.select_one('form[action$="/accept/"]'):
            page = self._submit(accept, page.url)
        # A task accepted before an interruption is shown at once.
        frame = page.soup.select_one("iframe")
        if frame is None or "/assignments/" not in page.url:
            return 0
        return self._answer(self._get(urljoin(page.url, str(frame["src"]))))

    def _answer(self, task: "_Page") -> int:
        n_answered = self._fill(task.soup)
        self._submit(_one(task.soup, "form"), task.url)
        return n_answered

    def _get(self, url: str, *, refusal: int | None = None) -> "_Page":
        return self._read(lambda: self._browser.get(url, timeout=_SECONDS_PER_PAGE), refusal)

    def _submit(self, form: Tag, url: str) -> "_Page":
        return self._read(lambda: self._browser.submit(form, url, timeout=_SECONDS_PER_PAGE))

    def _read(self, load: Callable[[], Response], refusal: int | None = None) -> "_Page":
        try:
            response = load()
        except RequestException as error:
            raise InputError(
                f"the annotators' site at {self._site} does not answer ({error}).",
                remedy="Start it with: make serve",
            ) from error
        page = _Page(response.status_code, response.url, response.soup)  # type: ignore[attr-defined]  # MechanicalSoup adds it
        if not response.ok and response.status_code not in {_NOT_AVAILABLE, refusal}:
            text = " ".join(page.soup.get_text(" ").split())[:200] if page.soup else ""
            raise InputError(
                f"the annotators' site answered {response.status_code} to {response.url}: {text}"
            )
        return page


#: Status of a HIT whose last assignment somebody else has taken, and of one for other workers.
_NOT_AVAILABLE, _NOT_QUALIFIED = 409, 403


class _Page(NamedTuple):
    status: int
    url: str
    soup: BeautifulSoup


def _one(parent: Tag, selector: str) -> Tag:
    element = parent.select_one(selector)
    if element is None:
        raise InputError(f"the page of a HIT has no {selector!r}.")
    return element


def _joining_link(site: str, worker_id: str) -> str:
    """Return a link that signs a simulated worker in, signed with the local requester's key."""
    path = Path(settings.MTURK_LOCAL_KEY_FILE)
    if not path.exists():
        raise InputError("no such file.", path=path, remedy="Run: python manage.py crowd key")
    key = json.loads(path.read_text(encoding="ascii"))
    expires = str(int(time.time()) + _LINK_LASTS_SECONDS)
    text = f"simulated-worker\n{worker_id}\n{expires}"
    link = {
        "key": key["access_key_id"],
        "worker": worker_id,
        "expires": expires,
        "signature": hmac.new(
            key["secret_access_key"].encode(), text.encode(), "sha256"
        ).hexdigest(),
    }
    return urljoin(site, f"join/simulated/?{urlencode(link)}")
