"""The Python of docs/recipes.md does what it says, once it stands in a file with its imports.

That of a neural ranker runs in `tests/neural/test_recipes.py`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from annotation.core.operations import Operation, Result, Run
from annotation.core.parameters import parameter
from annotation.models import AuditEvent, Batch
from annotation.vocabulary import AuditAction
from rankers.ranker import Ranker, Scorer
from rankers.text import words
from tests.integration.performing import do
from tests.integration.project import ROOT
from tests.integration.study import stored_batch, stored_pool
from tests.package.pages import blocks


def made_by(shown: str, **imported: Any) -> dict[str, Any]:
    """The names of the block that shows this, in a file that has imported what it needs."""
    found = [block for block in blocks(ROOT / "docs" / "recipes.md") if shown in block.code]
    [code] = [block.code for block in found if block.language == "python"]
    exec(code, imported)  # noqa: S102 - our own documentation
    return imported


@pytest.mark.django_db
def test_the_operation_of_the_recipe_is_done_and_logged() -> None:
    names = made_by(
        "class Rename(",
        dataclass=dataclass, parameter=parameter, Operation=Operation, Result=Result, Run=Run,
        Batch=Batch, AuditEvent=AuditEvent, AuditAction=AuditAction,
    )  # fmt: skip
    batch = stored_batch(stored_pool(3))
    before = batch.name

    done = do(names["RENAME"], batch, name="another")

    assert done.values == {"name": "another"}
    assert Batch.objects.get().name == "another"
    assert AuditEvent.objects.get(action="renamed").detail == {"before": before}


def test_the_ranker_of_the_recipe_ranks() -> None:
    names = made_by("SHORTEST", Sequence=Sequence, Scorer=Scorer, Ranker=Ranker, np=np, words=words)
    ranker: Ranker = names["SHORTEST"]

    ranked = dict(ranker.rank([("a", "one two three"), ("b", "one")], [("q", "one")], depth=2))

    assert [docno for docno, _ in ranked["q"]] == ["b", "a"]
