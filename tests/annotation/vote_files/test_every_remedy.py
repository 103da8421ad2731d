"""Each remedy of an error is taken, at every interface, and ends in the votes that it promises."""

import csv
import shlex
from collections.abc import Mapping
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.test import Client

from annotation.labels.pages.matching import field_of
from annotation.models import Batch, Vote
from metrics.errors import InputError
from metrics.remedies import Remedy
from metrics.votes.files.answers import Answer
from metrics.votes.files.mapping import as_options
from metrics.votes.files.people import Choice
from metrics.votes.files.reader import read_tables, read_votes
from metrics.votes.files.readings import ManyReadingsError
from tests.annotation.vote_files.test_bringing import look, press

CASES = Path(__file__).with_name("cases")
_HITS = "HITId,AssignmentId,WorkerId"
#: Files that are refused with remedies.
FILES = {
    "a word that may mean any category": "query_id,worker,label\nq1,a,woman\nq2,a,f\nq2,b,woman\n",
    "words for categories": "query_id,worker,label\nq1,a,Female\nq1,b,Male\nq2,b,Not sure\n",
    "a word for nothing": "query_id,r1,r2\nq1,f,m\nq2,f,nan\n",
    "yes and no": "query_id,worker,label\nq1,a,yes\nq1,b,no\n",
    "no worker": "query_id,who,label\nq1,a b,f\nq2,c,m\n",
    "no label": "query_id,worker,gender,stance\nq1,a,f,m\nq2,b,m,m\n",
    "people in lines over words": "user,cat,dog\nu1,f,m\nu2,f,f\n",
    "an id with a blank": "query_id,worker,label,key\nq 1,a,f,k1\nq 2,b,m,k2\n",
    "a line twice": "qid,row,annotator_1,annotator_2\nq1,r1,f,f\nq1,r2,m,f\n",
    "answers under other names": f"{_HITS},Answer.x,Answer.y\nh1,a1,w1,f,m\nh2,a2,w2,m,m\n",
    "numbered answers": f"{_HITS},Input.q1,Input.q2,Answer.g1,Answer.g2\nh1,a1,w1,rain,sun,f,m\n",
    "an answer twice": '[{"id": 1, "annotator": 1, "label": "f", "part": "x"},'
    ' {"id": 1, "annotator": 1, "label": "m", "part": "y"}]',
} | {
    name: (CASES / name).read_text()
    for name in ("tr_name.csv", "two_q_people.csv", "nm_claude.csv", "meta_curated.csv",
                 "meta_ensemble.csv", "h_gender_n.csv")
}  # fmt: skip
#: Most remedies that are taken one after another.
_MOST = 6


def written(folder: Path, what: str) -> Path:
    path = folder / "votes"
    path.write_text(FILES[what])
    return path


def read(path: Path, arguments: Mapping[str, Any]) -> list[Answer]:
    """The votes with the arguments, in Python."""
    given = dict(arguments)
    choice = Choice(tuple(given.pop("people", ())), tuple(given.pop("ignore", ())))
    found = read_votes([path], choice=choice, **given)
    return [*found.votes, *found.cannot_tell]


def both(first: Mapping[str, Any], second: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of two remedies; mappings of one name are joined."""
    joined = {**first, **second}
    for name in first.keys() & second.keys():
        if isinstance(first[name], Mapping):
            joined[name] = {**first[name], **second[name]}
    return joined


def error_of(path: Path, arguments: Mapping[str, Any]) -> InputError | None:
    try:
        read(path, arguments)
    except InputError as error:
        return error
    return None


def way_out(path: Path, remedy: Remedy) -> dict[str, Any]:
    """The arguments with which the file is read: the remedy, then the first of each error."""
    arguments: dict[str, Any] = dict(remedy.arguments)
    for _ in range(_MOST):
        error = error_of(path, arguments)
        if error is None:
            return arguments
        assert error.remedies, (arguments, error)
        arguments = both(arguments, error.remedies[0].arguments)
    pytest.fail(f"no end of errors: {arguments}")


def is_as_promised(path: Path, arguments: Mapping[str, Any], votes: list[Answer]) -> bool:
    """Return whether the votes are those of the arguments, by the cells of the file."""
    people, ignored = arguments.get("people", ()), arguments.get("ignore", ())
    workers = {vote.worker for vote in votes}
    if (people and workers != set(people)) or workers & set(ignored):
        return False
    if layout := arguments.get("layout"):
        assert read_tables([path], layout).format.name == layout
    columns, labels = arguments.get("columns", {}), arguments.get("labels", {})
    if path.read_text().startswith("["):
        return bool(votes)
    with path.open(newline="") as stream:
        rows: dict[int, dict[str, str]] = dict(enumerate(csv.DictReader(stream), 2))
    known = {"query_id": "qid", "worker": "worker", "label": "answer"}
    for vote in votes:
        row = rows[vote.line]
        for role, field in known.items():
            pattern = columns.get(role, row if role == "label" else "")
            cells = [cell for name, cell in row.items()
                     if pattern and (pattern is row or fnmatchcase(name, pattern))]  # fmt: skip
            if cells and getattr(vote, field) not in {labels.get(cell, cell) for cell in cells}:
                return False
    return bool(votes)


def remedies_of(path: Path) -> tuple[Remedy, ...]:
    error = error_of(path, {})
    assert error is not None
    assert error.remedies, error
    return error.remedies


@pytest.mark.parametrize("what", FILES)
def test_in_python_each_remedy_ends_in_the_votes_that_it_says(what: str, tmp_path: Path) -> None:
    path = written(tmp_path, what)
    for remedy in remedies_of(path):
        arguments = way_out(path, remedy)
        assert is_as_promised(path, arguments, read(path, arguments)), (remedy, arguments)


def stored() -> set[tuple[str, str]]:
    return {*Vote.objects.values_list("query__qid", "worker__worker_id")}


@pytest.mark.django_db
@pytest.mark.parametrize("what", FILES)
def test_each_remedy_is_printed_as_options_and_stores_these_votes(
    what: str, tmp_path: Path
) -> None:
    path = written(tmp_path, what)
    with pytest.raises(CommandError) as printed:
        call_command("label", "import-votes", str(path), "--name", "first")
    assert "looks like votes" not in str(printed.value)
    for at, remedy in enumerate(remedies_of(path)):
        assert as_options(remedy) in str(printed.value)
        arguments = way_out(path, remedy)
        typed = shlex.split(as_options(Remedy("", arguments)))
        call_command("label", "import-votes", str(path), "--name", f"b{at}", *typed)
        read_by_python = read(path, arguments)
        assert Vote.objects.filter(query__batch__name=f"b{at}").count() == len(read_by_python)
        assert stored() == {(vote.qid, vote.worker) for vote in read_by_python}
        Vote.objects.all().delete()


@pytest.mark.django_db
def test_answers_become_a_question_of_their_own_as_the_command_says(tmp_path: Path) -> None:
    path = written(tmp_path, "yes and no")
    call = ["label", "import-votes", str(path), "--name", "x"]
    with pytest.raises(CommandError, match="--question") as printed:
        call_command(*call)
    words = str(printed.value).partition("Add ")[2].partition(" if ")[0]
    call_command(*call, *shlex.split(words))
    assert Batch.objects.get().scheme.questions[0].text == "Which answer fits?"
    known = ["--scheme", "gender"]
    with pytest.raises(CommandError) as refused:
        call_command("label", "import-votes", str(path), "--name", "y", *known)
    assert "--question" not in str(refused.value)


def fields_for(shown: Any, arguments: Mapping[str, Any], at: int) -> dict[str, str]:
    """The page's fields for a remedy: each is there."""
    preview = shown.context["preview"]
    page = shown.content.decode()
    fields: dict[str, str] = {}
    if preview.readings:
        fields["reading"] = str(at)
    for name, value in arguments.items():
        if name == "layout":
            fields["layout"] = value
        if name == "columns":
            fields |= {f"column-{role}": column for role, column in value.items()}
        if name == "labels":
            fields |= {field_of("label", word): code or "-" for word, code in value.items()}
        if name in {"people", "ignore"} and not preview.readings:
            for column, _, person, seen in preview.matching.people:
                fields[seen] = "yes"
                if (column in value) == (name == "people"):
                    fields[person] = "yes"
    assert [name for name in fields if f'name="{name}"' not in page] == []
    return fields


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("what", FILES)
def test_each_remedy_is_a_field_of_the_page_and_stores_these_votes(
    what: str, client: Client, owner: User, tmp_path: Path
) -> None:
    path = written(tmp_path, what)
    for at, remedy in enumerate(remedies_of(path)):
        shown = look(client, (path.name, path.read_bytes()))
        problem = shown.context["preview"].problem
        assert "--" not in str(problem)
        assert not isinstance(problem, ManyReadingsError)
        arguments: dict[str, Any] = dict(remedy.arguments)
        fields = fields_for(shown, arguments, at)
        for _ in range(_MOST):
            error = error_of(path, arguments)
            if error is None:
                break
            shown = press(client, shown, **{**fields, "import": ""})
            more = dict(error.remedies[0].arguments)
            fields |= fields_for(shown, more, 0)
            arguments = both(arguments, more)
        page = press(client, shown, **{**fields, "import": ""})
        press(client, page, **fields)
        assert stored() == {(vote.qid, vote.worker) for vote in read(path, arguments)}, remedy
        Vote.objects.all().delete()
