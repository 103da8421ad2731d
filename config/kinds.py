"""Kinds of the site's settings that its crowd service does not have."""

import contextlib
import json
from collections.abc import Iterator
from decimal import Decimal
from typing import Any
from urllib.parse import SplitResult, unquote, urlsplit

from environ import Env

from annotation.core.amounts import parse_amount
from metrics.errors import InputError
from mturk_local.environment.kinds import Kind, address, json_object

_DATABASES = ("postgres", "postgresql", "pgsql", "psql", "sqlite")
_BROKERS = ("redis", "rediss", "sentinel", "amqp", "amqps", "pyamqp", "memory", "filesystem")
#: Words in the names of options whose values are secrets.
_SECRET_WORDS = ("key", "secret", "token", "password", "credential", "signature")


def dollars() -> Kind[Decimal]:
    """An amount of US dollars, as pages, API and commands read it."""

    def read(text: str) -> Decimal:
        try:
            return parse_amount(text)
        except InputError:
            raise ValueError from None

    return Kind("US dollars, such as 1200 or 1200.50", read)


def database() -> Kind[dict[str, Any]]:
    """The address of a database of PostgreSQL or SQLite, as Django's settings of it."""

    def read(text: str) -> dict[str, Any]:
        wrong = ValueError("it is not an address of PostgreSQL or SQLite")
        # Of others the library warns, with the password in its words.
        if text.partition("://")[0] not in _DATABASES:
            raise wrong
        try:
            settings: dict[str, Any] = Env.db_url_config(text)
        except ValueError:
            raise wrong from None
        if not settings["NAME"]:
            raise ValueError("it names no database")
        return settings

    write = "postgres://user:password@host:port/name, and in the password %23 for # and so on"
    return Kind(write, read, lambda settings: [settings.get("PASSWORD", "")])


def broker() -> Kind[str]:
    """The address of a broker of messages."""

    def read(text: str) -> str:
        with contextlib.suppress(ValueError):
            parts = _parts(text)
            if parts.scheme.partition("+")[0] in _BROKERS and "://" in text:
                return text
        raise ValueError("it is not an address of a broker")

    write = "redis://:password@host:port/number or amqp://user:password@host:port//"
    return Kind(write, read, _passwords)


def model_keys() -> Kind[dict[str, Any]]:
    """Keys of the servers of models by their addresses."""
    server_address = address("https://models.example.org")

    def check(keys: dict[str, Any]) -> None:
        for server, key in keys.items():
            server_address.read(server)
            if not isinstance(key, str):
                raise ValueError("a key is not text")  # noqa: TRY004 - as all kinds do

    example = json.dumps({"https://models.example.org": "key"})
    write = f"an object of JSON with the key of each server by its address, such as {example}"
    return json_object(write, check, dict.values)


def storage_options() -> Kind[dict[str, Any]]:
    """Options of the storage of files; some of them may be secrets."""
    write = 'an object of JSON, such as {"bucket_name": "fairpool"}'
    return json_object(write, lambda _: None, lambda options: list(_secret_values(options)))


def _secret_values(options: dict[str, Any]) -> Iterator[str]:
    for name, value in options.items():
        if isinstance(value, dict):
            yield from _secret_values(value)
        elif isinstance(value, str) and any(word in name.lower() for word in _SECRET_WORDS):
            yield value


def _parts(text: str) -> SplitResult:
    parts = urlsplit(text)
    _ = parts.port  # is read, and refused, only now
    return parts


def _passwords(text: str) -> list[str]:
    """The password of an address, as it is written and as it is meant."""
    password = _parts(text).password or ""
    return list({password, unquote(password)})
