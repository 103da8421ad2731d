"""The first use after an installation, when no kernel is compiled yet."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from metrics import kernels

ROOT = Path(__file__).resolve().parents[2]
#: Reads runs, scores a collection, and says whether either loaded the compiler.
READ = """
import sys
from metrics.runs.reading import read_runs
from metrics.texts.scoring import score_collection
runs = read_runs({path: path for path in sys.argv[3:]})
score_collection(sys.argv[1], sys.argv[2])
print(len(runs), "numba" in sys.modules)
"""


def test_small_inputs_do_not_wait_for_the_compiler(tmp_path: Path) -> None:
    line = "{} Q0 D{} {} {} a-tag-that-makes-the-line-longer-than-it-would-need-to-be\n"
    ranked = "".join(line.format(q, d, d + 1, 99 - d) for q in range(350) for d in range(50))
    runs = [tmp_path / f"{name}.run" for name in "ab"]
    for run in runs:
        run.write_text(ranked)
    collection = tmp_path / "c.tsv"
    collection.write_text("".join(f"D{i}\t{'she said ' * 2_000}\n" for i in range(1_000)))
    assert 2 << 20 < 2 * len(ranked) < 3 << 20
    assert collection.stat().st_size > 1 << 24

    ended = subprocess.run(
        [sys.executable, "-c", READ, collection, tmp_path / "m.parquet", *runs],
        cwd=ROOT,
        env={**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / "kept")},
        capture_output=True,
        text=True,
        check=False,
    )

    assert (ended.stdout, ended.stderr) == ("2 False\n", "")


def test_kernels_that_are_kept_are_used_and_those_of_an_earlier_source_are_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    assert kernels.worth_loading(2, "runs") > 2

    tag = f"py{sys.version_info.major}{sys.version_info.minor}"
    kept = tmp_path / "kernels_0123" / f"runs.parse-1.{tag}.nbi"
    kept.parent.mkdir()
    kept.touch()
    assert kernels.worth_loading(2, "runs") == 2
    assert kernels.worth_loading(2, "marks") > 2
    os.utime(kept, (0, time.time() - 1e9))
    assert not kernels.are_compiled("runs")


#: Scores collections one after the other, and says after each whether the compiler is loaded.
SCORE = """
import sys
from metrics.texts.scan import reading
from metrics.texts.scan.texts import score_texts
from metrics.texts.scoring import score_collection
reading.SMALL = 100_000
for paths in sys.argv[2:]:
    if paths == "texts":
        score_texts(["she said so."] * 5_000)
    else:
        score_collection(paths.split(), sys.argv[1])
    print("numba" in sys.modules)
"""


@pytest.mark.long
@pytest.mark.parametrize(
    ("steps", "loaded"),
    [
        # Six times as much where nothing is compiled yet: of many files at once, or one by one.
        ([" ".join("ABCDEFGH")], [False]),
        ([" ".join("ABCDEFGHI")], [True]),
        ([*"ABCDEFGHI"], [False] * 8 + [True]),
        (["texts"] * 12, [False] * 10 + [True] * 2),
    ],
)
def test_all_that_a_process_sees_decides_when_to_compile(
    steps: list[str], loaded: list[bool], tmp_path: Path
) -> None:
    for name in "ABCDEFGHI":
        lines = (f"{name}{i}\tshe said so.\n" for i in range(4_000))
        (tmp_path / name).write_text("".join(lines))
    assert 600_000 / 9 < (tmp_path / "A").stat().st_size < 600_000 / 8

    ended = subprocess.run(
        [sys.executable, "-c", SCORE, tmp_path / "m.parquet", *steps],
        cwd=tmp_path,
        env={**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / "kept"), "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )

    assert (ended.stdout.split(), ended.stderr) == ([str(is_loaded) for is_loaded in loaded], "")


@pytest.mark.long  # compiles every kernel: 24 s of a processor
def test_kernels_can_be_compiled_in_advance(tmp_path: Path) -> None:
    options = ["-m", "config.program", "compile"]
    said = []
    for _ in range(2):
        ended = subprocess.run(
            [sys.executable, *options],
            cwd=ROOT,
            env={**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / "kept")},
            capture_output=True,
            text=True,
            check=False,
        )
        assert (ended.returncode, ended.stderr) == (0, "")
        said.append(ended.stdout)

    assert said == ["Kernels: compiled and kept.\n", "Kernels: compiled already.\n"]
