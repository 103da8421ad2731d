"""What names an input, now and in what was made before."""

import hashlib
from pathlib import Path

import pytest

from metrics.io.digests import Digest, bytes_digest, digest_in, digest_of, full

OLD = hashlib.sha256(b"abc").hexdigest()
# The package blake3 1.0.11.
NEW = "6437b3ac38465133ffb63b75273a8db548c558465d79db03fd359c6cd5bd9d85"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    (tmp_path / "a.txt").write_bytes(b"abc")
    return tmp_path / "a.txt"


def test_a_file_its_bytes_and_their_parts_have_one_digest(path: Path) -> None:
    parts = Digest()
    for part in (b"a", b"", b"bc"):
        parts.update(part)

    assert digest_of(path) == bytes_digest(b"abc") == str(parts) == f"blake3:{NEW}"


def test_the_digest_is_that_of_the_authors() -> None:
    # The first of test_vectors.json of BLAKE3-team/BLAKE3: no bytes.
    expected = "af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262"
    assert bytes_digest(b"") == f"blake3:{expected}"


@pytest.mark.parametrize(
    ("record", "name", "digest"),
    [
        ({"digest": f"blake3:{NEW}"}, "digest", f"blake3:{NEW}"),
        ({"sha256": OLD}, "digest", f"sha256:{OLD}"),
        ({"collection_sha256": f"{OLD} + {OLD}"}, "collection_digest",
         f"sha256:{OLD} + sha256:{OLD}"),
        ({"sha256": ""}, "digest", ""),
        ({}, "digest", ""),
    ],
)  # fmt: skip
def test_records_of_any_age_name_a_digest(record: dict[str, str], name: str, digest: str) -> None:
    assert digest_in(record, name) == digest
    assert full(digest) == digest
