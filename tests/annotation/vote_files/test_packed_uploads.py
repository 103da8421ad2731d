"""Votes arrive by page and API however their program saved them, as the command reads them."""

import bz2
import gzip
import io
import lzma
import zipfile

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse
from pytest_django import Settings
from rest_framework.test import APIClient

from annotation.accounts.operations.permits import set_permits
from annotation.models import Batch, Study, Vote
from annotation.vocabulary import Permit

pytestmark = pytest.mark.django_db(transaction=True)

TABLE = "query_id,worker,label,query\nq1,ann,f,Königin\nq1,bob,n,Königin\n"
VOTES = {("q1", "ann", "f"), ("q1", "bob", "n")}


def zipped(*contents: bytes) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for number, content in enumerate(contents):
            archive.writestr(f"part_{number}.csv", content)
    return packed.getvalue()


#: As Excel saves "Unicode text", as spreadsheets without a mark do, and packed in every way.
SAVED = {
    "UTF-16": TABLE.encode("utf-16"),
    "UTF-16 without a mark": TABLE.encode("utf-16-le"),
    "UTF-32": TABLE.encode("utf-32"),
    "a byte order mark": TABLE.encode("utf-8-sig"),
    "line ends of old Macs": TABLE.replace("\n", "\r").encode(),
    "bz2": bz2.compress(TABLE.encode()),
    "gz of UTF-16": gzip.compress(TABLE.encode("utf-16")),
    "xz": lzma.compress(TABLE.encode()),
    "zip": zipped(TABLE.encode()),
    "zip of UTF-16": zipped(TABLE.encode("utf-16")),
}


@pytest.fixture
def owner(settings: Settings) -> User:
    settings.OPEN = False
    user = User.objects.create_user("researcher")
    set_permits(user=user, permits=[Permit.CREATE_STUDIES], actor="test")
    return user


def stored() -> set[tuple[str, str, str]]:
    columns = ("query__qid", "worker__worker_id", "choices__option")
    return set(Vote.objects.values_list(*columns))


@pytest.mark.parametrize("saved", SAVED)
def test_a_page_reads_votes_however_they_were_saved(
    client: Client, owner: User, saved: str
) -> None:
    client.force_login(owner)
    # The name says nothing of how it is packed: the first bytes do.
    terms = {"voters": "human", "name": "votes", "study": "A study", "holds": "votes"}
    shown = client.post(
        reverse("import"), {**terms, "file": SimpleUploadedFile("v.csv", SAVED[saved])}
    )
    assert shown.context["preview"], shown.content.decode().partition('role="alert"')[2][:300]
    assert shown.context["preview"].is_complete
    token = shown.context["preview"].staged.token
    client.post(reverse("import"), {**terms, "staged": token, "import": "votes"}, follow=True)
    assert stored() == VOTES
    assert Batch.objects.get().queries.get().text == "Königin"


@pytest.mark.parametrize("saved", SAVED)
def test_the_api_reads_votes_however_they_were_saved(owner: User, saved: str) -> None:
    api = APIClient()
    api.force_authenticate(owner)
    answer = api.post(
        reverse("api-votes-brought") + "?filename=v.csv",
        SAVED[saved],
        content_type="application/octet-stream",
    )
    assert answer.status_code < 300, answer.content
    assert stored() == VOTES


def test_a_nul_that_is_none_of_utf_16_is_refused(client: Client, owner: User) -> None:
    client.force_login(owner)
    sent = {
        "voters": "human",
        "holds": "votes",
        "file": SimpleUploadedFile("v.csv", TABLE.encode() + b"q\0,a,f,x\n"),
    }
    page = client.post(reverse("import"), sent).content.decode()
    assert "v.csv:4: holds a NUL byte." in page.partition('role="alert"')[2]
    assert not Study.objects.exists()
