"""Scores of collections that were measured before, kept in a folder of the user.

Without `fairpool[fast]` there is no file: scores are kept in memory while the program runs. The
folder is `$FAIRPOOL_CACHE_DIR`, else `fairpool` in `$XDG_CACHE_HOME` or `~/.cache`. A file is
named after everything that its scores depend on; all of them may be deleted at any time. Where that
folder cannot be written to, scores are kept in one that is gone when the program ends.
"""

import os
from collections.abc import Callable
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from ..errors import InputError
from ..extras import has
from ..io.digests import bytes_digest, digest_of
from ..io.missing import no_such_file
from ..version import VERSION
from ..vocabulary import Format, Tokenizer
from .collection import read_collection
from .in_memory import keep_in_memory
from .lexicon import Lexicon
from .magnitude_store import Magnitudes, open_magnitudes
from .repair import repair_name, repair_text
from .scoring import score_collection


def kept_scores(
    collection: str | Path,
    lexicon: Lexicon,
    tokenizer: Tokenizer = "word",
    format: Format = "auto",  # noqa: A002 - as in score_collection
    *,
    repair_encoding: bool = False,
    progress: Callable[[int], object] = lambda _: None,
) -> Magnitudes:
    """The scores of a collection: scored at the first call, read from the folder at the next.

    A collection is known by its name and the digest of its bytes. `progress` is called with the
    number of bytes that were scored. Raises `InputError` as `score_collection` does.
    """
    if not Path(collection).is_file():
        raise no_such_file(collection)
    digest, repair = digest_of(collection), repair_name() if repair_encoding else ""
    if not has("pyarrow"):
        pairs = list(read_collection(collection, format, progress))
        if repair_encoding:
            pairs = [(docno, repair_text(text)) for docno, text in pairs]
        identity = Path(collection).stat().st_size, digest
        name = Path(collection).name
        return keep_in_memory(
            pairs, lexicon, tokenizer, name=name, identity=identity, repair=repair
        )
    parts = (
        Path(collection).name,
        digest,
        lexicon.name,
        lexicon.sha256,
        tokenizer,
        format,
        repair,
        VERSION,
    )
    name = bytes_digest("\n".join(parts).encode()).partition(":")[2]
    path = cache_folder() / f"{name}.parquet"
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        score_collection(
            collection,
            path,
            lexicon=lexicon,
            tokenizer=tokenizer,
            format=format,
            repair_encoding=repair_encoding,
            progress=progress,
        )
    return open_magnitudes(path)


def cache_folder() -> Path:
    """Where scores are kept."""
    if own := os.environ.get("FAIRPOOL_CACHE_DIR", "").strip():
        return _own_folder(own)
    folder = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache", "fairpool")
    # Containers and machines of a cluster have homes that nobody may write to, or none.
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        return Path(_until_the_end().name)
    return folder if os.access(folder, os.W_OK) else Path(_until_the_end().name)


def _own_folder(written: str) -> Path:
    """The folder of the variable, as the site reads such: neither `$` nor `~` is replaced."""
    folder, why = Path(written), "nothing is replaced in it" if written[0] in "$~" else ""
    try:
        if not why:
            folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        why = str(error.strerror)
    if why:
        raise InputError(
            f"FAIRPOOL_CACHE_DIR is {written!r}: {why}.",
            remedy="Write the path of a folder, in full.",
        )
    return folder


@cache
def _until_the_end() -> TemporaryDirectory[str]:
    return TemporaryDirectory(prefix="fairpool-")
