"""Migrations only add, so that old and new processes can run side by side: docs/operations.md."""

from collections.abc import Iterator, Sequence
from importlib import import_module
from pathlib import Path

import pytest
from django.db import migrations, models
from django.db.migrations.operations.base import Operation

ROOT = Path(__file__).resolve().parents[2]
#: What an earlier release has left unused, and this one may remove: (migration, what).
LEFT_UNUSED: set[tuple[str, str]] = set()
_TAKE_AWAY = (
    migrations.RemoveField,
    migrations.RenameField,
    migrations.DeleteModel,
    migrations.RenameModel,
    migrations.AlterModelTable,
)
#: Those that come after the first of each app, which version 1.0 begins with.
MIGRATIONS = sorted(
    str(path.relative_to(ROOT).with_suffix("")).replace("/", ".")
    for app in ("annotation", "mturk_local", "pooling")
    for path in (ROOT / app / "migrations").glob("[0-9]*.py")
    if path.name[:4] > "0001"
)


def breach(operation: Operation) -> str | None:
    """What a process of the version before would stumble over; None if over nothing."""
    if isinstance(operation, migrations.AddField):
        field = operation.field
        # Django gives a `default` to the rows that there are; the version before leaves the column
        # out of its new ones, so the database has to know what then stands in it.
        optional = field.null or field.has_db_default() or field.many_to_many
        return None if optional else f"adds {operation.model_name}.{operation.name}, unfilled"
    return operation.describe() if isinstance(operation, _TAKE_AWAY) else None


def database_operations(operations: Sequence[Operation]) -> Iterator[Operation]:
    """What is done to the tables, without what only changes the models."""
    for operation in operations:
        if isinstance(operation, migrations.SeparateDatabaseAndState):
            yield from database_operations(operation.database_operations)
        else:
            yield operation


@pytest.mark.parametrize("name", MIGRATIONS)
def test_no_migration_takes_away_what_the_version_before_uses(name: str) -> None:
    operations = import_module(name).Migration.operations
    breaches = map(breach, database_operations(operations))
    found = {(name, reason) for reason in breaches if reason}
    assert found <= LEFT_UNUSED


def test_the_policy_sees_what_it_forbids() -> None:
    assert breach(migrations.AddField("batch", "size", models.IntegerField(null=True))) is None
    assert breach(migrations.AddField("batch", "size", models.IntegerField(db_default=0))) is None
    forbidden = [
        migrations.AddField("batch", "size", models.IntegerField()),
        migrations.AddField("batch", "size", models.IntegerField(default=0)),
        migrations.RemoveField("batch", "size"),
        migrations.RenameField("batch", "size", "length"),
        migrations.DeleteModel("Batch"),
        migrations.RenameModel("Batch", "Lot"),
        migrations.AlterModelTable("Batch", "lots"),
    ]
    assert all(map(breach, forbidden))
    hidden = migrations.SeparateDatabaseAndState(database_operations=forbidden)
    assert list(database_operations([hidden])) == forbidden
    only_the_models = migrations.SeparateDatabaseAndState(state_operations=forbidden)
    assert list(database_operations([only_the_models])) == []
