"""Rows that can be archived or removed without losing anything by a click.

Archived rows are hidden from lists; what was made from them still works. Removed rows are hidden
everywhere at once, and permanently deleted a day later; until then the removal can be undone.
"""

from datetime import datetime, timedelta
from typing import Any, ClassVar, TypeVar

from django.db import models

#: Time in which a removal can be undone.
KEPT_FOR = timedelta(days=1)
Row = TypeVar("Row", bound=models.Model)


class KeptManager(models.Manager[Row]):
    """All rows but removed ones; related managers (`study.files`) hide the same."""

    def get_queryset(self) -> models.QuerySet[Row]:
        return super().get_queryset().filter(removed_at=None)


class Removable(models.Model):
    """A row that people can rename, archive and remove."""

    #: What it is, for programs and for people.
    noun: ClassVar[str]
    what: ClassVar[str]
    name: Any

    archived_at = models.DateTimeField(null=True, blank=True, help_text="Out of the way since.")
    removed_at = models.DateTimeField(
        null=True, blank=True, help_text="Hidden since; deleted for good a day later."
    )

    objects = KeptManager()
    everything = models.Manager()  # noqa: DJ012 - a manager, too

    class Meta:
        abstract = True

    @property
    def called(self) -> str:
        """Its name, for people."""
        return str(self.name)

    @property
    def label(self) -> str:
        """Noun and name of the row, as in a sentence."""
        return f"the {self.what} {self.called}"

    @property
    def kept_until(self) -> datetime | None:
        """End of the time in which the removal can be undone; None if not removed."""
        return None if self.removed_at is None else self.removed_at + KEPT_FOR
