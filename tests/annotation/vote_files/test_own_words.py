"""Votes in words of their own: a question with these options, and more votes on it."""

from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse
from rest_framework.test import APIClient

from annotation.labels.operations.own_words import own_question
from annotation.models import AuditEvent, Batch, Choice, Study, UncountedAnswer, Vote
from annotation.schemes import CANNOT_TELL
from metrics.errors import InputError
from metrics.votes.files.answers import Answer
from tests.browserless import sending
from tests.commands import failure, run, run_json
from tests.judged_pairs import pairs_batch

pytestmark = pytest.mark.django_db(transaction=True)

FIRST = """query_id,worker,label,query
1,ann,Yes,tax
1,bob,No (not at all),tax
2,ann,No (not at all),rain
2,bob,unsure,rain
3,ann,,snow
"""
MORE = """query_id,worker,label,query
1,ann,Yes,tax
1,bob,Yes,tax
1,cyd,yes,tax
4,cyd,No (not at all),wind
"""
QUESTION = "Is it political?"


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    first, more = tmp_path / "first.csv", tmp_path / "more.csv"
    first.write_text(FIRST)
    more.write_text(MORE)
    return first, more


def votes(batch: Batch) -> dict[tuple[str, str], str]:
    labels = {**batch.scheme.questions[0].labels, CANNOT_TELL: CANNOT_TELL}
    columns = ("vote__query__qid", "vote__worker__worker_id", "option")
    chosen = Choice.objects.filter(vote__query__batch=batch).values_list(*columns)
    return {(qid, worker): labels[option] for qid, worker, option in chosen}


NO = "No (not at all)"
OF_FIRST = {
    ("1", "ann"): "Yes", ("1", "bob"): NO, ("2", "ann"): NO, ("2", "bob"): CANNOT_TELL,
}  # fmt: skip
OF_BOTH = {**OF_FIRST, ("1", "cyd"): "Yes", ("4", "cyd"): NO}


def check_first(batch: Batch) -> None:
    [question] = batch.scheme.questions
    assert question.text == QUESTION
    assert [option.label for option in question.options] == ["Yes", NO]
    assert votes(batch) == OF_FIRST


def test_words_of_their_own_are_a_question_by_one_command(files: tuple[Path, Path]) -> None:
    done = run_json("label", "import-votes", files[0], "--name", "own", "--question", QUESTION)
    assert (done["n_votes"], done["n_queries"]) == (3, 2)
    check_first(Batch.objects.get())
    # Without it the person hears of the option, beside what to map.
    assert "--question" in failure("label", "import-votes", files[0], "--name", "gender")


def test_words_of_their_own_are_a_question_by_one_call(
    files: tuple[Path, Path], admin_user: User
) -> None:
    client = APIClient()
    client.force_authenticate(admin_user)
    address = f"/api/v1/studies/votes/?filename=own.csv&question={QUESTION}"
    done = client.post(address, FIRST.encode(), content_type="application/octet-stream")
    assert done.status_code == 201, done.content
    check_first(Batch.objects.get())


def preview(client: Client, address: str, text: str, **fields: str) -> Any:
    file = SimpleUploadedFile("own.csv", text.encode())
    return client.post(address, {"voters": "human", "holds": "votes", "file": file, **fields})


def test_words_of_their_own_are_a_question_by_one_button(admin_client: Client) -> None:
    shown = preview(admin_client, reverse("import"), FIRST)
    sent = sending(shown.content, reverse("import"), "as a question", {"question": QUESTION})
    admin_client.post(sent.to, sent.data)
    check_first(Batch.objects.get())


def test_answers_that_are_left_out_are_no_options(admin_client: Client) -> None:
    shown = preview(admin_client, reverse("import"), FIRST + "4,bob,spam,x\n4,ann,Maybe,x\n")
    [field] = [f.html_name for answer, _, f in shown.context["preview"].matching.answer_rows
               if answer == "spam"]  # fmt: skip
    sent = sending(shown.content, reverse("import"), "as a question", {field: "-"})
    admin_client.post(sent.to, sent.data)
    [question] = Batch.objects.get().scheme.questions
    assert [option.label for option in question.options] == ["Yes", NO, "Maybe"]


def answers(*words: str) -> list[Answer]:
    return [Answer("f.csv", n, str(n), "ann", word) for n, word in enumerate(words, 2)]


@pytest.mark.parametrize(
    ("words", "labels"),
    [
        (["Yes", "yes", " YES ", "no"], ["Yes", "no"]),
        (["Yes, definitely", "Ja, eindeutig", "Naïve & < 5 >", "да"], None),
        (["A & B", "A   B", "A+B", "a & b"], ["A & B", "A   B", "A+B"]),
        (["Yes", "n/a", "No", "Yes|No", "I don't know"], ["Yes", "No"]),
    ],
)
def test_each_word_is_one_option_with_a_code_of_its_own(
    words: list[str], labels: list[str] | None
) -> None:
    scheme, codes = own_question(QUESTION, answers(*words), {})
    [question] = scheme.questions
    assert [option.label for option in question.options] == (labels or words)
    assert len(set(question.codes)) == len(question.options)
    for word, code in codes.items():
        label = question.labels.get(code, "I don't know")
        assert label.casefold() == word.casefold()


def test_one_word_alone_and_ever_new_words_are_no_question() -> None:
    for words in (["Yes"], [f"word {n}" for n in range(51)]):
        with pytest.raises(InputError, match=f"{len(words)} different words"):
            own_question(QUESTION, answers(*words), {})


def test_the_mapping_says_which_words_mean_the_same() -> None:
    scheme, codes = own_question(
        QUESTION, answers("ja", "Yes", "nein", "x"), {"ja": "Yes", "nein": "No", "x": ""}
    )
    assert [option.label for option in scheme.questions[0].options] == ["Yes", "No"]
    assert codes["ja"] == codes["Yes"]
    assert codes["x"] == ""


@pytest.fixture
def batch(files: tuple[Path, Path]) -> Batch:
    run("label", "import-votes", files[0], "--name", "own", "--question", QUESTION)
    return Batch.objects.get()


def stored() -> tuple[int, ...]:
    return tuple(kind.objects.count() for kind in (Vote, Choice, UncountedAnswer, AuditEvent))


def test_votes_come_into_a_batch_that_exists_and_never_twice(
    batch: Batch, files: tuple[Path, Path]
) -> None:
    before = stored()
    done = run_json("label", "add-votes", files[0], "--name", "own")
    assert (done["n_votes"], done["n_known"], done["n_different"]) == (0, 4, 0)
    assert stored() == before
    done = run_json("label", "add-votes", files[1], "--name", "own")
    assert (done["n_votes"], done["n_workers"], done["n_queries"]) == (2, 1, 1)
    assert (done["n_known"], done["n_different"]) == (2, 1)
    assert votes(batch) == OF_BOTH
    after = stored()
    done = run_json("label", "add-votes", files[1], "--name", "own")
    assert (done["n_votes"], stored()) == (0, after)
    assert sorted(batch.queries.values_list("position", flat=True)) == [0, 1, 2]


def test_votes_are_added_by_the_page(batch: Batch, admin_client: Client) -> None:
    page = f"{reverse('study-import', args=[batch.study_id])}?into={batch.pk}"
    first = admin_client.get(page).content
    chosen = sending(first, page, "Preview")
    assert chosen.data["into"] == [str(batch.pk)]
    address = chosen.to
    shown = preview(admin_client, address, MORE, into=str(batch.pk))
    assert shown.context["preview"].is_complete
    sent = sending(shown.content, address, "Import the votes")
    admin_client.post(sent.to, sent.data)
    assert votes(batch) == OF_BOTH
    assert Batch.objects.get() == batch


def test_votes_are_added_by_the_api(batch: Batch, admin_user: User) -> None:
    client = APIClient()
    client.force_authenticate(admin_user)
    address = f"/api/v1/batches/{batch.pk}/votes/add/?filename=more.csv"
    done = client.post(address, MORE.encode(), content_type="application/octet-stream")
    assert (done.status_code, done.json()["n_votes"]) == (201, 2)
    assert votes(batch) == OF_BOTH


def test_a_query_that_the_batch_has_otherwise_is_named(batch: Batch, tmp_path: Path) -> None:
    other = tmp_path / "other.csv"
    other.write_text("query_id,worker,label,query\n4,dan,Yes,wind\n1,dan,Yes,taxes\n")
    said = failure("label", "add-votes", other, "--name", "own")
    assert "other.csv:3" in said
    assert votes(batch) == OF_FIRST


def test_a_batch_of_a_crowd_takes_votes_on_what_it_asks(
    batch: Batch, files: tuple[Path, Path], tmp_path: Path
) -> None:
    Batch.objects.update(state="published")
    said = failure("label", "add-votes", files[1], "--name", "own")
    assert "has no query" in said
    assert votes(batch) == OF_FIRST
    known = tmp_path / "known.csv"
    known.write_text("query_id,worker,label\n1,dan,Yes\n")
    assert run_json("label", "add-votes", known, "--name", "own")["n_votes"] == 1
    Batch.objects.update(state="draft")
    failure("label", "add-votes", known, "--name", "own")


@pytest.mark.parametrize("state", ["imported", "published"])
def test_votes_that_a_batch_gave_are_known_to_it(batch: Batch, state: str, tmp_path: Path) -> None:
    Batch.objects.update(state=state)
    file = tmp_path / "exported.csv"
    run("label", "export-votes", "own", "--output", file)
    before = stored()
    done = run_json("label", "add-votes", file, "--name", "own")
    assert (done["n_votes"], done["n_known"], done["n_different"]) == (0, 4, 0)
    assert stored() == before


LONG = "Yes, since the query names a party, and asks what it has said of its own candidates. "


def test_a_long_answer_is_an_option_and_stays_the_same_one(tmp_path: Path) -> None:
    file = tmp_path / "long.csv"
    file.write_text(f'query_id,worker,label,query\n1,ann,"{LONG}a",x\n2,ann,"{LONG}b",x\n')
    run("label", "import-votes", file, "--name", "long", "--question", QUESTION)
    first, second = Batch.objects.get().scheme.questions[0].options
    assert (first.definition, second.definition) == (f"{LONG}a", f"{LONG}b")
    assert LONG.startswith(first.label.removesuffix("…"))
    assert first.code != second.code
    assert run_json("label", "add-votes", file, "--name", "long")["n_known"] == 2
    file.write_text(f'query_id,worker,label\n1,bob,"{LONG}b"\n')
    assert run_json("label", "add-votes", file, "--name", "long")["n_votes"] == 1
    assert Choice.objects.filter(option=second.code).count() == 2


def test_an_answer_that_cannot_be_shown_is_named(admin_client: Client) -> None:
    with pytest.raises(InputError, match=r"the answer '<b>yes</b>' is not an option") as error:
        own_question(QUESTION, answers("<b>yes</b>", "no"), {})
    assert "labels" in error.value.remedies[0].arguments
    text = "query_id,worker,label,query\n1,ann,<b>yes</b>,x\n2,ann,no,x\n"
    shown = preview(admin_client, reverse("import"), text)
    sent = sending(shown.content, reverse("import"), "as a question", {"question": QUESTION})
    refused = admin_client.post(sent.to, sent.data).content.decode()
    assert "Leave it out among the answers below" in refused


QRELS = "7 0 D1 2\n7 0 D2 0\n8 0 D1 1\n"


@pytest.mark.parametrize("holds", ["votes", "labels"])
def test_qrels_lead_to_where_qrels_go(admin_client: Client, holds: str) -> None:
    shown = preview(admin_client, reverse("import"), QRELS, holds=holds)
    assert shown.context["for_qrels"] == []
    study = Study.objects.create(name="s")
    pairs = pairs_batch(study)
    address = reverse("study-import", args=[study.pk])
    shown = preview(admin_client, address, QRELS, holds=holds)
    link = f"{reverse('batch-labels', args=[pairs.pk])}#qrels"
    assert f'href="{link}"' in shown.content.decode()
    assert shown.context["preview"] is None
    assert 'id="qrels"' in admin_client.get(link).content.decode()
    assert Batch.objects.count() == 1


def test_commands_say_where_qrels_go(tmp_path: Path) -> None:
    qrels = tmp_path / "qrels.txt"
    qrels.write_text(QRELS)
    for command in (["import-votes", qrels, "--name", "x"], ["import", qrels, "--name", "x"]):
        assert "label import-qrels" in failure("label", *command)
