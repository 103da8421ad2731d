"""Small files in the shape of public reports: what is right for each, or what is asked."""

import shlex
import sys
from argparse import ArgumentParser
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from annotation.models import Vote
from metrics.errors import InputError
from metrics.runs.queries import read_queries
from metrics.votes.files.mapping import as_options, read_names
from metrics.votes.files.people import Choice
from metrics.votes.files.query_ids import with_ids_of
from metrics.votes.files.reader import read_votes
from metrics.votes.files.readings import ManyReadingsError
from tests.annotation.vote_files.test_field_layouts import apart, lines, votes, written
from tests.annotation.vote_files.test_roles import alpha

CASES = Path(__file__).with_name("cases")
WORDS = {"Female": "f", "Male": "m", "female": "f", "male": "m"}


def test_boxes_of_a_hit_are_one_answer(tmp_path: Path) -> None:
    found = read_votes([CASES / "on.csv"], labels=WORDS)
    assert votes(found) == [("H1", "W1", "f"), ("H1", "W2", "m")]
    assert apart(found) == [("W1", "several"), ("W2", "blank")]
    consent = [line + (",Answer.agree.on" if line.startswith("HITId") else ",true")
               for line in (CASES / "on.csv").read_text().splitlines()]  # fmt: skip
    again = read_votes([written(tmp_path, "\n".join(consent) + "\n")], labels=WORDS)
    assert (votes(again), apart(again)) == (votes(found), apart(found))


@pytest.mark.parametrize(
    "head", ["gender:::Female,gender:::Male", "female,male", "Male:::x,female,male"]
)
@pytest.mark.parametrize(("yes", "no"), [("1", "0"), ("true", "false"), ("X", "")])
def test_a_column_for_each_option_is_one_answer(
    head: str, yes: str, no: str, tmp_path: Path
) -> None:
    more = "," if head.startswith("Male") else ""
    text = f"instance_id,user,{head}\nq1,u1,{more}{yes},{no}\nq1,u2,{more}{no},{yes}\n"
    text += f"q2,u1,{more}{yes},{yes}\n"
    found = read_votes([written(tmp_path, text)], labels=WORDS)
    assert votes(found) == [("q1", "u1", "f"), ("q1", "u2", "m")]
    assert apart(found) == [("u1", "several")]


def test_two_flags_beside_a_label_are_no_answer(tmp_path: Path) -> None:
    text = "query_id,worker,label,male,female\nq1,u1,f,1,0\n"
    assert votes(read_votes([written(tmp_path, text)])) == [("q1", "u1", "f")]


def test_annotations_of_a_storage_of_label_studio_are_one_batch() -> None:
    paths = [CASES / f"ls_store{at}.json" for at in (1, 2)]
    found = read_votes(paths, labels=WORDS)
    assert votes(found) == [("1", "1", "f"), ("1", "2", "m")]
    assert {one.text for one in found.votes} == {"query 1"}


def test_labels_that_prodigy_accepts_and_rejects_are_one_answer(tmp_path: Path) -> None:
    found = read_votes([CASES / "prod_bin-ann.jsonl"])
    assert votes(found) == [("1", "ann", "f"), ("1", "bob", "m")]
    assert apart(found) == [("bob", "blank")]
    task = {"text": "t1", "_input_hash": 1, "_annotator_id": "ann"}
    both = [{**task, "_task_hash": at, "label": label, "answer": "accept"}
            for at, label in enumerate("fm")]  # fmt: skip
    assert apart(read_votes([written(tmp_path, lines(*both))])) == [("ann", "several")]
    with pytest.raises(InputError, match="a second answer"):
        read_votes([written(tmp_path, lines(*both, both[0]))])


def test_a_spreadsheet_may_say_its_separator_and_write_decimal_commas() -> None:
    assert votes(read_votes([CASES / "sep_line.csv"])) == [("a", "w1", "f"), ("a", "w2", "m")]
    found = read_votes([CASES / "semi_deccomma.csv"])
    assert [one.seconds for one in found.votes] == [12.5, 3.25]


def test_ids_of_a_data_frame_are_those_of_the_file_of_queries() -> None:
    queries = read_queries(CASES / "dq.tsv")
    found = with_ids_of(read_votes([CASES / "dv.csv"]), queries.texts)
    assert votes(found) == [("1.0", "w1", "f"), ("1.0", "w2", "f"), ("2.0", "w1", "m")]


def test_ids_that_a_spreadsheet_changed_are_told() -> None:
    found = read_votes([CASES / "sci2.csv"])
    assert any("1.23457E+17" in note and "spreadsheet" in note for note in found.notes)


def test_a_decimal_comma_beside_commas_is_no_number(tmp_path: Path) -> None:
    text = 'query_id,worker,label,seconds\na,w1,f,"1,200"\n'
    with pytest.raises(InputError, match="not a time in seconds"):
        read_votes([written(tmp_path, text)])


def test_people_in_lines_are_read_where_ids_and_columns_say_so() -> None:
    found = read_votes([CASES / "tr_worker.csv"])
    assert votes(found)[:3] == [("q1", "w1", "f"), ("q2", "w1", "m"), ("q3", "w1", "f")]
    assert any("one person per line, called as in worker" in note for note in found.notes)
    survey = read_votes([CASES / "tr_qualtrics.csv"])
    assert {one.worker for one in survey.votes} == {"R_1", "R_2"}
    assert alpha(survey) == pytest.approx(0.444, abs=5e-4)


#: What more than one reading fits, and the alphas of the readings (package krippendorff).
READINGS = {
    "tr_name.csv": (0.407, -0.127),
    "two_q_people.csv": (0.444, 1.0),
    "nm_claude.csv": (0.329, 0.588),
    "meta_curated.csv": (None, None),
    "meta_ensemble.csv": (None, None),
    "h_gender_n.csv": (0.329,),
}


@pytest.mark.parametrize("name", READINGS)
def test_of_several_readings_each_is_typed_and_read_as_it_says(name: str) -> None:
    with pytest.raises(ManyReadingsError) as raised:
        read_votes([CASES / name])
    error = raised.value
    assert len(error.remedies) == len(READINGS[name])
    for reading, value in zip(error.remedies, READINGS[name], strict=True):
        layout, people, ignore = typed(as_options(reading))
        found = read_votes([CASES / name], layout=layout, choice=Choice(people, ignore))
        if value is not None:
            assert alpha(found) == pytest.approx(value, abs=5e-4)


@pytest.mark.django_db
def test_the_command_prints_the_whole_command_of_each_reading(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "two people's votes.csv"
    path.write_bytes((CASES / "two_q_people.csv").read_bytes())
    words = ["label", "import-votes", str(path), "--name", "x"]
    monkeypatch.setattr(sys, "argv", ["manage.py", *words])
    with pytest.raises(CommandError) as raised:
        call_command(*words)
    commands = [line.partition("  #")[0] for line in str(raised.value).splitlines()[1:]]
    assert len(commands) == 2
    call_command(*shlex.split(commands[1])[2:])
    assert Vote.objects.count() == 6


def typed(options: str) -> tuple[str, tuple[str, ...], tuple[str, ...]]:
    """Layout, people and columns to ignore of options as typed in a shell."""
    parser = ArgumentParser()
    parser.add_argument("--format", default="")
    parser.add_argument("--people", type=read_names, default=())
    parser.add_argument("--ignore", type=read_names, default=())
    parsed = parser.parse_args(shlex.split(options))
    return parsed.format, parsed.people, parsed.ignore


#: Several questions of the same people, whose names are put together otherwise.
GRIDS = (
    "id,ann_gender,bob_gender,ann_stance,bob_stance",
    "id,genderAnn,genderBob,stanceAnn,stanceBob",
    "id,rater1_gender,rater2_gender,rater1_stance,rater2_stance",
    "id,label_annotator_1,label_annotator_2,target_annotator_1,target_annotator_2",
)


@pytest.mark.parametrize("head", GRIDS)
def test_several_questions_of_the_same_people_are_asked_for(head: str, tmp_path: Path) -> None:
    path = written(tmp_path, f"{head}\n1,f,f,m,m\n2,m,m,f,f\n")
    with pytest.raises(ManyReadingsError, match="several questions") as raised:
        read_votes([path])
    names = head.split(",")
    readings = [reading.arguments["people"] for reading in raised.value.remedies]
    assert {tuple(names[1:3]), tuple(names[3:5])} <= set(readings)


def test_confidence_beside_each_label_is_no_question(tmp_path: Path) -> None:
    head = "id,annotator_1_label,annotator_1_confidence,annotator_2_label,annotator_2_confidence"
    found = read_votes([written(tmp_path, f"{head}\n1,f,3,m,4\n2,m,3,m,4\n")])
    assert {one.worker for one in found.votes} == {"annotator_1_label", "annotator_2_label"}


def test_lines_of_people_over_words_are_read_as_the_advice_says(tmp_path: Path) -> None:
    path = written(tmp_path, "user,cat,dog\nu1,f,m\nu2,f,f\n")
    with pytest.raises(InputError) as raised:
        read_votes([path])
    assert raised.value.remedies[0].arguments == {"layout": "rows"}
    found = read_votes([path], layout="rows")
    assert votes(found)[:2] == [("cat", "u1", "f"), ("dog", "u1", "m")]


#: What is read without a question, and who votes.
SURE = {
    "columns of a person's number are not questions": ("id,rater_1,rater_2,coder_1,coder_2", 4),
    "numbered experts": ("id,expert_1,expert_2", 2),
    "names beside another language": ("id,ann,bob,lang", 2),
    "ids of queries beside numbers of items": ("query_id,i1,i2", 2),
    "names of items": ("name,ann,bob", 2),
    "a majority": ("id,ann,bob,majority", 2),
}


@pytest.mark.parametrize("what", SURE)
def test_what_names_and_answers_tell_is_not_asked(what: str, tmp_path: Path) -> None:
    head, n_people = SURE[what]
    n_cells = head.count(",")
    rows = [
        f"k{at}," + ",".join(["f" if at % 2 else "m"] * (n_cells - 1) + ["en" if "lang" in head
                              else "f"])
        for at in range(3)
    ]  # fmt: skip
    found = read_votes([written(tmp_path, "\n".join([head, *rows]) + "\n")])
    assert len({one.worker for one in found.votes}) == n_people


def test_a_person_may_use_more_than_ten_words_that_are_mapped(tmp_path: Path) -> None:
    words = [f"word{at}" for at in range(12)]
    rows = [f"k{at},{word},{words[at // 2]}" for at, word in enumerate(words)]
    path = written(tmp_path, "\n".join(["query_id,ann,bob", *rows]) + "\n")
    found = read_votes([path], labels={word: "fmno"[at % 4] for at, word in enumerate(words)})
    assert {one.worker for one in found.votes} == {"ann", "bob"}
