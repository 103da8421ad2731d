"""A collection in Parquet that is damaged in what it says of itself is refused, whatever it is."""

import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

_EACH_BYTE = """
import sys
from metrics.errors import InputError
from metrics.texts.parquet_collection import group_sizes, read_batches
with open(sys.argv[1], "rb") as source:
    content = source.read()
end = len(content) - 8
n = int.from_bytes(content[end : end + 4], "little")
refused = 0
for place in range(end - n, end):
    for value in {0, 255, content[place] ^ 1, (content[place] + 1) % 256}:
        with open(sys.argv[2], "wb") as damaged:
            damaged.write(content[:place] + bytes([value]) + content[place + 1 :])
        try:
            group_sizes(sys.argv[2])
            list(read_batches(sys.argv[2]))
        except InputError:
            refused += 1
print(refused)
"""


def test_no_damage_of_what_a_file_says_of_itself_ends_the_process(tmp_path: Path) -> None:
    """In a process of its own: the package that reads Parquet ends it for some damage."""
    path = tmp_path / "c.parquet"
    pq.write_table(pa.table({"docno": ["a", "b", "c"], "text": ["he", "she", "rain"]}), path)
    done = subprocess.run(
        [sys.executable, "-c", _EACH_BYTE, str(path), str(tmp_path / "damaged.parquet")],
        capture_output=True,
        text=True,
        check=False,
        cwd=Path(__file__).resolve().parents[2],
    )
    assert done.returncode == 0, done.stderr[-500:]
    assert int(done.stdout) > 100
