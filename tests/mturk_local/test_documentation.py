"""The documentation of the crowd service says what the code does."""

from pathlib import Path

import pytest

from mturk_local import people
from mturk_local.operations import operations
from mturk_local.operations.table import with_table
from mturk_local.protocol.model import operation_names

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def page() -> str:
    return (ROOT / "docs" / "mturk-local.md").read_text(encoding="utf-8")


def test_all_39_operations_are_carried_out() -> None:
    assert sorted(operations()) == sorted(operation_names())
    assert len(operations()) == 39


def test_the_table_of_operations_is_up_to_date(page: str) -> None:
    assert with_table(page) == page


def test_every_operation_of_the_second_api_and_setting_is_documented(page: str) -> None:
    settings = (ROOT / "mturk_local" / "settings.py").read_text(encoding="utf-8").split()
    names = {word for word in settings if word.startswith("MTURK_LOCAL_")}
    names -= {"MTURK_LOCAL_ENDPOINT", "MTURK_LOCAL_KEY_FILE"}

    assert names
    for name in (*people.OPERATIONS, *names):
        assert f"`{name}" in page, name
