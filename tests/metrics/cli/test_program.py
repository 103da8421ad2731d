"""`fairpool COMMAND`: the measuring commands without Django."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from django.apps import apps
from django.core.management import find_commands

from config.program import VERBS, main
from tests.program import failure

RUN = "q1 Q0 d1 1 2.0 x\nq1 Q0 d2 2 1.0 x\n"


@pytest.fixture
def study(tmp_path: Path) -> dict[str, Path]:
    files = {name: tmp_path / name for name in ("collection.tsv", "m.parquet", "a.run")}
    files["collection.tsv"].write_text("d1\tHe saw his father.\nd2\tShe left.\n")
    files["a.run"].write_text(RUN)
    assert main(["score", str(files["collection.tsv"]), "--quiet", "--output",
                 str(files["m.parquet"])]) == 0  # fmt: skip
    return files


def modules_after(*arguments: str) -> set[str]:
    """What a process has imported when it has run the program with these arguments."""
    code = (
        "import contextlib, io, sys\n"
        "from config.program import main\n"
        "with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit):\n"
        f"    main({list(arguments)!r})\n"
        "print(*sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def test_no_command_is_in_both_programs() -> None:
    of_the_site = {
        name
        for app in apps.get_app_configs()
        if app.name.partition(".")[0] in {"metrics", "pooling", "rankers", "annotation"}
        for name in find_commands(str(Path(app.path) / "management"))
    }

    # These are nouns of the site: `report make` and `pool build` store what they make.
    assert {name.replace("_", "-") for name in of_the_site} & set(VERBS) <= {"report", "pool"}


def test_the_list_of_commands_is_short(capsys: pytest.CaptureFixture[str]) -> None:
    assert sum(bool(verb.summary) for verb in VERBS.values()) <= 15
    with pytest.raises(SystemExit):
        main(["--help"])

    shown = capsys.readouterr().out
    assert all(name in shown for name in VERBS)


def test_version_and_help_import_nothing_that_computes() -> None:
    for arguments in (["--version"], ["--help"], ["measure", "--help"]):
        assert modules_after(*arguments) & {"numpy", "pyarrow", "numba", "django"} == set()


def test_measuring_a_small_run_needs_neither_django_nor_compiled_kernels(
    study: dict[str, Path],
) -> None:
    modules = modules_after(
        "measure", "--scores", str(study["m.parquet"]), "--run", f"a={study['a.run']}"
    )

    assert "numpy" in modules
    assert modules & {"django", "numba", "scipy", "pandas", "matplotlib"} == set()


@pytest.mark.parametrize("name", VERBS)
def test_every_command_explains_itself_with_an_example(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as end:
        main([name, "--help"])

    assert end.value.code == 0
    assert f"Example:\n  fairpool {name} " in capsys.readouterr().out


def test_bad_input_is_one_line_and_status_1(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    missing = tmp_path / "nothing.tsv"

    status = main(["score", str(missing), "--output", str(tmp_path / "m.parquet")])

    assert status == 1
    assert capsys.readouterr().err == f"fairpool score: {missing}: no such file.\n"
    assert list(tmp_path.iterdir()) == []


def test_a_wrong_call_is_status_2(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        main(["measure", "--nothing"])

    assert end.value.code == 2
    assert "usage: fairpool measure" in capsys.readouterr().err


def test_a_reader_that_has_enough_is_no_error() -> None:
    done = subprocess.run(  # noqa: S602 - the pipe is what is tested
        f"{sys.executable} -m config.program measures | head -1",
        shell=True,
        capture_output=True,
        text=True,
        check=True,
    )

    assert done.stdout.startswith("RaB ")
    assert done.stderr == ""


def test_measures_are_listed_and_explained(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["measures", "ARaB", "--json"]) == 0
    [arab] = json.loads(capsys.readouterr().out)["measures"]
    assert arab["name"] == "ARaB"
    assert arab["parameters"]["magnitude"]["default"] == "tf"

    assert main(["measures", "ARaB"]) == 0
    assert "- Formula: `" in capsys.readouterr().out


def test_the_shell_completes_commands_and_options(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["completion", "bash"]) == 0

    script = capsys.readouterr().out
    assert all(name in script for name in VERBS)
    assert "--scores" in script


@pytest.mark.parametrize(
    ("arguments", "nearest"),
    [
        (["measur"], "measure"),
        (["measure", "--run", "a=a", "--measures", "RaB"], "--measure"),
        (["measure", "--run", "a=a", "--missing", "skib"], "skip"),
        (["balanse"], "balance"),
    ],
)
def test_a_wrong_call_names_the_nearest_known_word(
    capsys: pytest.CaptureFixture[str], arguments: list[str], nearest: str
) -> None:
    with pytest.raises(SystemExit) as end:
        main(arguments)

    assert end.value.code == 2
    assert f"Did you mean {nearest}?" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("measure", "--metrics", "RaB", "-r", "x"), "--metrics. Did you mean --measure?"),
        (("measure", "-r", "x", "--texts", "c.tsv"), "--texts. Did you mean --collection?"),
        (("measure", "-r", "x", "--per_query", "v"), "--per_query. Did you mean --per-query?"),
        (("measure", "-r", "x", "--Top_K=5"), "--Top_K. Did you mean --cutoff?"),
        # Without -r, which it means.
        (("measure", "--runs", "x", "-m", "RaB"), "--runs. Did you mean --run?"),
        (("measure", "-r", "x", "--n_jobs", "4"), "--n_jobs."),
        (("table", "-r", "x", "-o", "t", "--topics", "q"), "--topics. Did you mean --queries?"),
        (("measure", "-r", "x", "-k", "5", "10"), "10. Give a value after its option"),
    ],
)
def test_an_option_by_another_name_is_told_its_own(arguments: tuple[str, ...], says: str) -> None:
    assert f"unknown argument {says}" in failure(*arguments, status=2)
