"""`fairpool measure` in one step: a collection and runs in, a table out."""

import io
import sys
from pathlib import Path

import pytest

from metrics.errors import InputError
from metrics.texts import kept_scores
from tests.program import failure, run, run_json

RUN = "q1 Q0 d1 1 2.0 x\nq1 Q0 d2 2 1.0 x\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("FAIRPOOL_CACHE_DIR", str(tmp_path / "cache"))
    (tmp_path / "c.tsv").write_text("d1\tHe saw his father.\nd2\tShe left.\n")
    (tmp_path / "runs").mkdir()
    for name in "AB":
        (tmp_path / "runs" / f"{name}.run").write_text(RUN)
    return tmp_path


def measured(folder: Path, *options: object) -> list[dict[str, object]]:
    call = ("measure", "-c", folder / "c.tsv", "-m", "RaB", "-k", "2", *options)
    rows: list[dict[str, object]] = run_json(*call)["rows"]
    return rows


def test_a_collection_gives_the_values_of_its_scores(folder: Path) -> None:
    run("score", folder / "c.tsv", "--output", folder / "m.parquet")
    arguments = ["--run", f"A={folder / 'runs' / 'A.run'}", "--measure", "RaB", "--cutoff", "2"]

    scored = run("measure", "--scores", folder / "m.parquet", *arguments)

    assert run("measure", "--collection", folder / "c.tsv", *arguments) == scored


def test_a_collection_is_scored_once(folder: Path) -> None:
    first = measured(folder, "-r", folder / "runs")
    [kept] = (folder / "cache").iterdir()
    made = kept.stat().st_mtime_ns

    assert measured(folder, "-r", folder / "runs") == first
    assert [path.stat().st_mtime_ns for path in (folder / "cache").iterdir()] == [made]


def test_other_texts_words_or_tokens_are_scored_anew(folder: Path) -> None:
    measured(folder, "-r", folder / "runs")
    measured(folder, "-r", folder / "runs", "--tokenizer", "whitespace")
    measured(folder, "-r", folder / "runs", "--lexicon", "rekabsaz_kopeinik_schedl_2021")
    (folder / "c.tsv").write_text("d1\tHer.\nd2\tShe left.\n")
    [first, _] = measured(folder, "-r", folder / "runs")

    assert len(list((folder / "cache").iterdir())) == 4
    assert str(first["value"]).startswith("-")


def test_scores_are_kept_in_the_folder_for_such_files(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("FAIRPOOL_CACHE_DIR")
    monkeypatch.setenv("XDG_CACHE_HOME", str(folder / "own"))
    assert kept_scores.cache_folder() == folder / "own" / "fairpool"
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert kept_scores.cache_folder() == Path.home() / ".cache" / "fairpool"


def test_without_a_home_scores_are_kept_until_the_program_ends(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    there = measured(folder, "-r", folder / "runs")
    monkeypatch.delenv("FAIRPOOL_CACHE_DIR")
    monkeypatch.setenv("XDG_CACHE_HOME", str(folder / "c.tsv"))  # no folder, and none can be made

    assert measured(folder, "-r", folder / "runs") == there
    assert list(kept_scores.cache_folder().iterdir())
    assert kept_scores.cache_folder().stat().st_mode & 0o077 == 0


@pytest.mark.parametrize("spelling", ["folder", "pattern", "paths", "names"])
def test_runs_are_named_after_their_files(folder: Path, spelling: str) -> None:
    (folder / "runs" / "A.counterfactual.run").write_text(RUN)
    (folder / "runs" / "A.run.meta.json").write_text("{}")
    runs = folder / "runs"
    spellings: dict[str, list[object]] = {
        "folder": [runs],
        "pattern": [runs / "*.run"],
        "paths": [runs / "A.run", runs / "B.run"],
        "names": [f"A={runs / 'A.run'}", f"B={runs / 'B.run'}"],
    }
    options = spellings[spelling]

    rows = measured(folder, *[part for option in options for part in ("--run", str(option))])

    assert [row["run"] for row in rows] == ["A", "B"]


@pytest.mark.parametrize("option", ["--run", "--collection", "--queries", "--qrels", "--lexicon"])
def test_standard_input_may_be_any_one_input(
    folder: Path, monkeypatch: pytest.MonkeyPatch, option: str
) -> None:
    inputs = {
        "--run": RUN,
        "--collection": (folder / "c.tsv").read_text(),
        "--queries": "q1\n",
        "--qrels": "q1 0 d1 1\n",
        "--lexicon": "she,f\nhe,m\n",
    }
    values: dict[str, object] = {
        "--run": folder / "runs" / "A.run",
        "--collection": folder / "c.tsv",
    }
    files = values | {option: folder / "input.txt"}
    (folder / "input.txt").write_text(inputs[option])
    expected = run("measure", *[part for pair in files.items() for part in pair])

    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(inputs[option].encode())))
    piped = run("measure", *[part for pair in (values | {option: "-"}).items() for part in pair])

    assert [line.split(",")[1:] for line in piped.splitlines()] == [
        line.split(",")[1:] for line in expected.splitlines()
    ]


def test_standard_input_is_read_once(folder: Path) -> None:
    said = failure("measure", "--collection", "-", "--run", "A=-")
    assert "standard input" in said


def test_scores_and_texts_are_not_mixed_up(folder: Path) -> None:
    runs = ["--run", folder / "runs"]
    assert "--collection" in failure("measure", *runs)
    run("score", folder / "c.tsv", "--output", folder / "m.parquet")
    said = failure("measure", *runs, "--scores", folder / "m.parquet", "--tokenizer", "word")
    assert "--tokenizer" in said


@pytest.mark.parametrize("written", ["/etc/passwd", "/proc/kept", "$HOME/kept", "~/kept"])
def test_a_folder_of_scores_that_cannot_be_one_names_its_variable(
    monkeypatch: pytest.MonkeyPatch, written: str
) -> None:
    monkeypatch.setenv("FAIRPOOL_CACHE_DIR", written)
    with pytest.raises(InputError, match="FAIRPOOL_CACHE_DIR"):
        kept_scores.cache_folder()
