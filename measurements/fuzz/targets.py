"""Targets of the fuzzer: each gives a value, or the one error that its reader documents.

Each target takes bytes as somebody hostile would send them. Whatever else comes out than its
error, takes two seconds of the processor or a gigabyte of memory, is a fault.
"""

import contextlib
import functools
import io
import json
import tempfile
from argparse import ArgumentTypeError
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from rest_framework.exceptions import ParseError

from annotation.api.parsing import BoundedJSONParser
from annotation.core.amounts import parse_amount
from annotation.core.durations import parse_seconds
from annotation.crowd.answers import UnreadableAnswerError, read_fields
from annotation.prolific.submission_list import read_submissions
from annotation.reports.bundle.archive import write_archive
from annotation.reports.bundle.verify import verify_bundle
from annotation.schemes import CANNOT_TELL, built_in_scheme
from annotation.task_page import AnswerError, read_answer
from measurements.fuzz import seeds
from metrics.cli.numbers import listed, number, share, whole_number
from metrics.errors import InputError
from metrics.measures import get
from metrics.runs import read_run
from metrics.runs.qrels import read_qrels
from metrics.runs.queries import read_queries
from metrics.texts.collection import read_collection
from metrics.texts.lexicon import read_lexicon
from metrics.votes.files.reader import read_votes
from mturk_local import answers, forms, questions
from mturk_local.errors import CrowdError
from mturk_local.protocol.model import json_of, operation_names, request_params
from mturk_local.protocol.signature import SignedRequest, verified_access_key
from mturk_local.signed_links import TokenError, signed_link
from mturk_local.site.forms import completed, previewed
from rankers.grepbias import parse_alpha, read_logits

_CODES = ("n", "f", "m", "o")


@dataclass(frozen=True)
class Target:
    """`feed` gets made-up bytes; `seeds` are the whole and the broken from which they are made."""

    name: str
    feed: Callable[[bytes], object]
    seeds: tuple[bytes, ...]


@functools.cache
def _folder() -> Path:
    """One folder for the life of this process, in memory where the system has that."""
    memory = Path("/dev/shm")  # noqa: S108 - the folder made inside is this process's own
    return Path(tempfile.mkdtemp(prefix="fairpool-fuzz-", dir=memory if memory.is_dir() else None))


@contextlib.contextmanager
def _file(data: bytes, suffix: str) -> Iterator[Path]:
    path = _folder() / f"input{suffix}"
    path.write_bytes(data)
    try:
        yield path
    finally:
        path.unlink()


def _of_kind(data: bytes, suffixes: tuple[str, ...]) -> tuple[bytes, str]:
    """The first byte chooses among `suffixes`; the rest is the file."""
    return data[1:], suffixes[data[0] % len(suffixes)] if data else suffixes[0]


def _run(data: bytes) -> None:
    # By the definition; that the compiled reader agrees with it is a property test of its own.
    content, suffix = _of_kind(data, (".run", ".run", ".run.gz", ".run.zst"))
    with _file(content, suffix) as path, contextlib.suppress(InputError):
        read_run(path)


def _collection(data: bytes) -> None:
    content, suffix = _of_kind(data, (".tsv", ".jsonl", "", ".tsv.gz", ".jsonl.zst"))
    with _file(content, suffix) as path, contextlib.suppress(InputError):
        for _passage in read_collection(path):
            pass


def _words(data: bytes) -> None:
    with _file(data, ".csv") as path, contextlib.suppress(InputError):
        assert read_lexicon(path).sha256


def _queries(data: bytes) -> None:
    content, suffix = _of_kind(data, (".tsv", ".csv", ".tsv.gz", ".tsv.zst"))
    with _file(content, suffix) as path, contextlib.suppress(InputError):
        read_queries(path)


def _labels(data: bytes) -> None:
    with _file(data, ".csv") as path, contextlib.suppress(InputError):
        read = read_queries(path, "all")
        assert set(read.labels.values()) <= set(_CODES)


def _qrels(data: bytes) -> None:
    content, suffix = _of_kind(data, (".qrels", ".qrels.gz", ".qrels.zst"))
    with _file(content, suffix) as path, contextlib.suppress(InputError):
        read_qrels(path)


def _votes(data: bytes) -> None:
    content, suffix = _of_kind(data, (".csv", ".csv", ".csv.gz", ".csv.zst"))
    with _file(content, suffix) as path, contextlib.suppress(InputError):
        imported = read_votes([path])
        assert {vote.answer for vote in imported.votes} <= set(_CODES)


def _submissions(data: bytes) -> None:
    content, suffix = _of_kind(data, (".csv", ".csv", ".csv.gz"))
    with _file(content, suffix) as path, contextlib.suppress(InputError):
        submissions = read_submissions(path)
        assert {submission.verdict for submission in submissions} <= {
            "approved",
            "waiting",
            "refused",
        }


def _zip(data: bytes) -> None:
    with _file(data, ".zip") as path, contextlib.suppress(InputError):
        verify_bundle(path)


def _bundle(data: bytes) -> None:
    """The tables of a bundle that is a whole zip, from its manifest on."""
    parts = data.split(seeds.BETWEEN_FILES)
    with _file(b"", ".zip") as path:
        write_archive(path, dict(zip(seeds.BUNDLE_FILES, parts, strict=False)))
        with contextlib.suppress(InputError):
            verify_bundle(path)


def _text(data: bytes) -> str:
    return data.decode("utf-8", "replace")


def _answer(data: bytes) -> None:
    with contextlib.suppress(UnreadableAnswerError, AnswerError):
        answer = read_answer(built_in_scheme("gender"), read_fields(_text(data)), 3)
        chosen = {code for place in answer.codes for codes in place.values() for code in codes}
        assert chosen <= {*_CODES, CANNOT_TELL}


def _page_fields(data: bytes) -> None:
    """Read the fields of a page through the crowd's XML, as the platform does."""
    cells = _text(data).split("\n")
    fields = [(name, value) for name, value in zip(cells[::2], cells[1::2], strict=False) if name]
    with contextlib.suppress(answers.AnswerError):
        xml = answers.answer_xml(fields, duplicates="first")
        fields_read = read_fields(xml) if "taskAnswers" not in _text(data) else []
        assert len(fields_read) <= len(fields)
        answers.answer_values(xml)


def _question(data: bytes) -> None:
    with contextlib.suppress(CrowdError):
        question = questions.question_parse(_text(data))
        if question.kind == "external":
            questions.check_external_url(question.content, allow_loopback=True)
        if question.kind == "form":
            forms.form_parse(question.content)


def _answer_key(data: bytes) -> None:
    form = forms.form_parse(seeds.FORM)
    with contextlib.suppress(CrowdError):
        forms.key_check(_text(data), form)
        forms.score_of(_text(data), forms.answer_of(form, {"sum": ["two"]}))


def _page(data: bytes) -> None:
    content = _text(data).replace("]]>", "")
    with contextlib.suppress(CrowdError):
        page = questions.question_parse(seeds.html_question(content).decode()).content
        questions.check_html(page)
        assert "<script>" in completed(page, submit_url="https://x/", assignment_id="3A")
        previewed(page)


def _signature(data: bytes) -> None:
    header, _, moment = _text(data).partition("\n")
    request = SignedRequest("POST", "/", {}, {"authorization": header, "x-amz-date": moment}, b"")
    with contextlib.suppress(CrowdError):
        verified_access_key(request, lambda _key: "secret", datetime(2026, 1, 1, tzinfo=UTC))


def _request(data: bytes) -> None:
    operation = operation_names()[data[0] % len(operation_names())] if data else "GetHIT"
    with contextlib.suppress(CrowdError):
        request_params(operation, json_of(data[1:]))


def _call(data: bytes) -> None:
    """The body of a call of the API."""
    with contextlib.suppress(ParseError):
        json.dumps(BoundedJSONParser().parse(io.BytesIO(data)))


def _signed_link(data: bytes) -> None:
    """A token in an address, and the keys that it is checked with."""
    token, _, keys = data.partition(b"\n")
    with contextlib.suppress(ValueError, RecursionError):
        key_set = json.loads(keys)
        if not isinstance(key_set, dict):
            return
        with contextlib.suppress(TokenError):
            signed_link(_text(token), key_set=key_set, audience="x.example", claim="prolific")
            raise AssertionError("a token was believed")


def _logits(data: bytes) -> None:
    content, suffix = _of_kind(data, (".csv", ".csv.gz"))
    with _file(content, suffix) as path, contextlib.suppress(InputError):
        read_logits(path)


def _number(data: bytes) -> None:
    """Read a typed number, amount, time, or measure with parameters."""
    kind, typed = data[:1], _text(data[1:])
    read = _NUMBERS[kind[0] % len(_NUMBERS)] if kind else get
    with contextlib.suppress(ArgumentTypeError, InputError):
        read(typed)


_NUMBERS: tuple[Callable[[str], object], ...] = (
    get,
    whole_number(1, 10),
    number(0, 1),
    listed(share),
    parse_seconds,
    parse_amount,
    parse_alpha,
)


TARGETS = {
    target.name: target
    for target in (
        Target("run", _run, seeds.RUNS),
        Target("collection", _collection, seeds.COLLECTIONS),
        Target("word list", _words, seeds.WORDS),
        Target("queries", _queries, seeds.QUERIES),
        Target("labels", _labels, seeds.LABELS),
        Target("qrels", _qrels, seeds.QRELS),
        Target("votes", _votes, seeds.VOTES),
        Target("submissions of a panel", _submissions, seeds.SUBMISSIONS),
        Target("signed link", _signed_link, seeds.SIGNED_LINKS),
        Target("logits", _logits, seeds.LOGITS),
        Target("number of an option", _number, seeds.NUMBERS),
        Target("zip", _zip, seeds.ZIPS),
        Target("bundle", _bundle, seeds.BUNDLES),
        Target("answer XML", _answer, seeds.ANSWERS),
        Target("fields of a page", _page_fields, seeds.FIELDS),
        Target("question XML", _question, seeds.QUESTIONS),
        Target("answer key XML", _answer_key, seeds.KEYS),
        Target("page of a HIT", _page, seeds.PAGES),
        Target("signature", _signature, seeds.SIGNATURES),
        Target("request", _request, seeds.REQUESTS),
        Target("body of a call", _call, seeds.CALLS),
    )
}
