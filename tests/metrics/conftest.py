"""A scored collection of four passages, small enough to count by hand."""

import pytest

from metrics.texts.lexicon import read_lexicon
from metrics.texts.magnitude_store import Magnitudes, open_magnitudes
from metrics.texts.scoring import score_collection

# Female words, male words: a 1, 0; b 0, 3 (of two words); c 0, 0; d 1, 2 (of two words).
PASSAGES = "a\tshe saw it\nb\the saw him and him\nc\tnobody there\nd\ther dad and he\n"


@pytest.fixture(scope="session")
def magnitudes(tmp_path_factory: pytest.TempPathFactory) -> Magnitudes:
    folder = tmp_path_factory.mktemp("scored")
    (folder / "collection.tsv").write_text(PASSAGES, encoding="utf-8")
    score_collection(folder / "collection.tsv", folder / "m.parquet", lexicon=read_lexicon())
    return open_magnitudes(folder / "m.parquet")
