"""No command destroys a file that it reads, or one that is not a result of its own."""

import os
import re
from argparse import Action
from collections.abc import Callable
from pathlib import Path

import pytest

from annotation.labels.export.formats import LABEL_FORMATS
from config.program import VERBS
from metrics.io.outputs import InputFile, OutputFile, OutputFolder
from tests import commands, program
from tests.site import every_command

_TEXTS = {"a": "she saw him and him", "b": "her", "c": "the king"}
_SPELLINGS: dict[str, Callable[[Path], Path]] = {
    "same name": lambda path: path,
    "through another folder": lambda path: path.parent / "folder" / ".." / path.name,
    "symbolic link": lambda path: _linked(path, path.with_name("link"), os.symlink),
    "hard link": lambda path: _linked(path, path.with_name("link"), os.link),
}


def _is_on_files(*words: object) -> bool:
    """Whether it is a verb of `fairpool`, some of which are nouns of `manage.py`."""
    return words[0] in VERBS and words[1] not in ("build", "make")


def run(*words: object) -> str:
    """The output of a command of the program that has it."""
    return program.run(*words) if _is_on_files(*words) else commands.run(*words)


def failure(*words: object) -> str:
    return program.failure(*words) if _is_on_files(*words) else commands.failure(*words)


def _linked(path: Path, link: Path, make: Callable[[Path, Path], None]) -> Path:
    make(path, link)
    return link


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with one input of each kind."""
    (tmp_path / "folder").mkdir()
    lines = "".join(f"{docno}\t{text}\n" for docno, text in _TEXTS.items())
    (tmp_path / "c.tsv").write_text(lines, encoding="utf-8")
    (tmp_path / "r.run").write_text("1 Q0 a 1 2 t\n1 Q0 b 2 1 t\n", encoding="utf-8")
    (tmp_path / "q.tsv").write_text("1\twho was the queen\n", encoding="utf-8")
    (tmp_path / "qrels").write_text("1 0 a 1\n", encoding="utf-8")
    (tmp_path / "words.csv").write_text("word,group\nshe,f\nhe,m\n", encoding="utf-8")
    (tmp_path / "pairs.csv").write_text("she,he\n", encoding="utf-8")
    run("score", tmp_path / "c.tsv", "--output", tmp_path / "m.parquet")
    return tmp_path


#: Each command with an output: its arguments with `{f}` for the folder, the option that writes, and
#: the inputs that it must not write to.
_SCORED = ("--scores", "{f}/m.parquet", "--run", "R={f}/r.run")
_RERANKED = ("--run", "{f}/r.run", "--scores", "{f}/m.parquet")
_CASES = {
    "score": (
        ("{f}/c.tsv", "--lexicon", "{f}/words.csv"),
        "--output",
        ("c.tsv", "words.csv"),
    ),
    "measure": (
        (*_SCORED, "--queries", "{f}/q.tsv", "--qrels", "{f}/qrels"),
        "--output",
        ("m.parquet", "r.run", "q.tsv", "qrels"),
    ),
    "measure: values": (_SCORED, "--per-query", ("m.parquet", "r.run")),
    "compare": (
        ("--run", "R={f}/r.run", "--run", "S={f}/r.run", "--queries", "{f}/q.tsv"),
        "--output",
        ("r.run", "q.tsv"),
    ),
    "compare: values": (
        ("--run", "R={f}/r.run", "--run", "S={f}/r.run"),
        "--per-query",
        ("r.run",),
    ),
    "counterfactual": (
        ("{f}/c.tsv", "--words", "{f}/pairs.csv"),
        "--output",
        ("c.tsv", "pairs.csv"),
    ),
    "explain": (
        ("1", "--run", "R={f}/r.run", "--collection", "{f}/c.tsv", "--queries", "{f}/q.tsv"),
        "--html",
        ("r.run", "c.tsv", "q.tsv"),
    ),
    "pool build": (
        ("--name", "P", *_SCORED, "--queries", "{f}/q.tsv"),
        "--output",
        ("q.tsv", "r.run", "m.parquet"),
    ),
    "balance": (
        (*_RERANKED, "--method", "mmr", "--strength", "0.5"),
        "--output",
        ("m.parquet", "r.run"),
    ),
    "balance: front": (
        (*_RERANKED, "--method", "mmr", "--qrels", "{f}/qrels"),
        "--sweep",
        ("m.parquet", "r.run", "qrels"),
    ),
}
#: The options of commands that need torch; they end before it is loaded.
_TEXTS_OF_QUERIES = ("--collection", "{f}/c.tsv", "--queries", "{f}/q.tsv")
_NEURAL = {
    "rerank": (
        ("--model", "m", "--run", "{f}/r.run", *_TEXTS_OF_QUERIES),
        ("r.run", "c.tsv", "q.tsv"),
    ),
    "rank --dense": (
        ("--model", "m", "--index", "{f}/folder", *_TEXTS_OF_QUERIES),
        ("c.tsv", "q.tsv"),
    ),
    "grepbias train": (
        ("--mode", "full", "--train-on", "all", "--encoder", "m", "--data", "{f}"),
        ("c.tsv", "q.tsv"),
    ),
}


def _store_batch(folder: Path) -> None:
    (folder / "labels.csv").write_text("1,who was the queen,n\n", encoding="utf-8")
    run("label", "import", folder / "labels.csv", "--name", "B")


def _call(case: str, folder: Path, *more: object) -> list[object]:
    arguments, option, _inputs = _CASES[case]
    return [
        *case.partition(":")[0].split(),
        *(one.format(f=folder) for one in arguments),
        option,
        *more,
    ]


@pytest.mark.django_db
@pytest.mark.parametrize("force", [(), ("--force",)])
@pytest.mark.parametrize(
    ("case", "name"), [(case, name) for case, (_, _, names) in _CASES.items() for name in names]
)
def test_an_input_is_never_written_to(
    folder: Path, case: str, name: str, force: tuple[str, ...]
) -> None:
    before = (folder / name).read_bytes()

    said = failure(*_call(case, folder, folder / name, *force))

    assert str(folder / name) in said
    assert (folder / name).read_bytes() == before


@pytest.mark.parametrize("spelling", _SPELLINGS)
def test_another_spelling_does_not_hide_an_input(folder: Path, spelling: str) -> None:
    before = (folder / "c.tsv").read_bytes()
    output = _SPELLINGS[spelling](folder / "c.tsv")

    failure("score", folder / "c.tsv", "--output", output, "--force")

    assert (folder / "c.tsv").read_bytes() == output.read_bytes() == before


def test_what_is_written_beside_a_result_hits_no_input_either(folder: Path) -> None:
    run_file = (folder / "r.run").rename(folder / "table.meta.json")
    arguments = ["--scores", folder / "m.parquet", "--run", f"R={run_file}"]

    failure("measure", *arguments, "--output", folder / "table", "--force")

    assert run_file.read_text().startswith("1 Q0 a")


def test_two_outputs_are_two_files(folder: Path) -> None:
    failure(*_call("measure", folder, folder / "new"), "--per-query", folder / "new")
    assert not (folder / "new").exists()


@pytest.mark.django_db
@pytest.mark.parametrize("case", _CASES)
def test_a_file_of_another_kind_is_replaced_by_force_alone(folder: Path, case: str) -> None:
    _store_batch(folder)
    precious = folder / "precious"
    precious.write_text("my notes\n", encoding="utf-8")

    said = failure(*_call(case, folder, precious))

    assert "--force" in said
    assert precious.read_text(encoding="utf-8") == "my notes\n"
    run(*_call(case, folder, precious, "--force"))
    assert precious.read_bytes() != b"my notes\n"


@pytest.mark.django_db
@pytest.mark.parametrize("case", [case for case in _CASES if case != "pool build"])
def test_a_result_is_replaced_by_the_next(folder: Path, case: str) -> None:
    _store_batch(folder)
    run(*_call(case, folder, folder / "result"))
    first = (folder / "result").read_bytes()

    run(*_call(case, folder, folder / "result"))

    assert (folder / "result").read_bytes() == first


@pytest.mark.parametrize("format_", ["csv", "md", "latex", "json"])
def test_a_table_is_replaced_by_one_in_another_format(folder: Path, format_: str) -> None:
    run(*_call("measure", folder, folder / "table", "--format", format_))
    run(*_call("measure", folder, folder / "table"))
    assert (folder / "table").read_text().startswith("run,measure")


def test_an_empty_file_is_replaced(folder: Path) -> None:
    (folder / "empty").touch()
    run(*_call("score", folder, folder / "empty"))
    assert (folder / "empty").stat().st_size


def test_a_collection_may_be_extended_in_its_place(folder: Path) -> None:
    (folder / "more.tsv").write_text("d\tthe queen\n", encoding="utf-8")
    scored = folder / "m.parquet"

    said = run("score", folder / "more.tsv", "--extend", scored, "--output", scored)

    assert "4 passages" in said


@pytest.mark.django_db
@pytest.mark.parametrize("format_", [one.name for one in LABEL_FORMATS.values() if not one.rule])
def test_an_export_replaces_an_export_only(folder: Path, format_: str) -> None:
    _store_batch(folder)
    export = ["label", "export", "B", "--format", format_, "--category", "all", "--output"]
    notes = folder / "notes"
    notes.write_text("my notes\n", encoding="utf-8")

    failure(*export, notes)

    assert notes.read_text(encoding="utf-8") == "my notes\n"
    run(*export, folder / "queries")
    run(*export, folder / "queries")


def test_a_page_of_somebody_else_is_not_taken_for_a_report(folder: Path) -> None:
    page = folder / "index.html"
    page.write_text("<!doctype html><p>My site", encoding="utf-8")
    scored = [one.format(f=folder) for one in _SCORED]

    failure("report", "make", "--queries", folder / "q.tsv", *scored, "--output", folder)

    assert page.read_text(encoding="utf-8") == "<!doctype html><p>My site"


def test_a_run_of_somebody_else_is_not_replaced(folder: Path) -> None:
    theirs = folder / "runs" / "BM25.run"
    theirs.parent.mkdir()
    theirs.write_text("1 Q0 a 1 2 anserini\n", encoding="utf-8")
    arguments = ["--collection", folder / "c.tsv", "--queries", folder / "q.tsv"]
    rank = ["rank", *arguments, "--rankers", "BM25", "--output", folder / "runs"]

    failure(*rank)

    assert theirs.read_text(encoding="utf-8") == "1 Q0 a 1 2 anserini\n"
    run(*rank, "--force")
    run(*rank)


def test_a_ranking_hits_no_input(folder: Path) -> None:
    collection = (folder / "c.tsv").rename(folder / "BM25.run")
    arguments = ["--collection", collection, "--queries", folder / "q.tsv", "--output", folder]

    failure("rank", *arguments, "--rankers", "BM25", "--force")

    assert collection.read_text().startswith("a\tshe")


def test_a_device_is_written_to_as_it_is(folder: Path) -> None:
    run(*_call("measure", folder, "/dev/null"))
    assert Path("/dev/null").is_char_device()


def test_values_of_options_stay_text(folder: Path) -> None:
    assert isinstance(InputFile(str(folder)), str)
    assert OutputFile("x") == "x"


@pytest.mark.parametrize("force", [(), ("--force",)])
@pytest.mark.parametrize(
    ("command", "name"),
    [(command, name) for command, (_, names) in _NEURAL.items() for name in names],
)
def test_a_neural_command_ends_before_it_hits_an_input(
    folder: Path, command: str, name: str, force: tuple[str, ...]
) -> None:
    before = (folder / name).read_bytes()
    arguments = [one.format(f=folder) for one in _NEURAL[command][0]]

    said = failure(*command.split(), *arguments, "--output", folder / name, *force)

    assert str(folder / name) in said
    assert (folder / name).read_bytes() == before


@pytest.mark.parametrize("command", _NEURAL)
def test_a_neural_command_replaces_nothing_of_another_kind(folder: Path, command: str) -> None:
    notes = folder / "folder" / "notes"
    notes.write_text("my notes\n", encoding="utf-8")
    arguments = [one.format(f=folder) for one in _NEURAL[command][0]]

    assert "--force" in failure(*command.split(), *arguments, "--output", notes)

    assert notes.read_text(encoding="utf-8") == "my notes\n"


def _training(folder: Path) -> list[object]:
    texts = [one.format(f=folder) for one in _TEXTS_OF_QUERIES]
    return ["train", "--model", "knrm", *texts, "--qrels", folder / "qrels"]


@pytest.mark.parametrize("force", [(), ("--force",)])
def test_a_model_replaces_no_folder_with_an_input(folder: Path, force: tuple[str, ...]) -> None:
    (folder / "model.json").write_text("{}", encoding="utf-8")

    said = failure(*_training(folder), "--output", folder / "folder" / "..", *force)

    assert str(folder / "c.tsv") in said


def test_a_model_does_not_replace_the_one_that_it_begins_with(folder: Path) -> None:
    first = folder / "first"
    first.mkdir()
    (first / "model.json").write_text("{}", encoding="utf-8")

    said = failure(*_training(folder), "--init", first, "--output", first, "--force")

    assert str(first) in said


def test_a_model_replaces_a_folder_of_models_only(folder: Path) -> None:
    precious = folder / "precious"
    precious.mkdir()
    (precious / "notes").write_text("my notes\n", encoding="utf-8")

    assert "--force" in failure(*_training(folder), "--output", precious)

    assert (precious / "notes").is_file()


def _field_table(folder: Path, pattern: str = "*.run") -> list[object]:
    arguments = ["--scores", folder / "m.parquet", "--queries", folder / "q.tsv"]
    return ["table", "--run", folder / pattern, *arguments, "--output"]


def test_a_field_table_spares_the_files_of_a_folder(folder: Path) -> None:
    theirs = folder / "table.csv"
    theirs.write_text("mine\n", encoding="utf-8")

    assert "--force" in failure(*_field_table(folder), folder)

    assert theirs.read_text(encoding="utf-8") == "mine\n"
    run(*_field_table(folder), folder / "table")
    run(*_field_table(folder), folder / "table")


def test_a_field_table_hits_no_run_of_its_pattern(folder: Path) -> None:
    read = (folder / "r.run").rename(folder / "table.md")

    failure(*_field_table(folder, "*.md"), folder, "--force")

    assert read.read_text().startswith("1 Q0 a")


def test_a_report_on_grep_biasir_hits_nothing_that_it_reads(folder: Path) -> None:
    logits = (folder / "q.tsv").rename(folder / "report.md")
    report = ["grepbias", "report", logits, "--data", folder / "folder", "--output", folder]

    assert str(logits) in failure(*report, "--force")

    assert logits.read_text().startswith("1\twho")


def test_a_demonstration_spares_the_page_of_somebody_else(folder: Path) -> None:
    (folder / "index.html").write_text("<!doctype html><p>My site", encoding="utf-8")
    assert "--force" in failure("demo", "--output", folder)


#: What an option is called that names something to be written, in any command.
_WRITES = {"output", "output_dir", "per_query", "html", "sweep"}
#: They check what they write themselves, when its names are known.
_CHECKED_LATER = {
    "fairpool rank --output",
    "fairpool report --output",
    "report make --output",
}


def _outputs() -> list[tuple[str, Action]]:
    return [(name, one) for name, one in every_command.options() if one.dest in _WRITES]


@pytest.mark.parametrize(
    ("name", "action"), [pytest.param(*one, id=f"{one[0]} {one[1].dest}") for one in _outputs()]
)
def test_every_command_writes_through_one_place(name: str, action: Action) -> None:
    assert "--force" in every_command.parser_of(name).format_help()
    if f"{name} {action.option_strings[-1]}" not in _CHECKED_LATER:
        assert callable(action.type)
        assert isinstance(action.type("x"), OutputFile | OutputFolder)


@pytest.mark.parametrize("name", sorted({name for name, _action in _outputs()}))
def test_what_such_a_command_reads_is_known_as_an_input(name: str) -> None:
    for action in (one for command, one in every_command.options() if command == name):
        shown = str(action.metavar)
        if action.dest in _WRITES or not re.search(r"FILE|PATH|\.(run|parquet|csv|tsv)$", shown):
            continue
        assert callable(action.type), action.option_strings
        assert isinstance(action.type("x"), InputFile), action.option_strings
