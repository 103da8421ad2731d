"""Real votes and released labels in, real figures out. Origins: see each number."""

from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError
from django.db import connection
from django.test.utils import CaptureQueriesContext

from annotation.models import Batch, Label, UncountedAnswer, Vote
from tests.commands import run_json

pytestmark = [pytest.mark.django_db, pytest.mark.shared_data]


def import_dog4(shared_data: Path, name: str, file: str = "votes.csv") -> Any:
    return run_json(
        "label", "import-votes", shared_data / "votes" / "dog4" / file,
        "--name", name,
        "--columns", "query_id=task", "--labels", "0=n,1=f,2=m,3=o",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("file", "alpha", "ties", "untied"),
    # Krippendorff's alpha by krippendorff 0.9.0, ties counted with pandas.
    [("votes.csv", 0.519418, 50, 757), ("votes_first3.csv", 0.508303, 14, 793)],
)
def test_dog4(shared_data: Path, file: str, alpha: float, ties: int, untied: int) -> None:
    import_dog4(shared_data, "dogs", file)
    found = run_json("batch", "agreement", "dogs")
    assert found["n_queries"] == 807
    assert found["krippendorff_alpha"]["value"] == pytest.approx(alpha, abs=5e-7)
    assert found["ties"] == ties
    assert sum(found["majority"].values()) == untied
    assert run_json("label", "decide", "dogs")["ties"] == ties


@pytest.mark.long
def test_mturk_results_as_downloaded(shared_data: Path) -> None:
    report = run_json(
        "label", "import-votes", shared_data / "mturk_results" / "hw7_data.csv",
        "--name", "adjectives",
        "--columns", "label=Answer.adj_*,query=Input.adj_*", "--labels", "Yes=f,No=n,Naa=o",
        "--gold", "Answer.pos_qual_ctrl_*=Yes,Answer.neg_qual_ctrl=No",
    )  # fmt: skip
    # 2,904 assignments of 968 HITs with ten items each, two of them blank; 16,917 answered checks.
    assert (report["n_queries"], report["n_votes"], report["n_workers"]) == (9_680, 29_038, 187)
    assert report["n_gold_votes"] == 16_917
    # The last columns of the file: 507 checks were left blank.
    assert report["set_aside"] == {"blank": 509}
    assert UncountedAnswer.objects.filter(reason="blank").count() == 509
    found = run_json("batch", "agreement", "adjectives")
    assert found["n_votes"] == 29_038
    assert found["krippendorff_alpha"]["value"] == pytest.approx(0.166604, abs=5e-7)
    assert found["ties"] == 33
    assert found["per_category_alpha"]["m"]["value"] is None
    assert any("Prevalence" in warning for warning in found["warnings"])


@pytest.mark.long
def test_mturk_results_need_no_column_names_when_inputs_and_answers_pair_up(
    shared_data: Path,
) -> None:
    report = run_json(
        "label", "import-votes", shared_data / "mturk_results" / "hw7_data.csv",
        "--name", "plain",
        "--labels", "Yes=f,No=n,Naa=o",
    )  # fmt: skip
    assert report["n_votes"] == 29_038
    assert any("Answer.neg_qual_ctrl" in note for note in report["notes"])


@pytest.mark.long
def test_language_models_are_marked_and_their_majority_is_as_good_as_measured(
    shared_data: Path,
) -> None:
    labels = shared_data / "gender_queries" / "queries_gender_annotated.csv"
    run_json(
        "label", "import-votes", shared_data / "gender_queries" / "llm_votes_long.csv",
        "--name", "models",
        "--columns", "query_id=task", "--voters", "model", "--queries", labels,
    )  # fmt: skip
    found = run_json("batch", "agreement", "models")
    assert found["n_votes"] == 18_586
    assert found["krippendorff_alpha"]["value"] == pytest.approx(0.733049, abs=5e-7)
    assert found["ties"] == 20
    assert any("language models" in warning for warning in found["warnings"])
    run_json("label", "decide", "models")
    run_json("label", "import", labels, "--name", "released")
    released = dict(Label.objects.filter(method="released").values_list("query__qid", "value"))
    decided = Label.objects.filter(method="majority").exclude(value="tie")
    right = sum(released[qid] == value for qid, value in decided.values_list("query__qid", "value"))
    assert (right, decided.count()) == (3_194, 3_730)


def test_released_labels_come_out_as_they_went_in(shared_data: Path, tmp_path: Path) -> None:
    source = shared_data / "gender_queries" / "queries_gender_annotated.csv"
    report = run_json("label", "import", source, "--name", "released")
    # Rekabsaz & Schedl 2020, section 4: 1,765 + 742 + 1,202 + 41 = 3,750.
    assert report["labels"] == {"n": 1_765, "f": 742, "m": 1_202, "o": 41}
    given = source.read_bytes().split(b"\n")
    out = tmp_path / "out.csv"
    run_json("label", "export", "released", "--category", "n", "--output", out)
    wanted = [line for line in given if line.endswith(b",n")]
    assert out.read_bytes() == b"\n".join(wanted) + b"\n"
    assert len(wanted) == 1_765
    assert sum(line.count(b",") > 2 for line in given) == 22
    run_json("label", "export", "released", "--category", "all", "--output", out)
    assert out.read_bytes().rstrip(b"\n") == source.read_bytes().rstrip(b"\n")


@pytest.mark.long
def test_the_number_of_statements_does_not_grow_with_the_votes(shared_data: Path) -> None:
    with CaptureQueriesContext(connection) as small:
        import_dog4(shared_data, "three", "votes_first3.csv")
    with CaptureQueriesContext(connection) as large:
        import_dog4(shared_data, "ten")
    # SQLite takes 999 values per statement, which is some 140 votes, or somewhat more of their
    # choices; PostgreSQL 2,000 of each.
    assert len(large) - len(small) <= 2 * (8_070 - 2_421) / 130


@pytest.mark.long
def test_nothing_of_a_refused_import_is_stored(shared_data: Path) -> None:
    with pytest.raises(CommandError, match=r"hw7_data\.csv:\d+: .*'Naa'"):
        run_json(
            "label", "import-votes", shared_data / "mturk_results" / "hw7_data.csv",
        "--name", "half",
            "--labels", "Yes=f,No=n",
        )  # fmt: skip
    assert not Batch.objects.exists()
    assert not Vote.objects.exists()
