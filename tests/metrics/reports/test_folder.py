"""A report is written into its own folder, and over nothing else."""

from pathlib import Path

import pytest

from metrics.errors import InputError
from metrics.reports.build import Report
from metrics.reports.folder import write_report

_REPORT = Report("Title", [], [], [], [], "run,qid\n")


def test_a_report_is_replaced_by_the_next(tmp_path: Path) -> None:
    first = write_report(_REPORT, tmp_path)
    assert write_report(_REPORT, tmp_path) == first


def test_a_file_that_was_there_before_any_report_stays(tmp_path: Path) -> None:
    (tmp_path / "per_query.csv").write_text("my values\n")

    with pytest.raises(InputError) as caught:
        write_report(_REPORT, tmp_path)

    assert caught.value.path == str(tmp_path / "per_query.csv")
    assert [path.name for path in tmp_path.iterdir()] == ["per_query.csv"]
    assert (tmp_path / "per_query.csv").read_text() == "my values\n"
    write_report(_REPORT, tmp_path, force=True)
    assert (tmp_path / "per_query.csv").read_text() == "run,qid\n"


def test_an_input_in_the_folder_of_an_earlier_report_stays(tmp_path: Path) -> None:
    write_report(_REPORT, tmp_path)
    queries = tmp_path / "per_query.csv"

    with pytest.raises(InputError):
        write_report(_REPORT, tmp_path, inputs=[str(queries)], force=True)
