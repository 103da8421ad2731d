"""A release of a batch that asks the questions of a scheme."""

import csv
import io
import json
from pathlib import Path

import pytest
from django.core.management import call_command
from pytest_django import Settings

from annotation.workers.operations.discard_votes import votes_discard
from tests.schemed import answered, reject
from tests.study import stored_pool

pytestmark = pytest.mark.django_db
TERMS = ("--creators", "Lovelace, Ada", "--license", "cc-by-4.0")


def rows(content: bytes) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(content.decode(), newline="")))


@pytest.fixture
def files(tmp_path: Path, settings: Settings) -> dict[str, bytes]:
    """Of three workers the answers of one are discarded."""
    settings.DATA_DIR = tmp_path / "var"
    batch = answered(stored_pool(4).belongs.study)
    votes_discard(batch=batch, worker_id="A3", reason="Guessed.", actor="ada")
    call_command("study", "release", batch.study.name, *TERMS, "--output", str(tmp_path / "out"))
    return {path.name: path.read_bytes() for path in (tmp_path / "out").iterdir()}


def test_answers_have_names_of_the_release_and_say_whether_they_count(
    files: dict[str, bytes],
) -> None:
    answers = rows(files["answers.csv"])
    assert len(answers) == 2 * (3 * 2 + 1) + 4 * 2 + 3
    assert {row["annotator"] for row in answers} == {f"annotator-{n}" for n in (1, 2, 3)}
    assert sum(row["counts"] == "0" for row in answers) == 11
    assert "votes.csv" not in files
    assert all(b"A1" not in content for content in files.values())


def test_decisions_and_soft_labels_follow_from_the_answers_that_count(
    files: dict[str, bytes],
) -> None:
    decided = [row for row in rows(files["decisions.csv"]) if row["question"] == "named"]
    assert [(row["decided"], row["n_answers"], row["in_subset"]) for row in decided] == [
        ("no", "2", "1"),
        ("no", "2", "1"),
        ("yes", "2", "0"),
        ("", "0", "0"),
    ]
    assert [row["entropy"] for row in decided] == ["0.0", "0.0", "0.0", ""]
    shares = {
        (row["qid"], row["option"]): row["share"]
        for row in rows(files["soft_labels.csv"])
        if row["question"] == "named"
    }
    assert shares[decided[2]["qid"], "yes"] == "1.0"


def test_what_describes_it_names_the_scheme(files: dict[str, bytes]) -> None:
    scheme = json.loads(files["scheme.json"])["schemes"]["faith"]
    assert scheme["subset"]["words"] == "queries that name no religion"
    agreement = {row["coefficient"] for row in rows(files["agreement.csv"])}
    assert agreement == {"named: nominal alpha", "groups: MASI alpha", "harm: interval alpha"}
    card = files["README.md"].decode()
    assert "Does the query name a religion?" in card
    assert 'datasets.load_dataset("FOLDER")  # every answer to a question' in card
    croissant = json.loads(files["croissant.json"])
    assert {one["@id"] for one in croissant["recordSet"]} == {
        "answers",
        "decisions",
        "soft_labels",
        "agreement",
    }


def test_rejected_answers_are_left_out(tmp_path: Path, settings: Settings) -> None:
    settings.DATA_DIR = tmp_path / "var"
    batch = answered(stored_pool(4).belongs.study)
    reject(batch, "A3")
    call_command("study", "release", batch.study.name, *TERMS, "--output", str(tmp_path / "out"))
    answers = rows((tmp_path / "out" / "answers.csv").read_bytes())
    assert len({row["annotator"] for row in answers}) == 2
