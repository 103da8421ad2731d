"""Building a pool of pairs of query and passage: the first passages of each run for each query."""

import csv
import io
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from metrics.errors import InputError
from metrics.io.digests import Digest
from metrics.io.ids import Lookup
from metrics.io.pair_ids import pair_id, split_pair_id
from metrics.results.meeting import renamed_documents
from metrics.results.provenance import provenance
from metrics.runs import Notice, Order, Run, read_runs
from metrics.runs.queries import Queries
from metrics.texts.collection import read_passages
from metrics.vocabulary import LONGEST_ID, Format
from pooling.building import texts_of
from pooling.pool import Place, Pool, PooledQuery
from pooling.vocabulary import LARGEST_POOL, MOST_PASSAGES, PASSAGES

#: What becomes of a passage without text: the pool is not built, or built without it.
MissingText = Literal["error", "skip"]

_NAMED_AT_MOST = 5
_HEAD = ("qid", "docno", "query", "passage", "n_runs", "best_rank", "places")


@dataclass(frozen=True, eq=False)
class BuiltPairs:
    """A pool of pairs with the texts of its queries by `qid`, and of its passages by docno.

    `remarks` says which runs write docnos otherwise than the collection.
    """

    pool: Pool
    texts: dict[str, str]
    passages: dict[str, str]
    summary: dict[str, Any]
    notices: tuple[Notice, ...]
    remarks: tuple[str, ...]
    inputs: dict[str, Any]

    def to_csv(self) -> str:
        """Lines `qid,docno,query,passage,n_runs,best_rank,places`, sorted by both ids as text."""
        out = io.StringIO()
        plain = csv.writer(out, lineterminator="\n")
        # Unquoted, a carriage return within a passage would end the record.
        quoted = csv.writer(out, lineterminator="\n", quoting=csv.QUOTE_ALL)
        plain.writerow(_HEAD)
        for pair in self.pool.queries:
            qid, docno = split_pair_id(pair.qid)
            query, passage = self.texts[qid], self.passages[docno]
            writer = quoted if "\r" in query + passage else plain
            places = "|".join(map(str, pair.places))
            writer.writerow((qid, docno, query, passage, len(pair.places), pair.best_rank, places))
        return out.getvalue()


def build_pairs(
    paths: Mapping[str, str | Path],
    collection: Sequence[str | Path],
    queries: Queries,
    *,
    cutoff: int = PASSAGES,
    order: Order = "default",
    missing: MissingText = "error",
    format: Format = "auto",  # noqa: A002 - the name of the command's option
    on_run: Callable[[], object] = lambda: None,
    on_read: Callable[[int], object] = lambda _size: None,
) -> BuiltPairs:
    """Pool the first `cutoff` passages of each run for each query of `queries`.

    `paths` maps the name of a run to its file; `collection` are the files with the passages, which
    are read once: only texts of pooled passages are kept. `on_read` is called with the number of
    bytes read. Raises `InputError` for what cannot be read, for a passage without text unless
    `missing` skips it, and with file and line for a query without text.
    """
    runs = runs_to_pool(paths, queries, cutoff=cutoff, order=order, on_run=on_run)
    pool = pairs_of(runs, cutoff)  # before the collection is read: it may be too large
    lookups = [Lookup(_first_documents(run, cutoff)) for run in runs]
    passages, files = _passages(collection, format, lookups, on_read)
    runs, remarks = _as_collected(runs, lookups, passages)
    if remarks:
        pool = pairs_of(runs, cutoff)
    docnos = {docno for _, docno in map(_ids, pool.queries)}
    n_empty = sum(not passages[docno].strip() for docno in docnos & passages.keys())
    passages = {d: text for d, text in passages.items() if d in docnos and text.strip()}
    absent = docnos - passages.keys()
    if absent and missing == "error":
        raise _without_text(runs, absent, n_empty, collection[0])
    if absent:
        pool = pairs_of(runs, cutoff, passages)
    counts = {
        "n_passages": len(passages),
        "n_words": _words(pool, passages),
        "n_same_text": len(passages) - len(set(passages.values())),
        "n_without_text": len(absent),
        "n_empty": n_empty,
    }
    inputs = provenance(runs, None, queries, missing) | {"collection": files}
    return BuiltPairs(
        pool=pool,
        texts=texts_of({qid: None for qid, _ in map(_ids, pool.queries)}, queries),
        passages=passages,
        summary=sizes_of(pool, runs, queries) | counts,
        notices=tuple(notice for run in runs for notice in run.notices),
        remarks=tuple(remarks),
        inputs=inputs,
    )


def runs_to_pool(
    paths: Mapping[str, str | Path],
    queries: Queries,
    *,
    cutoff: int,
    order: Order,
    on_run: Callable[[], object] = lambda: None,
) -> list[Run]:
    """The first `cutoff` passages of each run for these queries; others are not checked."""
    if not 1 <= cutoff <= MOST_PASSAGES:
        raise InputError(
            f"{cutoff:,} passages of each query.", remedy=f"Use 1 to {MOST_PASSAGES:,}."
        )
    return read_runs(paths, order, set(queries.ids), cutoff, on_run)


def pairs_of(runs: Sequence[Run], cutoff: int, known: Collection[str] | None = None) -> Pool:
    """The pairs of these runs; of `known` passages alone, each at its rank among all.

    `InputError` for an id that is too long, and for more pairs than a pool has room for.
    """
    places: dict[str, list[Place]] = {}
    lists: dict[str, tuple[str, ...]] = {}
    for run in sorted(runs, key=lambda run: run.name):
        taken = []
        for qid in run.qids:
            for rank, docno in enumerate(run.documents(qid)[:cutoff], start=1):
                if known is None or docno in known:
                    taken.append(pair := pair_id(qid, docno))
                    places.setdefault(pair, []).append(Place(run.name, "", rank))
        lists[run.name] = tuple(taken)
    _check(places)
    pairs = tuple(PooledQuery(pair, tuple(places[pair])) for pair in sorted(places))
    return Pool(cutoff, lists, pairs, of_pairs=True)


def sizes_of(pool: Pool, runs: Sequence[Run], queries: Queries) -> dict[str, Any]:
    """The numbers of a pool of pairs that need no text."""
    n_in_runs = len(set().union(*(run.qids for run in runs)))
    return pool.summary() | {
        "n_queries": len(queries),
        "n_queries_missing": len(queries) - n_in_runs,
    }


def remarks_on_pairs(summary: Mapping[str, Any]) -> Iterator[str]:
    """Sentences about passages without text, and with the text of another, by a summary."""
    if n_absent := summary.get("n_without_text", 0):
        n_empty = summary.get("n_empty", 0)
        empty = f", {n_empty:,} of them empty there" if n_empty else ""
        yield f"Passages left out because the collection has no text for them: {n_absent:,}{empty}."
    if n_same := summary.get("n_same_text", 0):
        yield f"Passages with the text of another docno, which are kept: {n_same:,}."


def _ids(pair: PooledQuery) -> tuple[str, str]:
    return split_pair_id(pair.qid)


def _check(pairs: Collection[str]) -> None:
    if not pairs:
        raise InputError(
            "no run has a passage with a text for any of the queries.",
            remedy="Give the queries and the collection that the runs were made for.",
        )
    if len(pairs) > LARGEST_POOL:
        raise InputError(
            f"{len(pairs):,} pairs are more than the {LARGEST_POOL:,} that a pool can hold.",
            remedy="Take fewer passages of each query, or fewer queries.",
        )
    longest = max(pairs, key=len)
    if len(longest) > LONGEST_ID:
        qid, docno = split_pair_id(longest)
        raise InputError(
            f"the ids of query {qid[:40]!r} and passage {docno[:40]!r} have {len(longest):,} "
            f"characters together, more than {LONGEST_ID}.",
            remedy="Use shorter ids in runs, queries and collection.",
        )


def _first_documents(run: Run, cutoff: int) -> set[str]:
    return {docno for qid in run.qids for docno in run.documents(qid)[:cutoff]}


def _as_collected(
    runs: Iterable[Run], lookups: Iterable[Lookup], passages: Collection[str]
) -> tuple[list[Run], list[str]]:
    """The runs with docnos as the collection writes them, and what is to be said of that."""
    written: list[Run] = []
    remarks: list[str] = []
    for run, lookup in zip(runs, lookups, strict=True):
        names, remark = lookup.matched(passages, f"the documents of {run.name}", "the collection")
        written.append(renamed_documents(run) if names and remark else run)
        remarks += filter(None, [remark])
    return written, remarks


def _passages(
    collection: Sequence[str | Path],
    format_: Format,
    lookups: Sequence[Lookup],
    on_read: Callable[[int], object],
) -> tuple[dict[str, str], list[dict[str, str]]]:
    """The texts that are looked up, and name and digest of each file, in one pass."""
    texts: dict[str, str] = {}
    files = []
    for path in collection:
        digest = Digest()

        def take(block: bytes, digest: Digest = digest) -> None:
            digest.update(block)
            on_read(len(block))

        for docno, text in read_passages(path, format_, take):
            in_runs = [lookup.wants(docno) for lookup in lookups]
            if any(in_runs):
                if docno in texts:
                    raise InputError(
                        f"the passage {docno!r} is in an earlier file of the collection, too.",
                        path=path,
                        remedy="Each passage needs a docno of its own.",
                    )
                texts[docno] = text
        files.append({"file": Path(path).name, "digest": str(digest)})
    return texts, files


def _words(pool: Pool, passages: Mapping[str, str]) -> int:
    """The number of words of all pairs' passages."""
    lengths = {docno: len(text.split()) for docno, text in passages.items()}
    return sum(lengths[docno] for _, docno in map(_ids, pool.queries))


class PassagesWithoutTextError(InputError):
    """A run has passages without text in the collection, without a rule for them."""


def _without_text(
    runs: Iterable[Run], absent: set[str], n_empty: int, path: str | Path
) -> InputError:
    run = next(run for run in runs if not absent.isdisjoint(run.docnos.tolist()))
    docnos = [docno for docno in dict.fromkeys(run.docnos.tolist()) if docno in absent]
    more = " and others" if len(docnos) > _NAMED_AT_MOST else ""
    empty = f" Over all runs, {n_empty:,} are there, but empty." if n_empty else ""
    return PassagesWithoutTextError(
        f"{len(docnos):,} of the pooled passages of run {run.name!r} have no text there: "
        f"{', '.join(docnos[:_NAMED_AT_MOST])}{more}.{empty}",
        path=path,
        remedy='Give the collection that the run was made on, or choose missing="skip" '
        "(they are left out).",
    )
