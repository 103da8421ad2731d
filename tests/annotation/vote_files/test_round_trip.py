"""Votes out to Label Studio and back: the same votes, times and people under other names."""

import json
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command

from annotation.models import Vote
from tests.annotation.vote_files.exports import answers as given
from tests.annotation.vote_files.test_formats import EXPORTS

pytestmark = pytest.mark.django_db

Answer = tuple[str, str, str, float, Any]


def imported(name: str, *files: Path, labels: bool = True) -> None:
    words = ",".join(f"{word}={code}" for word, code in given.CODES.items())
    options = ["--labels", words] if labels else []
    call_command("label", "import-votes", *map(str, files), "--name", name, *options)


def exported(name: str, folder: Path, layout: str = "label-studio") -> Path:
    out = folder / f"{name}.json"
    call_command("label", "export-votes", name, "--format", layout, "--output", str(out))
    return out


def by_person(name: str) -> list[list[Answer]]:
    """What each person answered to which query, when and how fast, whatever the person's name."""
    columns = ("query__qid", "query__text", "seconds", "answered_at", "worker__worker_id")
    found: defaultdict[str, list[Answer]] = defaultdict(list)
    rows = Vote.objects.filter(query__batch__name=name)
    for qid, text, seconds, at, who, option in rows.values_list(*columns, "choices__option"):
        found[who].append((qid, text, option, seconds, at))
    return sorted(sorted(answers) for answers in found.values())


def test_a_round_trip_keeps_votes_times_and_people(tmp_path: Path) -> None:
    imported("first", EXPORTS / "label_studio.json")
    imported("second", exported("first", tmp_path), labels=False)
    assert by_person("second") == by_person("first")
    assert sum(len(answers) for answers in by_person("first")) == len(given.expected())
    assert all(at is not None for answers in by_person("first") for *_, at in answers)


def test_label_studio_itself_keeps_what_it_was_given() -> None:
    """`label_studio_again.json` is our export of the first file, imported and exported by it."""
    imported("first", EXPORTS / "label_studio.json")
    imported("again", EXPORTS / "label_studio_again.json", labels=False)
    assert by_person("again") == by_person("first")


def test_the_file_has_a_task_a_line_and_no_id_of_a_person(tmp_path: Path) -> None:
    imported("first", *(EXPORTS / "doccano" / f"{one}.jsonl" for one in given.ANSWERS))
    out = exported("first", tmp_path)
    tasks = json.loads(out.read_text())
    assert [one["data"]["qid"] for one in tasks] == list(given.QUERIES)
    assert len(out.read_text().splitlines()) == len(tasks)
    by = {note["result"][0]["meta"]["worker"] for one in tasks for note in one["annotations"]}
    assert len(by) == 3
    assert not set(given.ANSWERS) & by
    # A file of ours may be written again, another may not.
    exported("first", tmp_path)
    out.write_text('[{"mine": 1}]\n')
    with pytest.raises(Exception, match=r"first\.json"):
        exported("first", tmp_path)


def test_gold_questions_come_back_as_such(tmp_path: Path) -> None:
    (tmp_path / "v.csv").write_text(
        "query_id,worker,label,query,gold\nq1,a,n,rain,\nq2,a,f,a queen,f\nq2,b,m,a queen,f\n"
    )
    imported("first", tmp_path / "v.csv", labels=False)
    imported("second", exported("first", tmp_path), labels=False)
    votes = (Vote.objects.filter(query__batch__name=name) for name in ("first", "second"))
    golds = [sorted(one.values_list("query__qid", "query__gold")) for one in votes]
    assert golds[0] == golds[1] == [("q1", ""), ("q2", "f"), ("q2", "f")]
