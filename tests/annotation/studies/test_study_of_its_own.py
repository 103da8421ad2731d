"""Every pool and batch belongs to a study: where none is named, one of its own name is made."""

from pathlib import Path

import pytest

from annotation.models import Batch, Study
from tests.commands import failure, run
from tests.study import stored_pool

pytestmark = pytest.mark.django_db


@pytest.fixture
def queries(tmp_path: Path) -> Path:
    path = tmp_path / "queries.tsv"
    path.write_text("1\twho rules\n2\twhat is milk\n")
    return path


def study_of_batch(name: str) -> str:
    return Batch.objects.get(name=name).study.name


def test_a_batch_without_a_study_gets_one(queries: Path) -> None:
    run("batch", "create", "--name", "b", "--queries", queries)
    assert study_of_batch("b") == "b"


def test_a_name_that_a_study_has_gets_a_number(queries: Path) -> None:
    Study.objects.create(name="b")
    run("batch", "create", "--name", "b", "--queries", queries)
    assert study_of_batch("b") == "b 2"


def test_a_batch_of_a_pool_belongs_to_the_pools_study() -> None:
    pool = stored_pool(4, "top")
    run("batch", "create", "--name", "b", "--pool", "top")
    assert study_of_batch("b") == pool.belongs.study.name


def test_imported_labels_and_votes_get_a_study(tmp_path: Path) -> None:
    labels, votes = tmp_path / "labels.csv", tmp_path / "votes.csv"
    labels.write_text("1,who rules,n\n")
    votes.write_text("query_id,worker,label\n1,w,n\n")
    run("label", "import", labels, "--name", "released")
    run("label", "import-votes", votes, "--name", "voted")
    assert [study_of_batch("released"), study_of_batch("voted")] == ["released", "voted"]


def test_a_batch_that_cannot_be_made_leaves_no_study(queries: Path) -> None:
    failure("batch", "create", "--name", "b", "--queries", queries, "--gold", queries)
    failure("batch", "create", "--name", "b", "--queries", queries, "--new-only")
    assert not Study.objects.exists()
