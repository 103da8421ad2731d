"""Small files in the shape of public reports: what is right for each, or what is asked."""

from pathlib import Path

import pytest

from metrics.errors import InputError
from metrics.votes.files.reader import read_votes
from tests.annotation.vote_files.test_field_layouts import apart, lines, votes, written

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


def test_a_decimal_comma_beside_commas_is_no_number(tmp_path: Path) -> None:
    text = 'query_id,worker,label,seconds\na,w1,f,"1,200"\n'
    with pytest.raises(InputError, match="no time in seconds"):
        read_votes([written(tmp_path, text)])
