from pathlib import Path

import numpy as np
import pytest

from metrics.errors import InputError
from metrics.runs import Run, read_run
from metrics.runs.ranked import join
from metrics.texts.magnitude_store import Magnitudes

# Query 1 has a document that is not in the collection at rank 2; query 2 is a short list.
RUN = "1 Q0 a 1 9 t\n1 Q0 x 2 8 t\n1 Q0 d 3 7 t\n1 Q0 b 4 6 t\n2 Q0 b 1 1 t\n"


@pytest.fixture
def run(tmp_path: Path) -> Run:
    path = tmp_path / "a.run"
    path.write_text(RUN, encoding="utf-8")
    return read_run(path)


def test_matrices_have_a_row_per_query_and_a_column_per_rank(
    run: Run, magnitudes: Magnitudes
) -> None:
    ranked = join(run, magnitudes, 3, "zero")
    assert (ranked.name, ranked.qids, ranked.depth) == ("a", ("1", "2"), 3)
    assert ranked.groups == ("f", "m")
    assert ranked.length.tolist() == [3, 1]
    assert ranked.tc["f"].tolist() == [[1, 0, 1], [0, 0, 0]]
    assert ranked.tc["m"].tolist() == [[0, 0, 2], [3, 0, 0]]
    assert ranked.n_tokens.tolist() == [[3, 0, 4], [5, 0, 0]]
    np.testing.assert_allclose(
        ranked.magnitude("tf", "m"), [[0, 0, 2 * np.log(2)], [np.log(2) + np.log(3), 0, 0]]
    )
    np.testing.assert_allclose(ranked.magnitude("tfnorm", "m")[1], [3 / 5, 0, 0])


def test_missing_documents_count_as_empty_or_not_at_all(run: Run, magnitudes: Magnitudes) -> None:
    zero, skip = (join(run, magnitudes, 3, rule) for rule in ("zero", "skip"))
    for ranked in (zero, skip):
        assert ranked.missing.tolist() == [[False, True, False], [False] * 3]
        assert [ranked.n_missing(cutoff) for cutoff in (1, 2, 3)] == [0, 1, 1]
    assert zero.present.tolist() == [[True] * 3, [True, False, False]]
    assert skip.present.tolist() == [[True, False, True], [True, False, False]]


def test_a_missing_document_is_an_error_that_counts_and_names(
    run: Run, magnitudes: Magnitudes
) -> None:
    with pytest.raises(InputError, match=r"'a' .*: x\. .*missing="):
        join(run, magnitudes, 2)
    assert join(run, magnitudes, 1).n_missing(1) == 0


def test_a_query_that_the_run_lacks_has_no_documents(run: Run, magnitudes: Magnitudes) -> None:
    ranked = join(run, magnitudes, 2, "zero", queries=["9", "2"])
    assert ranked.qids == ("2", "9")
    assert ranked.length.tolist() == [1, 0]
    assert not ranked.present[1].any()


def test_positions_and_rows_lead_back_to_the_documents(run: Run, magnitudes: Magnitudes) -> None:
    ranked = join(run, magnitudes, 3, "skip")
    assert run.docnos.take(ranked.positions[0]).tolist() == ["a", "x", "d"]
    assert ranked.positions[1].tolist() == [4, -1, -1]
    assert ranked.rows.tolist() == [[0, -1, 3], [1, -1, -1]]


def test_an_unknown_group_is_an_error(run: Run, magnitudes: Magnitudes) -> None:
    with pytest.raises(InputError, match=r"'x'.* f, m"):
        join(run, magnitudes, 1).magnitude("tf", "x")
