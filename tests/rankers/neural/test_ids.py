"""Runs that write ids as numbers are re-ranked and trained on like those that do not."""

from pathlib import Path

import pytest
import torch

from metrics.runs import read_run
from metrics.runs.queries import read_query_texts
from rankers.neural.jobs import Sources, drawn_triples, run_with_texts
from rankers.neural.passages import Passages
from rankers.neural.sampling import Sampling

TEXTS = {str(number): f"word{number} river" for number in range(1, 7)}
QUERIES = {"31": "river", "32": "word2"}


def sources(folder: Path, mark: str) -> Sources:
    """The files of a small task; run and judgments write each id with this mark behind it."""
    folder.mkdir()
    made = {name: folder / name for name in ("collection", "queries", "qrels", "run")}
    made["collection"].write_text("".join(f"{d}\t{text}\n" for d, text in TEXTS.items()))
    made["queries"].write_text("".join(f"{q}\t{text}\n" for q, text in QUERIES.items()))
    made["qrels"].write_text("".join(f"{q}{mark} 0 2{mark} 1\n" for q in QUERIES))
    rows = [(q, d, rank) for q in QUERIES for rank, d in enumerate(TEXTS, start=1)]
    lines = [f"{q}{mark} Q0 {d}{mark} {rank} {9 - rank} x\n" for q, d, rank in rows]
    made["run"].write_text("".join(lines))
    return Sources(**made)


def test_mixed_negatives_are_drawn_from_a_run_whose_documents_are_written_otherwise(
    tmp_path: Path,
) -> None:
    drawn = []
    said: list[str] = []
    for mark in ("", ".0"):
        files = sources(tmp_path / f"ids{mark}", mark)
        queries, passages = read_query_texts(files.queries), Passages(files.collection, tmp_path)
        sampling = Sampling(per_positive=4, negatives="mixed")
        triples, _ = drawn_triples(files, queries, passages, sampling, 0, warn=said.append)
        drawn.append(list(triples.shuffled(torch.Generator().manual_seed(0))))

    assert drawn[0] == drawn[1]
    assert len(drawn[0]) > 4
    assert [text for text in said if text.startswith("the documents of the run are taken")]


@pytest.mark.parametrize("mark", ["", ".0"])
def test_a_run_is_re_ranked_with_the_texts_of_documents_that_are_written_otherwise(
    tmp_path: Path, mark: str
) -> None:
    files = sources(tmp_path / "files", mark)
    _, path = files.judged()
    said: list[str] = []

    run, texts = run_with_texts(read_run(path), QUERIES, files.collection, said.append)

    assert run.qids == tuple(QUERIES)
    assert [texts[docno] for docno in run.documents("31")] == list(TEXTS.values())
    assert len(said) == (2 if mark else 0)
