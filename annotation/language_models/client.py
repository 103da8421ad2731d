"""One call to a language model. An address that the site does not list is never called."""

import email.utils
import json
import time
from collections.abc import Mapping, Sequence
from typing import Any

import urllib3
from django.conf import settings

from annotation.language_models.reply import NoCompletionError, Reply, reply_of
from metrics.errors import InputError
from metrics.io.redaction import redact

_PATH = "/v1/chat/completions"
_LARGEST_REPLY = 1_000_000
_LONGEST_PAUSE = 300.0
_OK, _BAD_REQUEST, _UNAUTHORISED, _FORBIDDEN, _NOT_FOUND = 200, 400, 401, 403, 404
_TIMEOUT, _CONFLICT, _TOO_EARLY, _THROTTLED, _SERVER_ERROR = 408, 409, 425, 429, 500
_PASSING = {_TIMEOUT, _CONFLICT, _TOO_EARLY, _THROTTLED}
#: Members that some servers refuse, and their replacements.
_REPLACEABLE: Mapping[str, str] = {
    "max_tokens": "max_completion_tokens",
    "top_logprobs": "",
    "logprobs": "",
    "response_format": "",
    "temperature": "",
    "seed": "",
}


class ModelStopError(InputError):
    """No query can be asked before a person has acted."""


class ModelBusyError(InputError):
    """This call got no answer; a repetition may, after `pause` seconds if the server asks for it.

    `was_free` if the server refused the call, so that it cost nothing.
    """

    def __init__(self, message: str, *, pause: float = 0.0, was_free: bool = False) -> None:
        self.pause, self.was_free = pause, was_free
        super().__init__(message, remedy="Start it again for the rest.")


def allowed_addresses() -> list[str]:
    """The addresses of models that this site may call, as its settings list them."""
    return list(settings.MODEL_KEYS)


class ModelServer:
    """A server of models at an address of the site's list; calls of several threads at once."""

    def __init__(self, address: str, *, timeout: float | None = None) -> None:
        if address not in settings.MODEL_KEYS:
            raise ModelStopError(
                f"{address} is not among the addresses that this site may call.",
                remedy="Whoever runs the site lists it in FAIRPOOL_MODEL_KEYS.",
            )
        self._address, self._key = address.rstrip("/"), settings.MODEL_KEYS[address]
        seconds = settings.MODEL_TIMEOUT_SECONDS if timeout is None else timeout
        self._pool = urllib3.PoolManager(
            timeout=urllib3.Timeout(connect=min(seconds, 10), total=seconds),
            retries=False,  # no repetitions, and no redirects
            maxsize=16,
        )
        #: Members of the body that this server refused before.
        self._refused: dict[str, str] = {}

    def ask(self, body: Mapping[str, Any], codes: Sequence[str]) -> Reply:
        """Ask the model with one body of `request_body`.

        Raises `ModelBusyError` where asking again may help, else `ModelStopError`.
        """
        for _ in range(len(_REPLACEABLE) + 1):
            adapted = self._adapted(body)
            status, headers, content = self._post(adapted)
            name = _refused_member(content) if status == _BAD_REQUEST else ""
            if name not in adapted:
                break
            self._refused[name] = _REPLACEABLE[name]
        if status == _OK:
            return self._read(headers, content, codes)
        if status in _PASSING or status >= _SERVER_ERROR:
            raise ModelBusyError(
                f"{self._address} answered {status}.",
                pause=_retry_after(headers),
                was_free=status == _THROTTLED,
            )
        raise self._stop(status, content, str(body["model"]))

    def _adapted(self, body: Mapping[str, Any]) -> dict[str, Any]:
        names = {name: self._refused.get(name, name) for name in body}
        return {names[name]: body[name] for name in body if names[name]}

    def _post(self, body: Mapping[str, Any]) -> tuple[int, Mapping[str, str], bytes]:
        headers = {"Content-Type": "application/json", "Accept": "application/json"}
        if self._key:
            headers["Authorization"] = f"Bearer {self._key}"
        try:
            reply = self._pool.request(
                "POST",
                self._address + _PATH,
                body=json.dumps(body).encode(),
                headers=headers,
                redirect=False,
                preload_content=False,
            )
            with reply:
                content = reply.read(_LARGEST_REPLY + 1)
        except urllib3.exceptions.NewConnectionError:
            raise ModelBusyError(f"nobody answers at {self._address}.", was_free=True) from None
        except urllib3.exceptions.HTTPError as error:
            name = type(error).__name__
            raise ModelBusyError(f"{self._address} sent an incomplete answer ({name}).") from None
        return reply.status, reply.headers, content

    def _read(self, headers: Mapping[str, str], content: bytes, codes: Sequence[str]) -> Reply:
        if "html" in headers.get("Content-Type", "") or len(content) > _LARGEST_REPLY:
            raise ModelStopError(
                f"{self._address} answers with a web page, not as a model.",
                remedy="The address is the part before /v1/chat/completions.",
            )
        try:
            return reply_of(content, codes)
        except NoCompletionError:
            raise ModelBusyError(f"{self._address} sent an incomplete answer.") from None

    def _stop(self, status: int, content: bytes, model: str) -> ModelStopError:
        explanation = redact(_message(content).replace(self._key or "\0", "***"))[:300]
        if status in {_UNAUTHORISED, _FORBIDDEN}:
            return ModelStopError(
                f"{self._address} refused the key of this site ({status}).",
                remedy="Whoever runs the site gives another one in FAIRPOOL_MODEL_KEYS.",
            )
        if status == _NOT_FOUND:
            return ModelStopError(
                f"{self._address} has no model {model!r}, or does not speak /v1/chat/completions.",
                remedy=explanation or "Look at the list of its models, /v1/models.",
            )
        return ModelStopError(
            f"{self._address} refused the question ({status}).",
            remedy=explanation or "Look at the log of that server.",
        )


def _message(content: bytes) -> str:
    """The message of an error, as these servers write it."""
    try:
        error = json.loads(content)["error"]
        return str(error["message"] if isinstance(error, dict) else error)
    except (ValueError, LookupError, TypeError):
        return ""


def _refused_member(content: bytes) -> str:
    """The member of the body that a server cannot take, if it names one that can be replaced."""
    try:
        error = json.loads(content)["error"]
        explanation = f"{error.get('param')} {error.get('message')}"
    except (ValueError, LookupError, TypeError, AttributeError):
        return ""
    return next((name for name in _REPLACEABLE if name in explanation), "")


def _retry_after(headers: Mapping[str, str]) -> float:
    """Seconds that the server asks to wait: a number of them, or a date."""
    written = headers.get("Retry-After", "").strip()
    try:
        if written.replace(".", "", 1).isdecimal():
            seconds = float(written)
        else:
            seconds = email.utils.parsedate_to_datetime(written).timestamp() - time.time()
    except ValueError:
        return 0.0
    return min(max(seconds, 0.0), _LONGEST_PAUSE)
