"""The Python of docs/recipes.md does what it says, once it stands in a file with its imports.

That of a neural ranker runs in `tests/rankers/neural/test_recipes.py`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from annotation.core.operations import Operation, Result, Run
from annotation.core.parameters import parameter
from annotation.models import AuditEvent, Batch
from annotation.vocabulary import AuditAction
from metrics.votes.files.content import Record, VoteFile
from metrics.votes.files.import_format import (
    ImportFormat,
    answer_text,
    is_like,
    table_of,
)
from metrics.votes.files.plain import read_plain
from metrics.votes.files.reader import IMPORT_FORMATS
from metrics.votes.files.table import Row, Table
from rankers.ranker import Ranker, Scorer
from rankers.text import words
from tests.package.pages import blocks
from tests.performing import do
from tests.project import ROOT
from tests.study import stored_batch, stored_pool


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


def test_the_import_format_of_the_recipe_reads_votes(tmp_path: Path) -> None:
    names = made_by(
        "TALLY", Any=Any, VoteFile=VoteFile, Record=Record, Table=Table, Row=Row,
        ImportFormat=ImportFormat, is_like=is_like, table_of=table_of, answer_text=answer_text,
    )  # fmt: skip
    path = tmp_path / "votes.dat"
    path.write_text('{"item": 7, "votes": [{"who": "ann", "said": "n"}, {"who": 8, "said": "f"}]}')
    file = VoteFile(path)

    assert [one.name for one in IMPORT_FORMATS.values() if one.recognises(file)] == []
    assert names["TALLY"].recognises(file)
    answers, _ = read_plain(names["TALLY"].read(file), {})
    assert [(one.qid, one.worker, one.answer) for one in answers] == [
        ("7", "ann", "n"), ("7", "8", "f"),
    ]  # fmt: skip


def test_the_ranker_of_the_recipe_ranks() -> None:
    names = made_by("SHORTEST", Sequence=Sequence, Scorer=Scorer, Ranker=Ranker, np=np, words=words)
    ranker: Ranker = names["SHORTEST"]

    ranked = dict(ranker.rank([("a", "one two three"), ("b", "one")], [("q", "one")], depth=2))

    assert [docno for docno, _ in ranked["q"]] == ["b", "a"]
