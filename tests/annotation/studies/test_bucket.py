"""The files of a study in a bucket, which a real S3 server of the test's own keeps."""

import io
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.core.files.storage import storages
from pytest_django import Settings

from annotation.models import Study, StudyFile
from annotation.studies.file_store import local_path
from annotation.studies.operations.files import add_study_file
from annotation.studies.operations.score import study_score
from annotation.vocabulary import FileKind
from metrics.errors import InputError
from metrics.texts.lexicon import read_lexicon
from metrics.texts.scoring import score_collection
from tests.performing import age_removed, remove
from tests.site.workers.s3 import S3, s3_server

pytestmark = pytest.mark.django_db(transaction=True)

TSV = b"".join(b"%d\tshe and he, number %d\n" % (i, i) for i in range(500))


@pytest.fixture
def bucket(
    tmp_path_factory: pytest.TempPathFactory,
    folders: Path,
    settings: Settings,
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[S3]:
    """The storage of files is a bucket, as `FILES_STORAGE` and the environment say."""
    with s3_server(tmp_path_factory.mktemp("s3")) as s3:
        for name, value in s3.environment.items():
            monkeypatch.setenv(name, value)
        settings.STORAGES = {
            **settings.STORAGES,
            "files": {
                "BACKEND": "storages.backends.s3.S3Storage",
                "OPTIONS": {"bucket_name": s3.bucket},
            },
        }
        yield s3


def add(study: Study, data: bytes = TSV) -> StudyFile:
    return add_study_file(
        study=study, kind=FileKind.COLLECTION, stream=io.BytesIO(data), filename="c.tsv", actor="t"
    )


@pytest.mark.long
def test_a_collection_is_kept_scored_and_removed_there(
    study: Study, bucket: S3, folders: Path
) -> None:
    file = add(study)
    assert bucket.names() == {file.path}
    assert not any((folders / "uploads").iterdir())

    scored = study_score(study=study, actor="t")
    assert bucket.names() == {file.path, scored.path}
    score_collection(local_path(file), folders / "m.parquet", lexicon=read_lexicon())
    assert local_path(scored).read_bytes() == (folders / "m.parquet").read_bytes()
    assert local_path(scored).is_relative_to(folders / "cache")

    remove(study, "file", scored)
    remove(study, "file", file)
    assert bucket.names() == {file.path, scored.path}
    age_removed()
    assert bucket.names() == set()


@pytest.mark.long
def test_what_is_refused_leaves_nothing_there(study: Study, bucket: S3) -> None:
    with pytest.raises(InputError):
        add(study, b"no collection\n")
    assert bucket.names() == set()


@pytest.mark.long
def test_a_file_that_is_gone_is_told_by_its_name(study: Study, bucket: S3) -> None:
    file = add(study)
    storages["files"].delete(file.path)

    with pytest.raises(InputError, match=r"c\.tsv: "):
        local_path(file)
