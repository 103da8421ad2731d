"""Columns that name a file by the digest of its bytes; see `metrics.io.digests`."""

from typing import Any

from django.db import models

from metrics.io.digests import full


class DigestField(models.CharField):  # type: ignore[type-arg] # takes none when it runs
    """`algorithm:hex`; rows of earlier versions hold the digits of SHA-256 alone, and read so."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **{"max_length": 80, **kwargs})

    def from_db_value(self, value: str | None, *_: Any) -> str | None:
        return value and full(value)
