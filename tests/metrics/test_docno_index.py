import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metrics.io.strings import strings
from metrics.texts.docno_index import DocnoIndex
from metrics.texts.docno_table import DocnoTable

numbers = st.integers(0, 10**19).map(str)
docnos = st.sampled_from(["7", "07", "0", "00", "+7", "-7", " 7", "0x7", "٣", "D1", ""]) | numbers


Index = type[DocnoIndex] | type[DocnoTable]


@pytest.fixture(scope="module", params=[DocnoIndex, DocnoTable])
def kind(request: pytest.FixtureRequest) -> Index:
    return request.param  # type: ignore[no-any-return]


def index_of(kind: Index, values: list[str]) -> DocnoIndex | DocnoTable:
    if kind is DocnoTable:
        return DocnoTable(values)
    return DocnoIndex(pa.chunked_array([values[:2], values[2:]], type=pa.string()))


@given(st.lists(docnos, unique=True, min_size=1) | st.lists(numbers, unique=True), st.lists(docnos))
def test_every_docno_is_found_at_its_row_and_others_nowhere(
    kind: Index, collection: list[str], others: list[str]
) -> None:
    index = index_of(kind, collection)
    asked = collection + others
    expected = [collection.index(docno) if docno in collection else -1 for docno in asked]

    assert index.find(asked).tolist() == expected
    assert index.find(strings(asked)).tolist() == expected


@given(
    st.lists(docnos, unique=True) | st.lists(st.integers(0, 50).map(str), unique=True),
    st.lists(st.integers(-5, 60)),
)
def test_numbers_stand_for_their_decimal_digits(
    kind: Index, collection: list[str], asked: list[int]
) -> None:
    expected = [collection.index(str(i)) if str(i) in collection else -1 for i in asked]

    assert index_of(kind, collection).find(np.array(asked, dtype=np.int64)).tolist() == expected


@pytest.mark.parametrize("collection", [[], ["5"], ["a"], ["123456789012", "5"]])
def test_asking_for_nothing_finds_nothing(kind: Index, collection: list[str]) -> None:
    found = index_of(kind, collection).find([])

    assert found.dtype == np.int64
    assert found.shape == (0,)
