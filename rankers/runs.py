"""Rankings to TREC run files."""

from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack
from pathlib import Path

from threadpoolctl import threadpool_limits

from metrics.errors import InputError
from metrics.io.file_kinds import FileKind, line_kind
from metrics.io.files import replacing
from rankers.ranker import DECIMALS, Ranker
from rankers.text import words
from rankers.vocabulary import SEED


def run_path(folder: Path, ranker: Ranker) -> Path:
    """Where the run of a ranker is written."""
    return folder / f"{ranker.name}.run"


def run_kind(ranker: Ranker) -> FileKind:
    """Runs that bear the name of this ranker."""
    return line_kind(f"a run of {ranker.name}", lambda line: line.split()[5:] == [ranker.name])


def write_runs(
    rankers: Iterable[Ranker],
    collection: Sequence[tuple[str, str]],
    queries: Sequence[tuple[str, str]],
    folder: Path,
    *,
    depth: int,
    seed: int = SEED,
    progress: Callable[[], object] = lambda: None,
) -> dict[str, Path]:
    """Write `folder/NAME.run` for each ranker and return the paths by name.

    A line is `qid Q0 docno rank score tag`, ranks from 1. All files appear together at the end,
    or none does. `progress` is called after each query of each ranker. Raises `InputError` for a
    depth below 1, and where there is nothing to rank.
    """
    _check(collection, queries, depth)
    paths = {ranker.name: (ranker, run_path(folder, ranker)) for ranker in rankers}
    # One thread: a sum that several threads share may end in other bits on another machine.
    with ExitStack() as stack, threadpool_limits(limits=1):
        for ranker, path in paths.values():
            temporary = stack.enter_context(replacing(path))
            with temporary.open("w", encoding="utf-8", newline="") as file:
                for qid, ranking in ranker.rank(collection, queries, depth, seed):
                    file.writelines(_lines(qid, ranking, ranker.name))
                    progress()
    return {name: path for name, (_, path) in paths.items()}


def _lines(qid: str, ranking: list[tuple[str, float]], tag: str) -> Iterable[str]:
    for rank, (docno, score) in enumerate(ranking, start=1):
        yield f"{qid} Q0 {docno} {rank} {score:.{DECIMALS}f} {tag}\n"


def _check(
    collection: Sequence[tuple[str, str]], queries: Sequence[tuple[str, str]], depth: int
) -> None:
    if depth < 1:
        raise InputError(f"the depth is {depth}.", remedy="Use 1 or more.")
    if not queries:
        raise InputError("there are no queries.", remedy="Write qid<TAB>text lines.")
    if not any(words(text) for _, text in collection):
        raise InputError("no passage has a word that can be searched for.")
    # Blanks part the columns of a run, so an id that holds one would move all that follows.
    for kind, pairs in (("query", queries), ("passage", collection)):
        for identifier, _ in pairs:
            if len(identifier.split()) != 1:
                raise InputError(
                    f"a run cannot hold the id {identifier!r} of a {kind}.",
                    remedy="Use ids without blanks.",
                )
