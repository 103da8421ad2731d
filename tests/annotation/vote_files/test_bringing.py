"""Votes of other programs as a study of their own, by page and by command, through one function."""

import io
import json
import re
import zipfile
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from django.test import Client
from django.urls import reverse
from pytest_django import Settings
from rest_framework.test import APIClient

from annotation.models import Batch, Membership, ModelLabel, Study, Vote
from annotation.schemes.released import released_code
from annotation.vocabulary import BatchState, Role, VoteState
from tests.annotation.studies.material import below
from tests.annotation.vote_files.exports import answers as given
from tests.annotation.vote_files.test_formats import EXPORTS, annotation, pretty, task
from tests.annotation.vote_files.test_pins import CASES

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def folders(tmp_path: Path, settings: Settings) -> Path:
    """An empty folder for what comes in."""
    settings.FILE_UPLOAD_TEMP_DIR = str(tmp_path)
    return tmp_path


def look(client: Client, *files: tuple[str, bytes], **fields: str) -> Any:
    """The preview of files that somebody chose."""
    sent = [SimpleUploadedFile(name, content) for name, content in files]
    return client.post(
        reverse("import"), {"voters": "human", "holds": "votes", "file": sent, **fields}
    )


def press(client: Client, shown: Any, **fields: str) -> Any:
    preview = shown.context["preview"]
    sent = {
        "voters": "human",
        "holds": "votes",
        "staged": preview.staged.token,
        "import": "votes",
        **fields,
    }
    return client.post(reverse("import"), sent, follow=True)


def export(name: str) -> tuple[str, bytes]:
    return Path(name).name, (EXPORTS / name).read_bytes()


def stored() -> set[tuple[str, str, str]]:
    """Queries, people and answers in the database."""
    columns = ("query__qid", "worker__worker_id")
    votes = Vote.objects.values_list(*columns, "choices__option")
    return {(qid, worker, released_code(option)) for qid, worker, option in votes}


def test_an_export_is_agreement_after_two_buttons(client: Client, owner: User) -> None:
    shown = look(client, export("label_studio.json"))
    preview = shown.context["preview"]
    assert preview.is_complete
    assert dict(preview.counts)["Labels of models (no votes)"] == 12
    assert not Study.objects.exists()
    page = press(client, shown)
    batch = Batch.objects.get()
    assert page.redirect_chain == [(reverse("batch-agreement", args=[batch.pk]), 302)]
    assert (batch.name, batch.study.name, batch.state) == (
        "label_studio", "label_studio", BatchState.IMPORTED,
    )  # fmt: skip
    assert Membership.objects.get(study=batch.study, role=Role.OWNER).user == owner
    people = dict(zip(("2", "3", "4"), given.ANSWERS, strict=True))
    assert {(qid, people[who], code) for qid, who, code in stored()} == given.expected()
    assert not Vote.objects.filter(answered_at=None).exists()
    assert ModelLabel.objects.filter(rater__study=batch.study).count() == 12


def test_files_of_several_people_are_one_batch(client: Client, owner: User) -> None:
    shown = look(client, *(export(f"doccano/{one}.jsonl") for one in given.ANSWERS))
    assert shown.context["preview"].is_complete
    press(client, shown, name="three people")
    assert Batch.objects.get().name == "three people"
    assert stored() == given.expected()


def test_words_with_several_meanings_are_asked_for(client: Client, owner: User) -> None:
    content = b"qid,text,ann,bob\n1,rain,neutral,neutral\n2,a queen,woman,neutral\n"
    shown = look(client, ("v.csv", content))
    preview = shown.context["preview"]
    assert preview.matching.vote_files.format.name == "wide"
    assert not preview.is_complete
    press(client, shown)
    assert not Study.objects.exists()
    codes = {"neutral": "n", "woman": "f"}
    fields = {field.name: codes[word] for word, _, field in preview.matching.answer_rows}
    press(client, shown, **fields)
    assert Vote.objects.count() == 4


def test_of_several_readings_one_click_chooses(client: Client, owner: User) -> None:
    content = (CASES / "two_q_people.csv").read_bytes()
    shown = look(client, ("v.csv", content))
    preview = shown.context["preview"]
    told = [(one.words, one.people, one.n_votes) for one in preview.readings]
    assert told == [
        ("the question gender", ["gender_ann", "gender_bob"], 6),
        ("the question stance", ["stance_ann", "stance_bob"], 6),
    ]
    assert [one.alpha for one in preview.readings] == pytest.approx([0.444, 1.0], abs=5e-4)
    assert "Which is it?" in shown.content.decode()
    sent = {"voters": "human", "holds": "votes", "staged": preview.staged.token, "reading": "1"}
    chosen = client.post(reverse("import"), sent)
    matching = chosen.context["preview"].matching
    assert chosen.context["preview"].is_complete
    people = {field: "yes" for _, is_person, field, _ in matching.people if is_person}
    seen = {field: "yes" for _, _, _, field in matching.people}
    press(client, chosen, **people, **seen)
    assert stored() == {(f"e{at}", f"stance_{who}", code)
                        for at, code in enumerate("mfm", 1) for who in ("ann", "bob")}  # fmt: skip


def test_lines_of_people_are_chosen_by_one_click(client: Client, owner: User) -> None:
    shown = look(client, ("v.csv", (CASES / "tr_name.csv").read_bytes()))
    sent = {"voters": "human", "holds": "votes", "reading": "0",
            "staged": shown.context["preview"].staged.token}  # fmt: skip
    chosen = client.post(reverse("import"), sent)
    press(client, chosen, layout="rows")
    assert {who for _, who, _ in stored()} == {"ann", "bob", "cyd"}


def test_a_file_read_otherwise_than_suggested(client: Client, owner: User) -> None:
    content = b"qid,worker_name,a,b\n1,ann,n,n\n2,bob,f,n\n"
    shown = look(client, ("v.csv", content))
    assert shown.context["preview"].matching.layout_field is not None
    fields = {"layout": "plain", "column-query_id": "qid", "column-worker": "worker_name",
              "column-label": "a"}  # fmt: skip
    press(client, shown, **fields)
    assert stored() == {("1", "ann", "n"), ("2", "bob", "f")}


@pytest.mark.long
@pytest.mark.parametrize(
    ("content", "where"),
    [
        (pretty(task(annotation("n")), task(annotation("f"))), "v.json:3: record 2: a second"),
        (pretty(task(annotation("n", by=None))), "v.json:2: record 1"),  # type: ignore[arg-type]
        ("[{]", "v.json:1: is not JSON"),
        ('{"a": {"b": 1}}', "v.json:1: does not have the layout of a known"),
        ("[]", "v.json: holds no record"),
    ],
)
def test_what_is_refused_is_said_with_its_place_and_nothing_is_stored(
    client: Client, owner: User, content: str, where: str
) -> None:
    shown = look(client, ("v.json", content.encode()))
    page = shown.content.decode()
    assert where in page.partition('role="alert"')[2]
    if shown.context["preview"]:
        press(client, shown)
    assert not Study.objects.exists()


def test_two_exports_of_one_name_are_two_studies(client: Client, owner: User) -> None:
    for _ in range(2):
        press(client, look(client, export("argilla.json")))
    names = sorted(Batch.objects.values_list("name", "study__name"))
    assert names == [("argilla", "argilla"), ("argilla 2", "argilla 2")]


def test_markup_in_words_and_texts_stays_text(client: Client, owner: User) -> None:
    word = "<script>alert(1)</script>"
    shown = look(client, ("v.json", pretty(task(annotation(word))).encode()))
    assert word not in shown.content.decode()


def test_nobody_without_the_permit_brings_votes(client: Client, settings: Settings) -> None:
    settings.OPEN = False
    client.force_login(User.objects.create_user("other"))
    assert client.get(reverse("import")).status_code == 403


def test_the_command_stores_what_the_page_stores(client: Client, owner: User) -> None:
    press(client, look(client, *(export(f"potato/{one}.json") for one in given.ANSWERS)))
    by_page = stored()
    words = ",".join(f"{word}={code}" for word, code in given.CODES.items())
    paths = [str(EXPORTS / "potato" / f"{one}.json") for one in given.ANSWERS]
    call_command("label", "import-votes", *paths, "--name", "by command", "--labels", words)
    assert stored() == by_page == given.expected()
    by_command = Vote.objects.filter(query__batch__name="by command")
    undecided = by_command.with_state().filter(state=VoteState.CANNOT_TELL)
    assert (by_command.told().count(), undecided.count()) == (len(by_page) - 1, 1)


def zipped(files: dict[str, bytes]) -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, held in files.items():
            archive.writestr(name, held)
    return content.getvalue()


def people() -> dict[str, bytes]:
    return {f"{one}.jsonl": export(f"doccano/{one}.jsonl")[1] for one in given.ANSWERS}


def test_a_zip_of_several_files_is_read_as_they_are(client: Client, owner: User) -> None:
    shown = look(client, ("export.zip", zipped(people() | {"__MACOSX/x": b"x", "in/.hidden": b""})))
    press(client, shown)
    assert stored() == given.expected()


@pytest.mark.parametrize(
    "content",
    [
        zipped({"a.jsonl": b"0" * 110_000_000}),
        zipped({f"{number}.csv": b"x" for number in range(300)}),
        zipped({"a/v.csv": b"x", "b/v.csv": b"y"}),
        zipped({"v.zip": zipped(people())}),
        zipped(people())[:-200] + b"0" * 200,
        zipped({}),
    ],
    ids=["bomb", "many", "one name", "within a zip", "broken", "empty"],
)
def test_a_zip_that_cannot_be_read_is_refused(
    client: Client, owner: User, folders: Path, content: bytes
) -> None:
    shown = look(client, ("export.zip", content))
    assert shown.context["preview"] is None
    assert shown.context["form"].non_field_errors()
    assert below(folders) == []


def test_a_line_of_json_may_be_longer_than_a_line_of_a_table(client: Client, owner: User) -> None:
    long = json.dumps([task(annotation("n"), meta={"x": "y" * (1 << 24)})])
    assert look(client, ("v.json", long.encode())).context["preview"].is_complete


@pytest.fixture
def api(owner: User) -> APIClient:
    client = APIClient()
    client.force_authenticate(owner)
    return client


def post(api: APIClient, content: bytes, **terms: str) -> Any:
    address = reverse("api-votes-brought") + "?" + urlencode(terms)
    return api.post(address, content, content_type="application/octet-stream")


def words() -> str:
    return ",".join(f"{word}={code}" for word, code in given.CODES.items())


def test_the_api_stores_what_the_page_stores(api: APIClient) -> None:
    answer = post(api, zipped(people()), filename="three.zip", labels=words())
    assert answer.status_code == 201, answer.json()
    batch = Batch.objects.get()
    assert answer.json()["batch"] == batch.pk
    assert answer.json()["n_votes"] == len(given.expected()) - 1
    assert stored() == given.expected()


def test_the_api_names_the_parameters_that_mend_a_refusal(api: APIClient) -> None:
    content = b"query_id,worker,label\nq1,a,yes\nq1,b,no\n"
    remedy = post(api, content).json()["remedy"]
    offered = re.findall(r'(\w+)=("(?:[^"\\]|\\.)*")', remedy)
    assert offered[0] == ("question", '"Which answer fits?"')
    assert offered[1] == ("labels", '"yes=n"')
    for name, value in offered[:1]:
        answer = post(api, content, **{name: json.loads(value)})
        assert answer.status_code == 201, answer.json()
    answer = post(api, content, labels="yes=f")
    assert 'labels="no=n"' in answer.json()["remedy"]


@pytest.mark.parametrize(
    ("terms", "detail"),
    [
        ({}, "not a category"),
        ({"labels": "Female"}, "NAME=VALUE"),
        ({"layout": "doccano"}, "does not have the layout"),
    ],
)
def test_the_api_refuses_with_the_reason(
    api: APIClient, terms: dict[str, str], detail: str
) -> None:
    answer = post(api, export("label_studio.json")[1], **terms)
    assert answer.status_code in (400, 422)
    assert detail in str(answer.json())
    assert not Study.objects.exists()


WIDE = b"qid,query,predicted,annotator1,annotator2\n1,rain,f,n,n\n2,a queen,f,f,m\n"


def boxes(shown: Any, *people: str) -> dict[str, str]:
    """The fields of the preview where these columns are ticked."""
    fields: dict[str, str] = {}
    for name, _, person, seen in shown.context["preview"].matching.people:
        fields |= {seen: "yes"} | ({person: "yes"} if name in people else {})
    return fields


def test_the_page_shows_who_is_a_person_and_takes_another_word(client: Client, owner: User) -> None:
    shown = look(client, ("v.csv", WIDE))
    people = {one[0]: one[1] for one in shown.context["preview"].matching.people}
    assert people == {"annotator1": True, "annotator2": True, "predicted": False}
    press(client, shown, layout="wide", **boxes(shown, "annotator1", "predicted"))
    assert stored() == {
        ("1", "annotator1", "n"), ("2", "annotator1", "f"),
        ("1", "predicted", "f"), ("2", "predicted", "f"),
    }  # fmt: skip


def test_the_page_asks_where_nothing_tells_who_is_a_person(client: Client, owner: User) -> None:
    shown = look(client, ("v.csv", b"qid,ann,bob,zeta\n1,0,1,2\n2,1,1,2\n"))
    assert "which columns are people" in shown.content.decode()
    preview = shown.context["preview"]
    assert not preview.is_complete
    press(client, shown)
    assert not Study.objects.exists()
    ticked = boxes(shown, "ann", "bob")
    sent = {
        "voters": "human",
        "holds": "votes",
        "staged": preview.staged.token,
        "layout": "wide",
        **ticked,
    }
    again = client.post(reverse("import"), sent)
    codes = {"0": "n", "1": "f"}
    rows = again.context["preview"].matching.answer_rows
    press(client, again, layout="wide", **ticked, **{f.name: codes[word] for word, _, f in rows})
    assert {who for _, who, _ in stored()} == {"ann", "bob"}


def test_the_api_is_told_who_is_a_person(api: APIClient) -> None:
    answer = post(api, WIDE, filename="v.csv", people="annotator2,predicted")
    assert answer.status_code == 201, answer.json()
    assert {who for _, who, _ in stored()} == {"annotator2", "predicted"}
    assert post(api, WIDE, filename="v.csv", people="nobody").status_code in (400, 422)
    assert post(api, WIDE, filename="w.csv", ignore="annotator1", layout="wide").status_code == 201
    assert Batch.objects.get(name="w").queries.count() == 2


def test_the_command_says_what_it_reads_before_it_stores(
    tmp_path: Path, owner: User, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "v.csv"
    path.write_bytes(WIDE)
    call_command("label", "import-votes", str(path), "--name", "v", "--preview")
    said = capsys.readouterr().out
    assert "annotator1, annotator2" in said
    assert "predicted" in said
    assert not Batch.objects.exists()
    people = ("--people", "annotator1,predicted", "--people", "annotator2")
    call_command("label", "import-votes", str(path), "--name", "v", *people)
    assert {who for _, who, _ in stored()} == {"annotator1", "annotator2", "predicted"}


def test_a_study_of_files_is_named_after_what_they_share(client: Client, owner: User) -> None:
    files = [(f"doccano_{name}", content) for name, content in people().items()]
    press(client, look(client, *files))
    assert Batch.objects.get().name == "doccano"


def test_votes_on_another_question_are_matched_with_its_options(
    client: Client, owner: User
) -> None:
    table = "query_id,worker,label,query\nq1,A1,Yes,rain\nq1,A2,not,rain\n"
    shown = look(client, ("v.csv", table.encode()), asked="bias_sensitive")
    matching = shown.context["preview"].matching
    assert matching.labels == {"Yes": "yes"}
    field = next(field.name for answer, _, field in matching.answer_rows if answer == "not")
    press(client, shown, asked="bias_sensitive", **{field: "no"})
    assert {code for _, _, code in stored()} == {"yes", "no"}
    assert [one.name for one in Batch.objects.get().scheme.questions] == ["bias_sensitive"]


def test_a_scheme_that_is_none_stores_nothing(client: Client, owner: User) -> None:
    table = b"query_id,worker,label\nq1,A1,n\n"
    page = look(client, ("v.csv", table), scheme="questions: 1").content.decode()
    assert "The scheme:" in page.partition('role="alert"')[2]
    assert not Study.objects.exists()
