"""A file in Parquet that is damaged in what it says of itself is refused, whatever it is."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from metrics import score_collection

_EACH_BYTE = """
import sys
from pathlib import Path
from metrics.errors import InputError
{imports}
content = Path(sys.argv[1]).read_bytes()
damaged = Path(sys.argv[2])
end = len(content) - 8
n = int.from_bytes(content[end : end + 4], "little")
refused = 0
for place in range(end - n, end):
    for value in {{0, 255, content[place] ^ 1, (content[place] + 1) % 256}}:
        damaged.write_bytes(content[:place] + bytes([value]) + content[place + 1 :])
        try:
            {read}
        except InputError:
            refused += 1
print(refused)
"""

_COLLECTION = {
    "imports": "from metrics.texts.parquet_collection import group_sizes, read_batches",
    "read": "group_sizes(damaged), list(read_batches(damaged))",
}
_MAGNITUDES = {
    "imports": "from metrics.texts.magnitude_file import read_docnos, read_metadata",
    "read": "read_metadata(damaged), read_docnos(damaged)",
}


def _collection(path: Path) -> None:
    pq.write_table(pa.table({"docno": ["a", "b", "c"], "text": ["he", "she", "rain"]}), path)


def _magnitudes(path: Path) -> None:
    texts = path.with_suffix(".tsv")
    texts.write_text("a\the\nb\tshe\nc\train\n")
    score_collection(texts, path)


@pytest.mark.long
@pytest.mark.parametrize(("write", "how"), [(_collection, _COLLECTION), (_magnitudes, _MAGNITUDES)])
def test_no_damage_of_what_a_file_says_of_itself_ends_the_process(
    tmp_path: Path, write: Callable[[Path], None], how: dict[str, str]
) -> None:
    """In a process of its own: the package that reads Parquet ends it for some damage."""
    path = tmp_path / "c.parquet"
    write(path)
    code = _EACH_BYTE.format(**how)
    done = subprocess.run(
        [sys.executable, "-c", code, str(path), str(tmp_path / "damaged.parquet")],
        capture_output=True,
        text=True,
        check=False,
        cwd=Path(__file__).resolve().parents[2],
    )
    assert done.returncode == 0, done.stderr[-500:]
    assert int(done.stdout) > 100
