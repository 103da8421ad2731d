"""A bundle becomes a study elsewhere: and no other file does."""

import json
import shutil
from io import BytesIO
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from pytest_django import Settings
from rest_framework.test import APIClient

from annotation.core.operations import Actor, Result
from annotation.core.perform import perform_here
from annotation.models import Batch, Study, StudyReport, Vote, Worker
from annotation.overview.operations.delete_removed import delete_study
from annotation.reports.bundle.contents import bundle_files
from annotation.reports.operations.import_bundle import IMPORT_BUNDLE
from annotation.reports.operations.reports import create_report, make_report
from annotation.reports.operations.request import ReportRequest
from annotation.reports.queries.bundle import study_bundle
from annotation.reports.queries.reports import report_path
from annotation.studies.file_store import local_path
from annotation.studies.operations.files import add_study_file
from annotation.studies.queries.files_missing import files_missing
from metrics.errors import InputError
from pooling.models import Pool
from tests.bundles import changed, contents, with_files
from tests.commands import run
from tests.measured import measured_study, report_of, storages_in

pytestmark = pytest.mark.django_db


def import_bundle(path: Path, name: str = "") -> Result:
    with path.open("rb") as stream:
        sent = {"stream": stream, "filename": path.name, "name": name}
        return perform_here(IMPORT_BUNDLE, None, sent, Actor("test"))


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the first test that needs the bundle keeps it for the others."""
    return tmp_path_factory.mktemp("kept") / "b.zip"


@pytest.fixture
def bundle(kept: Path, settings: Settings, tmp_path: Path) -> Path:
    """The bundle of a study whose votes were simulated, from another site."""
    if kept.exists():
        settings.STORAGES = storages_in(tmp_path / "second")
        return Path(shutil.copy(kept, tmp_path))
    settings.STORAGES = storages_in(tmp_path / "first")
    study = measured_study(tmp_path)
    Worker.objects.update(kind="simulated")
    path = bundled(study, tmp_path)
    Worker.objects.all().delete()
    settings.STORAGES = storages_in(tmp_path / "second")
    shutil.copy(path, kept)
    return path


@pytest.mark.long
def test_what_is_bundled_again_has_the_same_tables_and_simulated_votes_stay_marked(
    bundle: Path,
) -> None:
    study = import_bundle(bundle).made
    kinds = Worker.objects.filter(votes__query__batch__study=study).values_list("kind", flat=True)
    assert set(kinds) == {"simulated"}
    before, again = contents(bundle), bundle_files(study_bundle(study=study))
    tables = [name for name in before if name.endswith(".csv")]
    assert {"batches/1/votes.csv", "pools/1/pool.csv"} <= set(tables)
    for name in (*tables, "batches/1/agreement.json"):
        assert again[name] == before[name], name


@pytest.mark.long
def test_the_same_bundle_becomes_a_second_study_under_another_name(bundle: Path) -> None:
    import_bundle(bundle)
    with pytest.raises(InputError, match="exists"):
        import_bundle(bundle)
    assert Study.objects.count() == Batch.objects.count() == 1
    import_bundle(bundle, name="another")
    assert Study.objects.count() == Batch.objects.count() == 2


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        pytest.param("batches/1/votes.csv", ",n,0,0", ",f,0,0", id="another vote"),
        pytest.param("manifest.json", '"format": 3', '"format": 99', id="a later format"),
        pytest.param("pools/1/pool.json", ': "tf"', ": [1]", id="no magnitude"),
    ],
)
def test_what_does_not_hold_is_refused_and_stores_nothing(
    bundle: Path, name: str, old: str, new: str
) -> None:
    with pytest.raises(InputError) as refused:
        import_bundle(changed(bundle, name, old, new))
    assert "changed.zip" in str(refused.value)
    assert not Study.objects.exists()
    assert not Vote.objects.exists()
    assert not Worker.objects.exists()


@pytest.mark.long
@pytest.mark.parametrize(
    ("name", "old"),
    [
        ("manifest.json", '"name": "BM25'),
        ("pools/1/pool.json", '"name": "'),
        ("pools/1/pool.csv", ",BM25"),
    ],
)
def test_a_name_that_turns_text_around_is_refused(bundle: Path, name: str, old: str) -> None:
    text = contents(bundle)[name].decode()
    with pytest.raises(InputError) as refused:
        import_bundle(with_files(bundle, {name: text.replace(old, f"{old}\u202e").encode()}))
    assert "U+202E" in str(refused.value)
    assert not Study.objects.exists()


@pytest.mark.long
def test_a_scheme_that_is_none_is_refused(bundle: Path) -> None:
    with pytest.raises(InputError):
        import_bundle(with_files(bundle, {"batches/1/scheme.json": b'{"questions": ""}'}))
    assert not Study.objects.exists()


@pytest.mark.long
def test_by_page_and_by_api_it_belongs_to_who_imports_it(bundle: Path, client: Client) -> None:
    user = User.objects.create_user("ada", is_staff=True)
    client.force_login(user)
    with bundle.open("rb") as file:
        page = client.post(reverse("bundle-import"), {"file": file, "name": "by page"})
    caller = APIClient()
    caller.force_authenticate(user)
    address = f"{reverse('api-bundles-imported')}?filename=b.zip&name=by+api"
    body = bundle.read_bytes()
    answer = caller.post(address, data=body, content_type="application/octet-stream")
    assert answer.status_code == 201, answer.content
    by_page, by_api = (Study.objects.get(name=f"by {channel}") for channel in ("page", "api"))
    assert page.headers["Location"] == reverse("study-detail", args=[by_page.pk])
    assert answer.json()["number"] == by_api.pk
    for study in (by_page, by_api):
        assert [member.user for member in study.members.all()] == [user]


def test_the_page_says_what_is_wrong_with_another_file(client: Client) -> None:
    client.force_login(User.objects.create_user("ada", is_staff=True))
    file = BytesIO(b"no zip")
    file.name = "notes.txt"
    page = client.post(reverse("bundle-import"), {"file": file, "name": "third"})
    assert "notes.txt" in page.content.decode()
    assert not Study.objects.exists()


@pytest.fixture
def measured(settings: Settings, tmp_path: Path) -> StudyReport:
    """The report of a study that was measured on another site."""
    settings.STORAGES = storages_in(tmp_path / "first")
    return report_of(measured_study(tmp_path))


def bundled(study: Study, tmp_path: Path, *options: str) -> Path:
    """The bundle of the study, which goes then, and with it all that was stored."""
    run("study", "bundle", study.name, "--output", tmp_path / "b.zip", *options)
    delete_study(study)
    assert not Batch.everything.exists()
    assert not Pool.everything.exists()
    return tmp_path / "b.zip"


def stored(report: StudyReport) -> dict[str, bytes]:
    """The files of a report: tables and figures, values, statistics."""
    return {name: report_path(report, name).read_bytes() for name in report.files}


def measured_anew(study: Study) -> dict[str, bytes]:
    """The files of a report that is made now and asks for what the study's first one did."""
    request = ReportRequest(**study.reports.order_by("pk")[0].parameters)
    report = create_report(study=study, request=request, actor="test")
    return stored(make_report(report_id=report.pk))


@pytest.mark.long
def test_a_bundle_with_files_is_measured_anew_with_the_same_bytes(
    measured: StudyReport, tmp_path: Path, settings: Settings
) -> None:
    before = stored(measured)
    path = bundled(measured.study, tmp_path, "--include-files")
    settings.STORAGES = storages_in(tmp_path / "second")
    done = import_bundle(path)
    assert done.values["files_missing"] == []
    assert stored(done.made.reports.get()) == before
    assert measured_anew(done.made) == before
    # The words behind a pool's queries come from the collection again.
    assert done.made.pools.get().documents


@pytest.mark.long
def test_a_bundle_without_files_names_them_and_knows_them_when_they_come(
    measured: StudyReport, tmp_path: Path, settings: Settings, client: Client
) -> None:
    before = stored(measured)
    files = {file.digest: local_path(file).read_bytes() for file in measured.study.files.all()}
    path = bundled(measured.study, tmp_path)
    settings.STORAGES = storages_in(tmp_path / "second")
    study = import_bundle(path).made
    assert {file["digest"] for file in files_missing(study=study)} == files.keys()
    page = client.get(reverse("study-detail", args=[study.pk])).content.decode()
    assert all(digest in page for digest in files)
    with pytest.raises(InputError):
        measured_anew(study)
    for number, file in enumerate(study.named_files):
        add_study_file(
            study=study,
            kind=file["kind"],
            stream=BytesIO(files[file["digest"]]),
            filename=f"{number}.txt",
            actor="test",
        )
    assert files_missing(study=study) == []
    anew = measured_anew(study)
    views = [json.loads(files["statistics.json"])["views"] for files in (before, anew)]
    assert views[0] == views[1]


@pytest.mark.long
@pytest.mark.parametrize(
    ("name", "content"),
    [
        pytest.param("statistics.json", b"{}", id="no statistics"),
        pytest.param("statistics.json", None, id="other statistics"),
        pytest.param("per_query.parquet", b"PAR1", id="no values"),
        pytest.param("report.zip", b"PK", id="no folder"),
    ],
)
def test_a_report_that_cannot_be_shown_is_refused_and_leaves_no_file(
    measured: StudyReport,
    tmp_path: Path,
    settings: Settings,
    name: str,
    content: bytes | None,
) -> None:
    if content is None:
        statistics = json.loads(stored(measured)[name])
        statistics["views"][0]["pairs"][0]["first"] = ["a", "list"]
        content = json.dumps(statistics).encode()
    path = bundled(measured.study, tmp_path)
    settings.STORAGES = storages_in(tmp_path / "second")
    with pytest.raises(InputError):
        import_bundle(with_files(path, {f"reports/1/{name}": content}))
    assert not Study.objects.exists()
    assert not [file for file in (tmp_path / "second").rglob("*") if file.is_file()]


def test_an_included_file_is_the_one_that_its_digest_names(
    measured: StudyReport, tmp_path: Path
) -> None:
    path = bundled(measured.study, tmp_path, "--include-files")
    run_file = next(name for name in contents(path) if name.endswith("BM25.run"))
    with pytest.raises(InputError, match="BM25"):
        import_bundle(changed(path, run_file, "q1 Q0 d1 1", "q1 Q0 d4 1"))
