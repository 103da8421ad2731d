"""The database of each table."""

from typing import Any

from django.db.models import Model

CROWD_APP = "mturk_local"
CROWD_DATABASE = "crowd"


class CrowdRouter:
    """Tables of the crowd service go to the database `crowd`, all others to `default`."""

    def db_for_read(self, model: type[Model], **_hints: Any) -> str | None:
        return CROWD_DATABASE if model._meta.app_label == CROWD_APP else None  # noqa: SLF001 - Django's documented way

    def db_for_write(self, model: type[Model], **_hints: Any) -> str | None:
        return self.db_for_read(model)

    def allow_migrate(self, db: str, app_label: str, **_hints: Any) -> bool | None:
        return (app_label == CROWD_APP) == (db == CROWD_DATABASE)
