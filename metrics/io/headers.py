"""Columns as programs and people write them, by their names."""

from collections.abc import Collection, Iterable, Sequence

#: How many of the first bytes of a file are looked at.
HEAD = 1 << 16

#: The first name of a kind that a header has is its column.
QIDS = ("qid", "q_id", "query_id", "queryid", "topic_id", "topicid", "topic")
#: PyTerrier's `docid` is a number of its own index, beside `docno`.
DOCNOS = (
    "docno", "doc_no", "doc_id", "document_id", "corpus_id", "pid", "passage_id", "passageid",
    "docid", "did", "document", "doc", "_id", "id",
)  # fmt: skip
TEXTS = (
    "text", "contents", "content", "passage", "segment", "body", "passage_text", "document_text",
    "doc_text", "document",
)  # fmt: skip
QUERIES = ("query", "text", "query_text", "question", "utterance", "title", "contents", "content")
GRADES = ("relevance", "label", "rel", "grade", "score", "judgment", "judgement", "rating")
SCORES = ("score", "sim", "similarity")
RANKS = ("rank", "ranking", "position")
LABELS = ("label", "category", "gender", "class", "group", "answer")


def normal(name: str) -> str:
    """Normalise the spelling of a name.

    >>> normal(' "Query-ID"')
    'query_id'
    """
    return name.strip(' \t\r\n"#\ufeff').lower().replace("-", "_").replace(" ", "_")


def place_of(header: Iterable[str], names: Collection[str]) -> int | None:
    """Return the place of the first of these names in the header; None without any."""
    known = [normal(cell) for cell in header]
    return next((known.index(name) for name in names if name in known), None)


def places_of(header: Sequence[str], *kinds: Collection[str]) -> tuple[int, ...] | None:
    """Where the header has a column of each kind; None where it lacks one: then it is none."""
    places = [place_of(header, names) for names in kinds]
    known = tuple(place for place in places if place is not None)
    return known if len(known) == len(kinds) == len(set(known)) else None


def separator_of(line: str) -> str | None:
    r"""Return what parts a line's cells: a tab, else a comma, else a semicolon; None for blanks."""
    return next((mark for mark in "\t,;" if mark in line), None)
