"""A whole collection with the genders swapped, in bounded memory and in its order."""

import contextlib
import gzip
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from itertools import islice
from multiprocessing import get_context
from pathlib import Path
from typing import IO, TYPE_CHECKING

import numpy as np
import orjson
import zstandard

from ...errors import InputError
from ...io.file_kinds import COUNTERFACTUAL
from ...io.files import replacing
from ...io.headers import HEAD
from ...io.lines import open_text
from ...io.outputs import check_outputs
from ...kernels import AVAILABLE
from ...vocabulary import Format
from ..collection import detect_format, header_size, read_collection, repeated_docno, tsv_passage
from ..duplicates import Duplicates
from ..scan import reading
from ..scan.checksum import NoChecksum
from ..scan.reading import PADDING, Reader, Workspace, open_blocks
from .pairs import Pairs
from .pronouns import Method
from .substitution import substitution

if TYPE_CHECKING:
    from .blocks import BlockSwap, SwappedBlock

_PASSAGES_AT_ONCE = 2_000
# Blocks that wait per process: enough to keep it busy, few enough to stay small.
_WAITING = 3

_Passage = tuple[str, str]


@dataclass(frozen=True)
class Rewritten:
    """Numbers of passages written, and of those that were changed."""

    n_documents: int
    n_changed: int


def rewrite_collection(
    path: str | Path,
    output: str | Path,
    *,
    pairs: Pairs,
    method: Method = "tagger",
    format: Format = "auto",  # noqa: A002 - the name of the command's option
    processes: int = 1,
    progress: Callable[[int], object] | None = None,
) -> Rewritten:
    """Write the collection at `path` with the genders swapped to `output`.

    `output` is JSON lines where its name says .jsonl, else TSV; compressed where it ends in .gz
    or .zst. It appears whole or not at all. `progress` is called with bytes read. Raises
    `InputError` with file and line for input that cannot be read, and for a passage with a line
    end inside, which TSV cannot hold.
    """
    if processes < 1:
        raise InputError(f"{processes} processes.", remedy="Use 1 or more.")
    check_outputs([(output, COUNTERFACTUAL)], [str(path)], force=True)
    if _is_large_tsv(path, output, format):
        swap_blocks = partial(_swapped_blocks, pairs=pairs, method=method, processes=processes)
        return _rewrite_blocks(path, output, swap_blocks, progress)
    swap = partial(_swap_all, pairs, method)
    write = _json_line if ".jsonl" in Path(output).suffixes else _tsv_line
    n_documents = n_changed = 0
    passages = read_collection(path, format, progress)
    with replacing(output) as temporary, _opened(temporary, Path(output).suffix) as file:
        for before, after in _swapped(passages, swap, processes):
            for (docno, text), swapped in zip(before, after, strict=True):
                file.write(write(docno, swapped))
                n_changed += swapped != text
            n_documents += len(before)
    return Rewritten(n_documents, n_changed)


def _is_large_tsv(path: str | Path, output: str | Path, format_: Format) -> bool:
    """Return whether TSV becomes TSV, and enough of it to load the kernels for."""
    # If the name does not decide the format, the first byte would: "{" stands for any JSON.
    is_tsv = detect_format(path, format_, b"{") == "tsv" and ".jsonl" not in Path(output).suffixes
    is_file = is_tsv and Path(path).is_file()
    if not (AVAILABLE and is_file and Path(path).stat().st_size > reading.SMALL):
        return False
    with open_text(path) as stream:
        return not header_size(stream.peek(HEAD), path, "tsv")


def _rewrite_blocks(
    path: str | Path,
    output: str | Path,
    swap_blocks: Callable[[Reader], Iterator["SwappedBlock"]],
    progress: Callable[[int], object] | None,
) -> Rewritten:
    """Rewrite a collection in blocks of lines."""
    n_documents = n_changed = 0
    with (
        replacing(output) as temporary,
        _opened(temporary, Path(output).suffix) as file,
        Duplicates() as duplicates,
    ):
        unchecked = NoChecksum(progress or (lambda _size: None))
        try:
            with open_blocks(path, "tsv", unchecked) as reader:
                for block in swap_blocks(reader):
                    file.write(block.lines)
                    duplicates.add(block.digests)
                    n_documents += block.n_documents
                    n_changed += block.n_changed
                    if block.bad_line is not None:
                        # The definition says what is wrong with it.
                        tsv_passage(block.bad_line.removesuffix(b"\r"), path, n_documents + 1)
        except InputError as error:
            if error.line is not None or not n_documents:
                raise
            # A damaged archive: say how far it could be read.
            raise InputError(
                error.message, path=path, line=n_documents, remedy=error.remedy
            ) from error
        if duplicate := duplicates.first():
            number, earlier = duplicate
            raise repeated_docno(path, number + 1, path, earlier + 1)
    return Rewritten(n_documents, n_changed)


def _swapped_blocks(
    reader: Reader, pairs: Pairs, method: Method, processes: int
) -> Iterator["SwappedBlock"]:
    """The blocks of a reader, swapped, in their order."""
    workspace = Workspace()
    if processes == 1:
        swap = _block_swap(pairs, method)
        while reader.fill(workspace):
            yield swap.swap(workspace)
        return
    begin = partial(_begin_process, pairs, method)
    with ProcessPoolExecutor(processes, get_context("spawn"), begin) as pool:
        waiting: deque[Future[SwappedBlock]] = deque()
        while reader.fill(workspace):
            block = workspace.buffer[: workspace.size].tobytes()
            waiting.append(pool.submit(_swap_in_process, block))
            if len(waiting) > processes * _WAITING:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()


def _block_swap(pairs: Pairs, method: Method) -> "BlockSwap":
    # Imported only now: Numba takes half a second to load.
    swap: BlockSwap = import_module(".blocks", __package__).BlockSwap(pairs, method)
    return swap


_of_process: list["BlockSwap"] = []


def _begin_process(pairs: Pairs, method: Method) -> None:
    _of_process[:] = [_block_swap(pairs, method)]


def _swap_in_process(block: bytes) -> "SwappedBlock":
    workspace = Workspace()
    workspace.buffer = np.frombuffer(block + bytes(PADDING), dtype=np.uint8)
    workspace.size = len(block)
    return _of_process[0].swap(workspace)


def _swap_all(pairs: Pairs, method: Method, texts: list[str]) -> list[str]:
    """Swap all texts. Building the swap anew in each process costs little beside this."""
    return list(map(substitution(pairs, method), texts))


def _swapped(
    passages: Iterable[_Passage], swap: Callable[[list[str]], list[str]], processes: int
) -> Iterator[tuple[list[_Passage], list[str]]]:
    """Blocks of passages with their swapped texts, in order."""
    source = iter(passages)
    blocks = iter(lambda: list(islice(source, _PASSAGES_AT_ONCE)), [])
    if processes == 1:
        for block in blocks:
            yield block, swap([text for _, text in block])
        return
    with ProcessPoolExecutor(processes, mp_context=get_context("spawn")) as pool:
        waiting: deque[tuple[list[_Passage], Future[list[str]]]] = deque()
        for block in blocks:
            waiting.append((block, pool.submit(swap, [text for _, text in block])))
            if len(waiting) > processes * _WAITING:
                first, future = waiting.popleft()
                yield first, future.result()
        for block, future in waiting:
            yield block, future.result()


def _tsv_line(docno: str, text: str) -> bytes:
    if "\n" in text:
        raise InputError(
            f"the passage {docno!r} has a line end inside, which TSV cannot hold.",
            remedy="Give the output a name that ends in .jsonl.",
        )
    return f"{docno}\t{text}\n".encode()


def _json_line(docno: str, text: str) -> bytes:
    return orjson.dumps({"id": docno, "contents": text}, option=orjson.OPT_APPEND_NEWLINE)


@contextlib.contextmanager
def _opened(path: Path, suffix: str) -> Iterator[IO[bytes] | gzip.GzipFile]:
    """Bytes to write, compressed as the name says; no name and no time inside."""
    with path.open("wb") as raw:
        if suffix == ".gz":
            with gzip.GzipFile("", "wb", fileobj=raw, mtime=0) as stream:
                yield stream
        elif suffix == ".zst":
            with zstandard.ZstdCompressor().stream_writer(raw, closefd=False) as compressed:
                yield compressed
        else:
            yield raw
