"""The command as a user runs it: a process with its own signals and limits."""

import gzip
import json
import os
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from metrics.texts.magnitude_store import open_magnitudes


def command(*arguments: object) -> list[str]:
    return [sys.executable, "-m", "config.program", "score", *map(str, arguments)]


def environment(folder: Path) -> dict[str, str]:
    return {**os.environ, "FAIRPOOL_DATA_DIR": str(folder / "var")}


def run(folder: Path, *arguments: object, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        command(*arguments),
        input=stdin,
        capture_output=True,
        check=False,
        env=environment(folder),
        timeout=600,
    )


def said(result: subprocess.CompletedProcess[bytes]) -> list[bytes]:
    """Standard error without the progress that a slow machine is told."""
    return [line for line in result.stderr.splitlines() if b"MB/s" not in line]


def names_in(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()} - {"var"}


@pytest.fixture
def collection(tmp_path: Path) -> Path:
    path = tmp_path / "c.tsv"
    path.write_bytes(b"".join(b"D%d\tHe said she, her and %d\n" % (i, i) for i in range(1000)))
    return path


def test_it_writes_the_file_and_says_so(tmp_path: Path, collection: Path) -> None:
    result = run(tmp_path, collection, "--output", tmp_path / "m.parquet")

    assert (result.returncode, said(result)) == (0, [])
    assert b"1,000 passages" in result.stdout
    assert open_magnitudes(tmp_path / "m.parquet").tc["f"].tolist() == [2] * 1000


def test_json_is_one_object_and_nothing_else(tmp_path: Path, collection: Path) -> None:
    output = tmp_path / "m.parquet"
    result = run(tmp_path, collection, "--output", output, "--tokenizer", "whitespace", "--json")

    summary = json.loads(result.stdout)
    assert summary["n_documents"] == 1000
    assert summary["tokenizer"] == "whitespace"
    assert summary["groups"] == ["f", "m"]


@pytest.mark.long
def test_a_compressed_collection_and_standard_input_give_the_same_scores(
    tmp_path: Path, collection: Path
) -> None:
    packed = tmp_path / "c.tsv.gz"
    packed.write_bytes(gzip.compress(collection.read_bytes()))
    run(tmp_path, packed, "--output", tmp_path / "gz.parquet")
    run(tmp_path, "-", "--output", tmp_path / "-.parquet", stdin=collection.read_bytes())

    first, second = (open_magnitudes(tmp_path / f"{name}.parquet") for name in ("gz", "-"))
    assert first.docnos == second.docnos
    assert first.tf["f"].tobytes() == second.tf["f"].tobytes()
    assert second.metadata.collection_name == "-"


def test_a_word_list_with_three_groups_gives_three_pairs_of_columns(
    tmp_path: Path, collection: Path
) -> None:
    words = tmp_path / "words.csv"
    words.write_text("she,f\nhe,m\nsaid,other\nstep-mother,f\n")
    output = tmp_path / "m.parquet"
    result = run(tmp_path, collection, "--output", output, "--lexicon", words, "--json")

    assert b"never makes: step-mother" in result.stderr
    assert json.loads(result.stdout)["lexicon_name"] == "words"
    assert open_magnitudes(output).groups == ("f", "m", "other")


def measure(run_file: Path, scores: Path, *measure: str) -> subprocess.CompletedProcess[str]:
    words = ["measure", "--run", f"a={run_file}", "--scores", str(scores), "--measure", *measure]
    program = [sys.executable, "-m", "config.program", *words]
    return subprocess.run(program, capture_output=True, text=True, check=False, timeout=600)


@pytest.mark.long
def test_documents_of_a_run_alone_are_measured_as_with_all(
    tmp_path: Path, collection: Path
) -> None:
    named = tmp_path / "a.run"
    named.write_text("".join(f"1 Q0 D{i} {i + 1} {-i} a\n" for i in range(5)) + "1 Q0 no 6 -9 a\n")
    whole, part = tmp_path / "whole.parquet", tmp_path / "part.parquet"
    run(tmp_path, collection, "--output", whole)
    result = run(tmp_path, collection, "--output", part, "--only-run", named)
    measured = [
        measure(named, scores, "ARaB", "--missing", "skip").stdout for scores in (whole, part)
    ]

    assert (result.returncode, result.stderr.count(b"1 of the 6 documents")) == (0, 1)
    assert open_magnitudes(part).n_documents == 5
    assert measured[0] == measured[1] != ""
    refused = measure(named, part, "NFaiRR", "--background", "collection", "--missing", "skip")
    assert (refused.returncode, "--only-run" in refused.stderr) == (1, True)


@pytest.mark.long
@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"1\ta\n2 b\n", b"c.tsv:2: no tab."),
        (b"1\ta\n1\tb\n", b"c.tsv:2: the docno is that of line 1."),
        (b"1\ta\n2\t\xff\n", b"c.tsv:2: not UTF-8."),
        (b"", b"c.tsv: no passages"),
    ],
)
def test_bad_input_is_one_plain_line_and_exit_status_1(
    tmp_path: Path, collection: Path, content: bytes, message: bytes
) -> None:
    collection.write_bytes(content)
    result = run(tmp_path, collection, "--output", tmp_path / "m.parquet")

    assert result.returncode == 1
    assert message in result.stderr
    assert b"Traceback" not in result.stderr
    assert names_in(tmp_path) == {"c.tsv"}


@pytest.mark.parametrize(
    "arguments",
    [
        ["c.tsv"],
        ["c.tsv", "--output", "m", "--format", "xml"],
        ["c.tsv", "--output", "m", "--processes", "0"],
    ],
)
def test_usage_errors_have_exit_status_2(tmp_path: Path, arguments: list[str]) -> None:
    assert run(tmp_path, *arguments).returncode == 2


@pytest.mark.long
@pytest.mark.timed
def test_control_c_in_the_middle_leaves_nothing(tmp_path: Path) -> None:
    output = tmp_path / "out" / "m.parquet"
    output.parent.mkdir()
    with subprocess.Popen(
        command("-", "--output", output, "--quiet"),
        stdin=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(tmp_path),
    ) as process:
        assert process.stdin is not None
        assert process.stderr is not None
        process.stdin.write(b"".join(b"%d\the\n" % i for i in range(1000)))
        process.stdin.flush()
        deadline = time.monotonic() + 300
        while not any(output.parent.iterdir()) and time.monotonic() < deadline:
            time.sleep(0.02)
        assert any(output.parent.iterdir())  # it has begun to write
        process.send_signal(signal.SIGINT)

        assert process.wait(timeout=300) == 1
        assert process.stderr.read().startswith(b"fairpool score: Interrupted.")
    assert list(output.parent.iterdir()) == []


@pytest.mark.long
def test_a_disk_that_fills_up_leaves_nothing(tmp_path: Path) -> None:
    collection, output = tmp_path / "c.tsv", tmp_path / "out" / "m.parquet"
    output.parent.mkdir()
    collection.write_bytes(b"d1\the\n")
    # What this machine has compiled is kept in files that are larger than the limit, too.
    assert run(tmp_path, collection, "--output", tmp_path / "warm.parquet").returncode == 0
    collection.write_bytes(b"".join(b"D%d\the\n" % (i * i * 7919) for i in range(60_000)))

    result = subprocess.run(
        command(collection, "--output", output),
        capture_output=True,
        check=False,
        env=environment(tmp_path),
        timeout=600,
        # A write beyond this size fails as it does on a full disk.
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000)),
    )

    assert result.returncode == 1
    assert b"File too large" in result.stderr
    assert b"Traceback" not in result.stderr
    assert list(output.parent.iterdir()) == []


def test_the_help_ends_with_an_example(tmp_path: Path) -> None:
    result = run(tmp_path, "--help")

    assert result.stdout.decode().rstrip().splitlines()[-1].strip().startswith("fairpool score ")


@pytest.mark.long
def test_to_start_loads_nothing_that_scoring_does_not_need(tmp_path: Path) -> None:
    (tmp_path / "c.tsv").write_bytes(b"1\tshe\n")
    line = command(tmp_path / "c.tsv", "--output", tmp_path / "m.parquet", "--quiet")
    result = subprocess.run(
        [line[0], "-X", "importtime", *line[1:]],
        capture_output=True,
        check=True,
        env=environment(tmp_path),
        timeout=600,
    )
    loaded = {line.rpartition(b"|")[2].strip() for line in result.stderr.splitlines()}

    assert b"metrics.texts.scoring" in loaded
    assert not loaded & {b"numba", b"scipy", b"pandas", b"matplotlib", b"pyarrow.compute"}


@pytest.mark.long
def test_a_collection_is_extended_in_its_place(tmp_path: Path) -> None:
    (tmp_path / "c.tsv").write_bytes(b"1\tshe\n")
    run(tmp_path, tmp_path / "c.tsv", "--output", tmp_path / "m.parquet")
    (tmp_path / "d.tsv").write_bytes(b"2\the\n")
    more = (
        tmp_path / "d.tsv",
        "--output",
        tmp_path / "m.parquet",
        "--extend",
        tmp_path / "m.parquet",
    )

    assert run(tmp_path, *more).returncode == 0
    assert open_magnitudes(tmp_path / "m.parquet").docnos == ["1", "2"]
