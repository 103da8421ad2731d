"""Without Numba, Arrow and SciPy the same values, and one line where something needs them."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

_LIGHT = "sys.modules.update(dict.fromkeys(['numba', 'pyarrow', 'scipy']))"


def run_program(*arguments: object, light: bool) -> subprocess.CompletedProcess[str]:
    hidden = _LIGHT if light else "pass"
    code = f"import sys; {hidden}; from config.program import main; sys.exit(main())"
    command = [sys.executable, "-c", code, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.mark.long
@pytest.mark.shared_data
def test_the_definitions_give_what_the_kernels_give(
    shared_data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FAIRPOOL_CACHE_DIR", str(tmp_path / "cache"))
    folder = shared_data / "msmarco_dl19"
    lines = (folder / "collection.tsv").read_bytes()
    (tmp_path / "c.tsv").write_bytes(lines + b"".join(
        b"x%d-%s\n" % (copy, line) for copy in range(4) for line in lines.split(b"\n")[:-1]
    ))  # fmt: skip
    assert (tmp_path / "c.tsv").stat().st_size > 1 << 24
    call = ("measure", "-c", tmp_path / "c.tsv", "-r", folder / "runs", "--measure", "all")

    fast, light = (
        run_program(*call, "--qrels", folder / "qrels.txt", "--json", light=light)
        for light in (False, True)
    )

    assert list((tmp_path / "cache").iterdir())
    assert fast.stdout.count('"RaB"') > 1
    assert json.loads(fast.stdout)["rows"] == json.loads(light.stdout)["rows"]


@pytest.mark.parametrize(
    "arguments",
    [
        ("score", "c.tsv", "-o", "new.parquet"),
        ("measure", "-s", "m.parquet", "-r", "r.run"),
        ("measure", "-c", "c.tsv", "-r", "r.run", "--per-query", "q.parquet"),
        ("measure", "-c", "c.tsv", "-r", "r.run.zst"),
    ],
)
def test_what_needs_arrow_says_in_one_line_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...]
) -> None:
    (tmp_path / "c.tsv").write_text("d1\the\n")
    (tmp_path / "r.run").write_text("q Q0 d1 1 1 x\n")
    (tmp_path / "r.run.zst").write_bytes(b"\x28\xb5\x2f\xfd")
    (tmp_path / "m.parquet").write_bytes(b"PAR1")
    monkeypatch.setenv("PYTHONPATH", str(Path.cwd()))
    monkeypatch.chdir(tmp_path)

    done = run_program(*arguments, light=True)

    assert done.returncode == 1
    assert done.stderr.count("\n") == 1
    assert done.stderr.endswith("pip install 'fairpool[fast]'.\n")


def test_a_test_without_scipy_says_what_to_install() -> None:
    test = "from metrics import paired_t_test; paired_t_test(range(30), [n * n for n in range(30)])"
    code = f"import sys; {_LIGHT}; {test}"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)

    assert done.returncode == 1
    assert done.stderr.splitlines()[-1].endswith("pip install 'fairpool[stats]'.")
