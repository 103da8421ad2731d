"""What an error of a command advises is there: options of that command, and files as typed."""

import ast
import re
import shlex
import zipfile
from argparse import ArgumentParser
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from config.program import VERBS
from metrics.io.outputs import OutputFile, OutputFolder
from tests import program
from tests.project import ROOT
from tests.site import every_command

#: An option in a sentence, after the program and command where another one's is meant.
_OPTION = re.compile(r"(?:\bfairpool ([a-z-]+) (?:\w+ )?)?(?<![\w-])(--[a-z][a-z-]*)")
#: Whose errors name options without a command: those of the one command that reads by them.
_READ_BY = {"metrics/votes": "", "metrics/texts": "",
            "metrics/runs": "", "metrics/io": ""}  # fmt: skip
#: Parts of names that a shell, a comma or a dollar sign would take apart.
HOSTILE = ["a b", "a,b", "it's", "$HOME", "ä ö", "-x", "x;y", "k1=0.9", "(b)", "*"]

RUN = "q1 Q0 d1 1 2.0 x\nq1 Q0 d9 2 1.0 x\n"
COLLECTION = "d1\tshe is a nurse\nd2\the is a king\n"


def errors_in(path: Path) -> Iterator[str]:
    """The texts of calls that make an `InputError`, each with its line."""
    for call in ast.walk(ast.parse(path.read_text())):
        name = getattr(call, "func", None)
        if isinstance(call, ast.Call) and str(
            getattr(name, "id", getattr(name, "attr", ""))
        ).lower().endswith("error"):
            yield "".join(
                part.value
                for part in ast.walk(call)
                if isinstance(part, ast.Constant) and isinstance(part.value, str)
            )


def missing_options(text: str, command: str) -> list[str]:
    """The options that a text names and that their command, else `command`, does not have."""
    return [
        option
        for other, option in _OPTION.findall(text)
        if option not in known(f"fairpool {other}" if other else command)
    ]


def known(command: str) -> set[str]:
    parser: ArgumentParser | None = every_command.parser_of(command) if command else None
    return set(parser._option_string_actions) if parser else set()


@pytest.mark.parametrize("folder", _READ_BY)
def test_an_error_of_a_reader_names_options_of_the_command_that_reads(folder: str) -> None:
    wrong = {
        (str(path.relative_to(ROOT)), option)
        for path in (ROOT / folder).rglob("*.py")
        for text in errors_in(path)
        for option in missing_options(text, _READ_BY[folder])
    }
    # What writes files is asked for it: the next test.
    assert wrong - {("metrics/io/outputs.py", "--force")} == set()


def test_every_command_that_does_not_replace_a_file_has_force() -> None:
    for name, action in every_command.options():
        made = action.type
        if isinstance(made, type) and issubclass(made, OutputFile | OutputFolder):
            assert "--force" in known(name), name


@pytest.mark.parametrize("name", sorted(VERBS))
def test_a_command_names_its_own_options(name: str) -> None:
    path = ROOT / (type(VERBS[name].load()).__module__.replace(".", "/") + ".py")
    # Commands of a command share its file, and an error is of one of them.
    names = {each for each, _action in every_command.options()}
    mine = [each for each in sorted(names) if f"{each} ".startswith(f"fairpool {name} ")]
    for text in errors_in(path):
        assert [] in [missing_options(text, each) for each in mine], text


@pytest.fixture(params=HOSTILE)
def folder(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A folder and the inputs of a measurement in it, under a name that is hard to type."""
    folder = tmp_path / str(request.param)
    folder.mkdir()
    (folder / "c.tsv").write_text(COLLECTION)
    (folder / "r.run").write_text(RUN)
    (folder / "q.tsv").write_text("q1\twho rules\n")
    return folder


def measure(folder: Path, *words: object) -> list[object]:
    return ["measure", "--run", f"A={folder / 'r.run'}", "--measure", "RaB@2", *words]


def test_unscored_documents_are_counted_as_the_error_says(folder: Path) -> None:
    call = measure(folder, "--collection", folder / "c.tsv")
    said = program.failure(*call)
    assert missing_options(said, "fairpool measure") == []
    advice = re.findall(r"--missing \w+", said)
    assert len(advice) == 2
    for words in advice:
        assert program.run(*call, *shlex.split(words))


def test_a_part_of_a_collection_is_scored_anew_as_the_error_says(folder: Path) -> None:
    score = ["score", folder / "c.tsv", "--only-run", folder / "r.run", "-o", folder / "m.parquet"]
    program.run(*score)
    said = program.failure(*measure(folder, "--scores", folder / "m.parquet"))
    assert "fairpool score --only-run" in said
    assert missing_options(said, "fairpool measure") == []


def test_a_file_that_is_there_is_replaced_as_the_error_says(folder: Path) -> None:
    (folder / "m.parquet").write_text("mine")
    call = ["score", folder / "c.tsv", "-o", folder / "m.parquet"]
    said = program.failure(*call)
    assert "--force" not in said or program.run(*call, "--force")
    assert missing_options(said, "fairpool score") == []


def test_the_file_of_a_zip_is_named_as_the_error_says(folder: Path) -> None:
    path = folder / "q.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for name in ("first set.tsv", "other.tsv"):
            archive.writestr(name, "q1\twho rules\n")
    call = measure(folder, "--collection", folder / "c.tsv", "--missing", "zero", "--queries")
    said = program.failure(*call, path)
    typed = shlex.split(said.rpartition("that you mean: ")[2])
    assert typed == [f"{path}/first set.tsv"]
    assert program.run(*call, *typed)


#: Calls that fail, and their files `{f}`: whatever is wrong, the options advised are there.
WRONG = [
    "measure --run A={f}/r.run --measure RaB",
    "measure --run {f}/r.run --collection {f}/c.tsv --queries {f}/r.run",
    "measure --run {f}/q.tsv --collection {f}/c.tsv",
    "measure --run {f}/r.run --collection {f}/c.tsv --qrels {f}/c.tsv --missing zero",
    "measure --run {f}/r.run --scores {f}/c.tsv",
    "measure --run {f}/r.run --scores {f}/c.tsv --lexicon {f}/q.tsv",
    "measure --run {f}/r.run --collection {f}/c.tsv --liwc {f}/q.tsv --missing zero",
    "measure --run {f}/r.run --collection {f}/c.tsv --measure NFaiRR --missing zero",
    "score {f}/r.run -o {f}/m.parquet",
    "score {f}/c.tsv --lexicon {f}/c.tsv -o {f}/m.parquet",
    "score {f}/c.tsv --only-run {f}/q.tsv -o {f}/m.parquet",
    "score {f}/c.tsv --only-run {f}/r.run --extend {f}/m.parquet -o {f}/n.parquet",
    "table --run {f}/r.run --collection {f}/c.tsv --queries {f}/r.run --output {f}/t",
    "table --run {f}/r.run --collection {f}/c.tsv --queries {f}/q.tsv --output {f}/t",
    "report --run {f}/r.run --collection {f}/c.tsv --output {f}/out",
    "report --run {f}/r.run --collection {f}/c.tsv --queries {f}/c.tsv --output {f}/out",
    "report --run {f}/r.run --scores {f}/m --queries {f}/q.tsv --paired A --output {f}/out",
]


@pytest.mark.parametrize("line", WRONG)
def test_whatever_is_wrong_the_options_that_are_advised_are_there(
    line: str, tmp_path: Path
) -> None:
    folder = tmp_path / "a, 'b' $c"
    folder.mkdir()
    (folder / "c.tsv").write_text(COLLECTION)
    (folder / "r.run").write_text(RUN)
    (folder / "q.tsv").write_text("q1\twho rules\n")
    words = [word.replace("{f}", str(folder)) for word in line.split()]
    said = program.failure(*words)
    assert missing_options(said, f"fairpool {words[0]}") == []


@pytest.mark.django_db
@pytest.mark.parametrize(
    "content", ["q1\n", "", "q 1\n", "q1\tx\nq1\ty\n", RUN, "\0", "qid,x\n1,2"]
)
@pytest.mark.parametrize("name", HOSTILE)
def test_a_file_for_a_batch_is_refused_with_options_that_are_there(
    name: str, content: str, tmp_path: Path
) -> None:
    path = tmp_path / f"{name}.tsv"
    path.write_text(content)
    calls: dict[str, list[Any]] = {
        "batch create": ["batch", "create", "--name", "N", "--queries", str(path)],
        "label import": ["label", "import", str(path), "--name", "N"],
        "label import-votes": ["label", "import-votes", str(path), "--name", "N"],
    }
    for command, words in calls.items():
        said = ""
        try:
            call_command(*words)
        except CommandError as error:
            said = str(error)
        assert missing_options(said, command) == [], said
