"""Whoever writes what the ledger holds is marked `@holds_money`: a search of the source."""

import ast
from collections.abc import Iterator
from pathlib import Path

_ROOT = Path(__file__).parents[2]
#: Of HITs, bonuses, sets of bonuses, studies and batches: what the sum of the ledger depends on.
_FIELDS = {
    "committed",
    "fees_committed",
    "max_assignments",
    "reserved_at",
    "total_cost",
    "unit_cost",
}
_ROWS = {"HIT", "Bonus", "ProlificBonusSet", "ProlificStudy"}
_WRITES = {
    "bulk_create",
    "bulk_update",
    "create",
    "delete",
    "get_or_create",
    "update",
    "update_or_create",
}
#: Writers that hold nothing, and why.
_ELSEWHERE = {
    # Its argument is the locked batch; only functions that hold the money call it.
    "annotation/batches/operations/ledger.py:_reserve",
    # HITs are planned, which holds nothing; a draft and a bundle have no others.
    "annotation/batches/operations/batches.py:_store_hits",
    "annotation/batches/operations/further_hits.py:add_hits",
    # Of a rater: conditional updates within its own budget.
    "annotation/batches/operations/asking.py:_charge",
    "annotation/batches/operations/asking.py:_commit",
    "annotation/batches/operations/asking.py:_give_back",
    # The one that sums.
    "annotation/core/money.py:_money_of",
}


def _is_marked(function: ast.FunctionDef) -> bool:
    return any(
        isinstance(one, ast.Name) and one.id == "holds_money" for one in function.decorator_list
    )


def _names(node: ast.AST) -> set[str]:
    return {one.id for one in ast.walk(node) if isinstance(one, ast.Name)}


def _writes(call: ast.Call) -> bool:
    """Whether it writes a field that holds money, or makes or deletes a row that does."""
    if not isinstance(call.func, ast.Attribute) or call.func.attr not in _WRITES:
        return False
    if call.func.attr == "update":
        return bool({one.arg for one in call.keywords} & _FIELDS)
    return bool(_names(call.func.value) & _ROWS)


def writers(source: str) -> Iterator[str]:
    """The functions that write money, and are neither marked nor within one that is."""
    for function in ast.walk(ast.parse(source)):
        if not isinstance(function, ast.FunctionDef) or _is_marked(function):
            continue
        nodes = list(ast.walk(function))
        calls = [one for one in nodes if isinstance(one, ast.Call) and _writes(one)]
        dicts = [
            one
            for one in nodes
            if isinstance(one, ast.Dict)
            and {key.value for key in one.keys if isinstance(key, ast.Constant)} & _FIELDS
            and any(isinstance(call, ast.Call) and _is_update_with(call) for call in nodes)
        ]
        if calls or dicts:
            yield function.name


def _is_update_with(call: ast.Call) -> bool:
    """`rows.update(**changed)`: what it writes stands in a dictionary."""
    is_update = isinstance(call.func, ast.Attribute) and call.func.attr == "update"
    return is_update and any(one.arg is None for one in call.keywords)


def test_every_writer_of_money_holds_it() -> None:
    found = {
        f"{path.relative_to(_ROOT)}:{name}"
        for path in sorted((_ROOT / "annotation").rglob("*.py"))
        if "migrations" not in path.parts
        for name in writers(path.read_text(encoding="utf-8"))
    }
    assert found == _ELSEWHERE


def test_a_new_writer_would_be_seen() -> None:
    source = """
def one(batch):
    Batch.objects.filter(pk=batch.pk).update(committed=1)

def two(bonus_set):
    ProlificBonusSet.objects.filter(pk=bonus_set.pk).delete()

def three(row):
    changed = {"fees_committed": 1}
    row.update(**changed)

@holds_money
def four(batch):
    Bonus.objects.create(amount=1)

def five(rows):
    rows.update(name="b")
"""
    assert list(writers(source)) == ["one", "two", "three"]


def test_nobody_locks_a_batch_or_the_account_in_another_way() -> None:
    """One order of locks: the batch, then the account, both in `annotation.core.money`."""
    other = [
        str(path.relative_to(_ROOT))
        for path in sorted((_ROOT / "annotation").rglob("*.py"))
        for line in path.read_text(encoding="utf-8").splitlines()
        if "select_for_update" in line and ("Batch.objects" in line or "SiteAccount" in line)
    ]
    assert set(other) == {"annotation/core/money.py"}
