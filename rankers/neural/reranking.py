"""The passages of a run in the order that a model gives them."""

import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

import torch

from metrics.errors import InputError
from metrics.io.files import replacing
from metrics.io.run_names import run_name
from metrics.runs import Run
from metrics.runs.sidecar import sidecar_of, sidecar_text
from rankers.neural.device import plain_memory_errors
from rankers.neural.model_folder import PairModel
from rankers.ranker import DECIMALS

Ranking = list[tuple[str, float]]


def score_pairs(
    model: PairModel,
    pairs: Sequence[tuple[str, str]],
    batch_size: int = 32,
    progress: Callable[[int], object] = lambda _n: None,
) -> list[float]:
    """The score of each (query, passage), in batches of pairs of as many words, to pad little.

    Raises `InputError` where the model gives one that is not a number.
    """
    n_words = [len(query.split()) + len(text.split()) for query, text in pairs]
    order = sorted(range(len(pairs)), key=lambda i: -n_words[i])
    scores = [0.0] * len(pairs)
    with torch.inference_mode(), plain_memory_errors():
        for start in range(0, len(order), batch_size):
            places = order[start : start + batch_size]
            queries, texts = zip(*(pairs[i] for i in places), strict=True)
            values = model(model.prepare(queries, texts)).float().tolist()
            for place, score in zip(places, values, strict=True):
                scores[place] = score
            if not all(map(math.isfinite, values)):
                raise InputError(
                    "the model gives scores that are not numbers: its weights are damaged, or its "
                    "training failed.",
                    remedy="Train it again, or use a smaller --learning-rate.",
                )
            progress(len(places))
    return scores


def rerank(
    model: PairModel,
    run: Run,
    queries: Mapping[str, str],
    texts: Mapping[str, str],
    *,
    batch_size: int = 32,
    progress: Callable[[int], object] = lambda _n: None,
) -> Iterator[tuple[str, Ranking]]:
    """For each query of the run its passages by the model's score, best first.

    Scores are rounded to six decimals and ties stand by docno descending, as in every run that
    Fairpool writes. Raises `InputError` for a query or a passage without text.
    """
    for qid in run.qids:
        docnos = run.documents(qid)
        check_texts(run, qid, docnos, queries, texts)
        pairs = [(queries[qid], texts[docno]) for docno in docnos]
        scores = score_pairs(model, pairs, batch_size, progress)
        rounded = [round(score, DECIMALS) for score in scores]
        ranking = sorted(zip(docnos, rounded, strict=True), reverse=True)
        yield qid, sorted(ranking, key=lambda pair: -pair[1])


def check_texts(
    run: Run,
    qid: str,
    docnos: Sequence[str],
    queries: Mapping[str, str],
    texts: Mapping[str, str],
) -> None:
    """Raise `InputError` where a query of the run, or a passage of it, has no text."""
    start = int(run.offsets[run.place_of[qid]])
    if qid not in queries:
        line = int(run.lines[start])
        raise InputError(
            f"the query {qid!r} has no text.", path=run.path, line=line, remedy="Check --queries."
        )
    for place, docno in enumerate(docnos):
        if docno not in texts:
            raise InputError(
                f"the document {docno!r} is not in the collection.",
                path=run.path,
                line=int(run.lines[start + place]),
                remedy="Give the collection that the run was made on.",
            )


def write_run(
    rankings: Iterator[tuple[str, Ranking]],
    path: Path,
    *,
    name: str,
    sizes: Mapping[str, int],
) -> tuple[int, float]:
    """Write `qid Q0 docno rank score tag`, and the sidecar beside it; lines and seconds.

    Both appear whole or not at all. The sidecar says which model it was, by `name`, and its sizes
    (`sizes_of`), for Table 1 of a report. The tag is the name that the file gives the run.
    """
    started, n_lines = time.perf_counter(), 0
    tag = run_name(path)
    card = sidecar_text(model=name, sizes=sizes)
    try:
        with (
            replacing(sidecar_of(path)) as beside,
            replacing(path) as temporary,
            temporary.open("w", encoding="utf-8", newline="") as file,
        ):
            beside.write_text(card, encoding="utf-8")
            for qid, ranking in rankings:
                n_lines += len(ranking)
                file.writelines(
                    f"{qid} Q0 {docno} {rank} {score:.{DECIMALS}f} {tag}\n"
                    for rank, (docno, score) in enumerate(ranking, start=1)
                )
    except OSError as error:
        raise InputError(
            f"cannot be written: {error.strerror}.", path=path, remedy="Is the disk full?"
        ) from error
    return n_lines, time.perf_counter() - started
