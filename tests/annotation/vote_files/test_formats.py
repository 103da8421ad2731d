"""Files of other programs to votes: the votes are those that people gave, whatever the program."""

import json
import shutil
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from annotation.labels.pages.matching import Matching
from metrics.errors import InputError
from metrics.votes.files.answers import Votes
from metrics.votes.files.meanings import suggested_category
from metrics.votes.files.reader import IMPORT_FORMATS, read_tables, read_votes
from tests.annotation.vote_files.exports import answers as given

EXPORTS = Path(__file__).with_name("exports")
PEOPLE = tuple(given.ANSWERS)
#: The files of each program, the format that they are of, and its names of the three people.
FILES: dict[str, tuple[list[str], str, tuple[str, ...]]] = {
    "label studio": (["label_studio.json"], "label-studio", ("2", "3", "4")),
    "label studio, JSON-MIN": (["label_studio_min.json"], "json", ("2", "3", "4")),
    "label studio, CSV": (["label_studio.csv"], "plain", ("2", "3", "4")),
    "doccano": ([f"doccano/{one}.jsonl" for one in PEOPLE], "doccano", PEOPLE),
    "argilla": (
        ["argilla.json"],
        "argilla",
        (
            "96f839ea-b06a-50c3-971d-f2203e64dede",
            "ef45d397-0411-5f5e-8940-9bdbdef3958b",
            "acd5cec5-cc8e-5d73-b207-0dd8d8ae6c9c",
        ),
    ),
    "potato": ([f"potato/{one}.json" for one in PEOPLE], "potato", PEOPLE),
    "prodigy": (["prodigy.jsonl"], "prodigy", tuple(f"gender-{one}" for one in PEOPLE)),
}


def read(paths: list[Path], chosen: dict[str, str] | None = None, **options: Any) -> Votes:
    """As a person reads the files who changes nothing of what is suggested but `chosen`."""
    matching = Matching(chosen or {}, read_tables(paths))
    assert matching.problem is None, matching.problem
    terms = {"columns": matching.columns, "labels": matching.labels, "gold": {}, **options}
    return read_votes(paths, **terms)


@pytest.mark.parametrize("program", FILES)
def test_the_votes_of_a_program_are_those_that_people_gave(program: str, tmp_path: Path) -> None:
    names, layout, people = FILES[program]
    # Under names that say nothing, but for doccano, whose people are the names.
    paths = [
        Path(shutil.copy(EXPORTS / name, tmp_path / f"{Path(name).stem}.dat")) for name in names
    ]
    assert read_tables(paths).format.name == layout
    # In a flat table the question is one column of many.
    found = read(paths, {"column-label": "gender"} if layout in ("json", "plain") else {})
    person = dict(zip(people, PEOPLE, strict=True))
    votes = {(one.qid, person[one.worker], one.answer) for one in found.votes}
    unsure = {(one.qid, person[one.worker], one.answer) for one in found.cannot_tell}
    assert votes | unsure == given.expected()
    assert unsure == {("1012", "ann", "u")}
    if program != "potato":  # its states have no texts: they come in a file of queries
        assert {one.qid: one.text for one in found.votes} == given.QUERIES


def test_times_and_models_of_label_studio_are_kept() -> None:
    found = read([EXPORTS / "label_studio.json"])
    seconds = dict(zip(given.QUERIES, given.SECONDS, strict=True))
    assert {one.seconds == seconds[one.qid] for one in found.votes} == {True}
    moments = [one.answered_at for one in found.votes]
    assert all(one is not None and one.tzinfo is UTC for one in moments)
    models = [(one.model, one.qid, one.category, one.belief) for one in found.models]
    assert models == [
        ("small-model-1", qid, code, score)
        for qid, code, score in zip(given.QUERIES, given.MODEL, given.SCORES, strict=True)
    ]


def test_predictions_that_are_numbers_alone_are_said(tmp_path: Path) -> None:
    found = read([written(tmp_path, [task(annotation("n"), predictions=[7])])])
    assert not found.models
    assert any("snapshot" in note for note in found.notes)


def test_suggestions_of_argilla_are_labels_of_models() -> None:
    found = read([EXPORTS / "argilla.json"])
    assert [one.category for one in found.models] == list(given.MODEL)
    assert {one.model for one in found.models} == {"small-model-1"}


def test_potato_and_prodigy_keep_times() -> None:
    potato = read([EXPORTS / "potato" / "ann.json"])
    assert [one.seconds for one in potato.votes] == list(given.SECONDS[:-1])
    prodigy = read([EXPORTS / "prodigy.jsonl"])
    assert prodigy.votes[0].answered_at == datetime.fromtimestamp(1795508400, UTC)


def written(folder: Path, content: Any, name: str = "votes.dat") -> Path:
    path = folder / name
    text = content if isinstance(content, str) else json.dumps(content)
    path.write_bytes(text.encode("utf-8", "surrogatepass"))
    return path


def test_a_wide_table_has_a_column_per_person(tmp_path: Path) -> None:
    path = written(tmp_path, "qid,text,ann,bob,cem\n1,rain,n,n,f\n2,a queen,f,,f\n")
    assert read_tables([path]).format.name == "wide"
    found = read([path])
    votes = [(one.qid, one.worker, one.answer, one.text) for one in found.votes]
    assert votes == [
        ("1", "ann", "n", "rain"), ("1", "bob", "n", "rain"), ("1", "cem", "f", "rain"),
        ("2", "ann", "f", "a queen"), ("2", "cem", "f", "a queen"),
    ]  # fmt: skip
    assert [one.reason for one in found.set_aside] == ["blank"]


@pytest.mark.parametrize("delimiter", ["\t", ";"])
def test_the_header_says_what_is_between_the_cells(tmp_path: Path, delimiter: str) -> None:
    text = "query_id,worker,label\nq1,a,n\nq1,b,f\n".replace(",", delimiter)
    assert len(read([written(tmp_path, text)]).votes) == 2


TASK = {"id": 1, "data": {"qid": "q1", "text": "rain"}}
CHOICE = {"from_name": "g", "to_name": "t", "type": "choices"}


def annotation(word: Any, by: int = 1, **more: Any) -> dict[str, Any]:
    return {"completed_by": by, "result": [{**CHOICE, "value": {"choices": [word]}}], **more}


def task(*annotations: Any, **more: Any) -> dict[str, Any]:
    return {**TASK, "annotations": list(annotations), **more}


def pretty(*tasks: Any) -> str:
    return "[\n" + ",\n".join(json.dumps(one) for one in tasks) + "\n]\n"


DEEP = '{"data": {"qid": "1", "x": ' + "[" * 100_000 + "]" * 100_000 + '}, "annotations": []}'
#: What cannot be imported: the content, and the line that the error names.
HOSTILE: dict[str, tuple[Any, int]] = {
    "second answer": (pretty(task(annotation("n")), task(annotation("f"))), 3),
    "second answer, as of before": (pretty(task(annotation("n"), annotation("n"))), 2),
    "span": (pretty(task(annotation(["n", 1]))), 2),
    "no result": (pretty(task({"completed_by": 1, "result": [{"value": 1}]})), 2),
    "no annotator": (pretty(task(annotation("n", by=None))), 2),  # type: ignore[arg-type]
    "control character": (pretty(task(annotation("n", by="a\x1b[2J"))), 2),  # type: ignore[arg-type]
    "NUL": (pretty(task(annotation("n"), data={"qid": "1", "text": "a\0b"})), 2),
    "half a character": ('[{"data": {"qid": "\\ud800"}, "annotations": [1]}]', 1),
    "long text": (pretty(task(annotation("n"), data={"qid": "1", "text": "x" * 200_000})), 2),
    "no moment": (pretty(task(annotation("n", created_at="yesterday"))), 2),
    "no time": (pretty(task(annotation("n", lead_time=-1))), 2),
    "deep": (f"[\n{DEEP}\n]", 2),
    "NaN": ('[\n{"data": {"qid": NaN}, "annotations": []}]', 2),
    "long number": ('[{"data": {"qid": 1' + "0" * 5_000 + '}, "annotations": []}]', 1),
    "cut off": (pretty(task(annotation("n")))[:-4], 2),
    "more after it": (pretty(task(annotation("n"))) + "{}", 4),
    "no object": ('[{"data": {}, "annotations": []}, 3]', 1),
    "unknown to all": ('[{"data": {}, "entities": {}}]', 1),
    "many members": (
        pretty(*(task(annotation("n"), data={"qid": "1", f"x{n}": n}) for n in range(400))),
        0,
    ),
    "wide, twice": ("qid,ann,bob\n1,n,n\n1,f,n\n", 3),
}


@pytest.mark.parametrize("what", HOSTILE)
def test_what_cannot_be_read_is_refused_with_its_line(what: str, tmp_path: Path) -> None:
    content, line = HOSTILE[what]
    path = written(tmp_path, content)
    with pytest.raises(InputError) as raised:
        read_votes([path], columns={}, labels={}, gold={})
    assert (raised.value.path, raised.value.line or 0) == (str(path), line), str(raised.value)
    assert len(str(raised.value)) < 1_000


def test_a_record_of_a_file_of_one_line_is_named_by_its_number(tmp_path: Path) -> None:
    path = written(tmp_path, [task(annotation("n")), task(annotation("x", by=2))])
    with pytest.raises(InputError, match="record 2: the answer 'x'"):
        read_votes([path], columns={}, labels={}, gold={})


def test_skipped_drafts_and_several_values_are_no_votes(tmp_path: Path) -> None:
    both = annotation("n", by=3)
    both["result"][0]["value"]["choices"] = ["n", "f"]
    path = written(tmp_path, [task(annotation("n"), annotation("f", 2, was_cancelled=True), both)])
    found = read([path], labels={})
    assert len(found.votes) == 1
    assert [one.reason for one in found.set_aside] == ["blank", "several"]
    draft = {"value": "n", "user_id": "b", "status": "draft"}
    record = {"id": "1", "fields": {"text": "rain"},
              "responses": {"g": [{"value": "n", "user_id": "a"}, draft]}}  # fmt: skip
    found = read([written(tmp_path, [record])])
    assert (len(found.votes), len(found.notes)) == (1, 1)


def test_scores_that_say_nothing_are_left_out_with_a_note(tmp_path: Path) -> None:
    guess = {"model_version": "m", "score": 0.0, "result": annotation("n")["result"]}
    tasks = [
        task(annotation("n"), id=number, data={"qid": str(number)}, predictions=[guess])
        for number in (1, 2)
    ]
    found = read([written(tmp_path, tasks)])
    assert [one.belief for one in found.models] == [None, None]
    assert any("Scores left out" in note for note in found.notes)


@pytest.mark.long
def test_many_models_are_read_in_time_that_grows_with_them(tmp_path: Path) -> None:
    guesses = [
        {"model_version": f"m{number}", "score": 2, "result": annotation("n")["result"]}
        for number in range(5_000)
    ]
    found = read([written(tmp_path, [task(annotation("n"), predictions=guesses)])])
    assert len(found.models) == 5_000
    assert len(found.notes) == 20


def test_files_of_two_programs_are_refused_together() -> None:
    with pytest.raises(InputError) as raised:
        read_tables([EXPORTS / "label_studio.json", EXPORTS / "doccano" / "ann.jsonl"])
    assert str(raised.value.path).endswith("ann.jsonl")


def test_one_file_is_not_several_where_a_format_has_one() -> None:
    with pytest.raises(InputError):
        read_tables([EXPORTS / "label_studio.csv", EXPORTS / "label_studio.csv"])


def test_a_named_format_is_taken_or_refused(tmp_path: Path) -> None:
    path = written(tmp_path, "qid,ann,bob\n1,n,n\n2,f,n\n")
    assert read_tables([path], "plain").format.name == "plain"
    with pytest.raises(InputError):
        read_tables([path], "doccano")


@pytest.mark.parametrize(
    ("word", "code"),
    [("Female", "f"), ("NON_GENDERED", "n"), ("I can't tell", "u"), ("woman", ""), ("0", "")],
)
def test_only_words_with_one_meaning_are_suggested(word: str, code: str) -> None:
    assert suggested_category(word) == code


def test_every_format_says_what_it_is() -> None:
    positions = [one.position for one in IMPORT_FORMATS.values()]
    assert positions == sorted(set(positions))
    assert all(one.title and one.summary for one in IMPORT_FORMATS.values())
