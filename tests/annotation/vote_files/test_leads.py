"""A file that is not one of votes, or of labels, leads to where it goes."""

import io
import zipfile
from pathlib import Path

import pytest
from bs4 import BeautifulSoup
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from metrics.io.contents import contents_of
from tests.study import stored_study

pytestmark = pytest.mark.django_db

QRELS = {
    "plain.txt": "1 0 d1 1\n1 0 d2 0\n",
    "heads.csv": "qid,docno,grade\n1,d1,1\n1,d2,0\n",
    "heads.tsv": "query-id\tcorpus-id\trelevance\n1\td1\t1\n",
    "lines.jsonl": '{"query_id": "1", "doc_id": "d1", "relevance": 1}\n',
}
VOTES, LABELS = "votes", "labels"
OTHERS = [
    (VOTES, "labels.csv", "1,a king,m\n2,a queen,f\n", "choose Labels of queries"),
    (VOTES, "labels.csv", "qid,query,label\n1,a king,m\n", "choose Labels of queries"),
    (LABELS, "votes.csv", "query_id,worker,label\n1,ann,m\n", "choose Votes of workers"),
    (VOTES, "model.csv", "qid,label,score,model\n1,m,0.9,gpt\n", "labels of models"),
    (LABELS, "model.csv", "qid,label,score,model\n1,m,0.9,gpt\n", "labels of models"),
    (VOTES, "a.run", "1 Q0 d1 1 3.2 x\n1 Q0 d2 2 3.1 x\n", "files of the study"),
    (LABELS, "collection.tsv", "d1\tshe is here\nd2\the is there\n", "files of the study"),
]


def said(client: Client, holds: str, name: str, content: bytes) -> str:
    page = reverse("study-import", args=[stored_study(2).study_id])
    sent = {"voters": "human", "holds": holds, "file": SimpleUploadedFile(name, content)}
    html = client.post(page, sent).content
    notices = BeautifulSoup(html, "html.parser").select("main .notice[role=note]")
    return " ".join(" ".join(notice.get_text().split()) for notice in notices)


@pytest.mark.parametrize("holds", [VOTES, LABELS])
@pytest.mark.parametrize("name", QRELS)
def test_qrels_however_they_are_written_lead_to_batches_of_pairs(
    admin_client: Client, holds: str, name: str
) -> None:
    assert "relevance judgments" in said(admin_client, holds, name, QRELS[name].encode())


@pytest.mark.parametrize(("holds", "name", "text", "words"), OTHERS)
def test_what_else_a_file_looks_like_leads_there(
    admin_client: Client, holds: str, name: str, text: str, words: str
) -> None:
    assert words in said(admin_client, holds, name, text.encode())


def test_a_bundle_leads_to_the_import_of_bundles(admin_client: Client) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("manifest.json", '{"format": 1, "files": {}}')
    assert "import the bundle" in said(admin_client, VOTES, "bundle.zip", packed.getvalue())


@pytest.mark.parametrize(
    "text",
    [
        "qid,docno,worker,label\n1,d1,ann,2\n",
        "qid,docno,label\n1,d1,m\n",
        "qid,docno,score\n1,d1,3\n",
        "qid,docno,label,text\n1,d1,1,x\n",
    ],
)
def test_other_tables_of_pairs_are_no_qrels(text: str, tmp_path: Path) -> None:
    file = tmp_path / "pairs.csv"
    file.write_text(text)
    looks = contents_of(file)
    assert looks is None or looks.kind != "qrels"
