"""Databases as whoever steals them would read them."""

from django.db import connections


def everything(database: str = "default") -> str:
    """Every cell of every table."""
    with connections[database].cursor() as cursor:
        tables = connections[database].introspection.table_names(cursor)
        rows = []
        for table in tables:
            cursor.execute(f'SELECT * FROM "{table}"')  # noqa: S608 - the database's own names
            rows += cursor.fetchall()
    assert len(rows) > len(tables) > 20
    return repr(rows)
