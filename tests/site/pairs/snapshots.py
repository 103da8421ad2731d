"""States of the databases that are brought back in milliseconds, below whoever is connected."""

import sqlite3
from abc import ABC, abstractmethod
from collections.abc import Mapping
from contextlib import closing

from django.db import connections

#: Deletes what is there and inserts what was kept, without minding references: where a row came
#: since the table was last brought back, or one went, which the transaction that wrote a row tells.
_PUT_BACK = """
CREATE SCHEMA brought_back;
CREATE TABLE brought_back.tables (name text PRIMARY KEY, kept text, writer xid);
CREATE FUNCTION put_back(stage text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE t text; n_kept bigint; n bigint; is_same boolean;
BEGIN
  SET LOCAL session_replication_role = replica;
  FOR t IN SELECT tablename FROM pg_tables WHERE schemaname = 'public' LOOP
    SELECT count(*) > 0 INTO is_same
      FROM brought_back.tables WHERE name = t AND kept = stage;
    IF is_same THEN
      EXECUTE format('SELECT count(*) FROM %I.%I', stage, t) INTO n_kept;
      EXECUTE format(
        'SELECT count(*), count(*) FILTER (WHERE xmin <> (SELECT writer FROM brought_back.tables '
        'WHERE name = %L)) = 0 FROM public.%I', t, t) INTO n, is_same;
      CONTINUE WHEN is_same AND n = n_kept;
    END IF;
    EXECUTE format('DELETE FROM public.%I', t);
    EXECUTE format('INSERT INTO public.%I SELECT * FROM %I.%I', t, stage, t);
    INSERT INTO brought_back.tables VALUES (t, stage, pg_current_xact_id()::xid)
      ON CONFLICT (name) DO UPDATE SET kept = EXCLUDED.kept, writer = EXCLUDED.writer;
  END LOOP;
END $$
"""


class Database(ABC):
    """One of the databases, all rows of which can be kept under a name."""

    @abstractmethod
    def keep(self, name: str) -> None:
        """Remember all rows as of now."""

    @abstractmethod
    def put_back(self, name: str) -> None:
        """Bring those rows back."""


class SQLite(Database):
    def __init__(self, alias: str) -> None:
        self._path = str(connections[alias].settings_dict["NAME"])
        self._kept: dict[str, sqlite3.Connection] = {}

    def keep(self, name: str) -> None:
        self._kept[name] = sqlite3.connect(":memory:", check_same_thread=False)
        with closing(sqlite3.connect(self._path, timeout=30)) as source:
            source.backup(self._kept[name])

    def put_back(self, name: str) -> None:
        with closing(sqlite3.connect(self._path, timeout=30)) as target:
            self._kept[name].backup(target)


class PostgreSQL(Database):
    def __init__(self, alias: str) -> None:
        self._alias = alias
        self._execute(_PUT_BACK)

    def keep(self, name: str) -> None:
        self._execute(f'CREATE SCHEMA "{name}"')
        with connections[self._alias].cursor() as cursor:
            cursor.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public'")
            tables = [row[0] for row in cursor.fetchall()]
        for table in tables:
            self._execute(f'CREATE TABLE "{name}"."{table}" AS TABLE public."{table}"')

    def put_back(self, name: str) -> None:
        self._execute(f"SELECT put_back('{name}')")

    def _execute(self, statement: str) -> None:
        with connections[self._alias].cursor() as cursor:
            cursor.execute(statement)


def databases() -> Mapping[str, Database]:
    """Those of the platform and of the crowd service, by alias."""
    return {
        alias: SQLite(alias) if connections[alias].vendor == "sqlite" else PostgreSQL(alias)
        for alias in ("default", "crowd")
    }
