"""The kernels as compiled for other processors than this one."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.long
@pytest.mark.parametrize(
    ("name", "features"),
    [("haswell", "+avx2,+avx,+sse4.2,+ssse3,+popcnt,+bmi,+bmi2"), ("x86-64", "+sse2")],
)
def test_older_processors_give_the_same_bits(tmp_path: Path, name: str, features: str) -> None:
    environment = {
        **os.environ,
        "NUMBA_CPU_NAME": name,
        "NUMBA_CPU_FEATURES": features,
        "NUMBA_CACHE_DIR": str(tmp_path),
    }
    tests = [sys.executable, "-m", "pytest", "-q", "-n", "0", "-k", "bits or json or texts_in"]
    result = subprocess.run(
        [*tests, "tests/metrics/test_scan.py"],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )

    assert result.returncode == 0, result.stdout
    assert " passed" in result.stdout
