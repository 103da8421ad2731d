"""The documents that gave a pooled query its bias, run by run."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

from annotation.models import Batch, BatchQuery, StudyPool
from annotation.studies.queries.stored_files import stored_path
from metrics.errors import InputError
from metrics.reports.explanation.explain import Explanation, explain, marked
from metrics.reports.provenance import MAGNITUDE_TEXTS
from metrics.runs.documents import read_rankings
from metrics.texts.lexicon import Lexicon
from metrics.texts.repair import repair_text
from metrics.vocabulary import TOKENIZERS, Missing, Tokenizer
from pooling.models import group_in_words
from pooling.queries import pool_groups, positive_side

#: The files of a pool, by name.
RANKINGS, TEXTS = "rankings.parquet", "texts.parquet"
#: Number of a run's first documents that are shown.
_MEASURE = "RaB"
_PAIR = 2


@dataclass(frozen=True)
class ShownDocument:
    """One rank: its text in pieces, each with the group of its word or ""."""

    rank: int
    docno: str
    score: float
    pieces: Sequence[tuple[str, str]]
    is_missing: bool
    magnitudes: Sequence[tuple[str, float]]
    bias: float | None


@dataclass(frozen=True)
class RunDocuments:
    """The first documents of one run."""

    run: str
    documents: Sequence[ShownDocument]


@dataclass(frozen=True)
class QueryDocuments:
    """Documents of a query; where they are unknown, `why_not` says what to do.

    `groups` are those of the word list. A positive bias leans to `positive`, in words; a pool of
    more than two groups has no bias of a document.
    """

    runs: Sequence[RunDocuments] = ()
    magnitude: str = ""
    groups: Sequence[str] = ()
    positive: str = ""
    facts: Sequence[tuple[str, str]] = ()
    why_not: str = ""

    @property
    def groups_in_words(self) -> list[tuple[str, str]]:
        return [(group, group_in_words(group)) for group in self.groups]


def query_documents(*, batch: Batch, query: BatchQuery) -> QueryDocuments:
    """The documents behind a query of the batch, with the words that count; one statement."""
    if batch.pool_id is None:
        return QueryDocuments(why_not="The batch was not made from a pool.")
    place = StudyPool.objects.select_related("pool").get(pool=batch.pool_id)
    if not place.documents:
        return QueryDocuments(
            why_not="The texts of its documents are not stored. Add the collection to the files of "
            "the study; the next pool or report takes them from it."
        )
    try:
        return _documents(query.qid, place)
    except InputError as error:
        return QueryDocuments(why_not=str(error))


def _documents(qid: str, place: StudyPool) -> QueryDocuments:
    pool, stored = place.pool, place.documents
    lexicon = Lexicon(
        name=stored["lexicon"]["name"],
        groups=tuple(stored["lexicon"]["words"]),
        words=tuple(tuple(words) for words in stored["lexicon"]["words"].values()),
    )
    name = pool.inputs["magnitudes"]["tokenizer"]
    tokenizer = cast("Tokenizer", name if name in TOKENIZERS else "word")
    repaired = repair_text if pool.inputs["magnitudes"].get("repair") else str
    missing: Missing = "skip" if pool.inputs.get("missing") == "skip" else "zero"
    pooled = pool_groups(pool)
    pair = (pooled[0], pooled[1]) if len(pooled) == _PAIR else None
    rankings = read_rankings(stored_path(stored[RANKINGS]), stored_path(stored[TEXTS]), qid)
    runs = [
        _shown(
            explain(
                ranking.as_run(qid),
                qid,
                {docno: repaired(text) for docno, text in ranking.texts.items()},
                lexicon,
                tokenizer=tokenizer,
                magnitude_name=pool.magnitude,
                depth=pool.rank_cutoff,
                missing=missing,
                measures=[_MEASURE] if pair else [],
                sides=pair,
            ),
            lexicon,
            tokenizer,
        )
        for ranking in rankings
    ]
    positive, facts = positive_side(pooled), _facts(place, lexicon)
    return QueryDocuments(runs, pool.magnitude, lexicon.groups, positive, facts)


def _shown(explanation: Explanation, lexicon: Lexicon, tokenizer: Tokenizer) -> RunDocuments:
    return RunDocuments(
        explanation.run,
        [
            ShownDocument(
                rank=document.rank,
                docno=document.docno,
                score=document.score,
                pieces=marked(document.text or "", lexicon, tokenizer),
                is_missing=document.text is None,
                magnitudes=list(document.magnitudes.items()),
                bias=document.running.get(_MEASURE),
            )
            for document in explanation.documents
        ],
    )


def _facts(place: StudyPool, lexicon: Lexicon) -> list[tuple[str, str]]:
    made_from = place.pool.inputs["magnitudes"]
    collection = [f"{file['name']} ({file['digest']})" for file in place.documents["collection"]]
    return [
        ("Magnitude", MAGNITUDE_TEXTS[place.pool.magnitude]),
        ("Tokeniser", str(made_from["tokenizer"])),
        *([("Encoding repaired by", made_from["repair"])] if made_from.get("repair") else []),
        ("Word list", f"{lexicon.name} (SHA-256 {lexicon.sha256})"),
        ("Collection", "; ".join(collection)),
    ]
