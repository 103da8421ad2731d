"""Explanation of a ranking's bias: its documents, their group words, every measure by rank."""

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import InputError
from ...measures import arab, awrf, fairr, rab, ted, texfair
from ...measures.sides import sides_of
from ...runs import Run
from ...texts.lexicon import Lexicon
from ...texts.magnitude import Scores, magnitude, score_texts, whole_numbers
from ...texts.tokens import token_spans, tokenize
from ...vocabulary import Missing, Tokenizer

_PAIR = 2
_NAMED_AT_MOST = 5

_Matrix = NDArray[Any]


@dataclass(frozen=True)
class Document:
    """One rank: `words` are the group words of the document with their counts, by group.

    `running` are the values of the measures for the ranking that ends here; None is undefined.
    `text` is None for a document that is not in the collection.
    """

    rank: int
    docno: str
    score: float
    text: str | None
    n_tokens: int
    words: Mapping[str, Mapping[str, int]]
    magnitudes: Mapping[str, float]
    running: Mapping[str, float | None]


@dataclass(frozen=True)
class Explanation:
    """The ranking of one query by one run."""

    run: str
    qid: str
    magnitude: str
    tokenizer: str
    lexicon: str
    documents: Sequence[Document]

    def as_dict(self) -> dict[str, Any]:
        """Ready for JSON."""
        return asdict(self)


def explain(
    run: Run,
    qid: str,
    texts: Mapping[str, str],
    lexicon: Lexicon,
    *,
    tokenizer: Tokenizer = "word",
    magnitude_name: str = "tf",
    depth: int = 10,
    missing: Missing = "error",
    measures: Collection[str] | None = None,
    sides: tuple[str, str] | None = None,
) -> Explanation:
    """Explain the first `depth` ranks of `qid`; `texts` holds the texts of its documents.

    The running values are those of `measures`, or of all that there are for the groups of words;
    RaB compares `sides`, or the usual groups of the word list.
    Raises `InputError` for a query that the run does not have, and, unless `missing` says
    otherwise, for a document without text.
    """
    if depth < 1:
        raise InputError(f"the depth is {depth}.", remedy="Use 1 or more.")
    ranking = _ranking(run, qid)[:depth]
    absent = [docno for docno, _ in ranking if docno not in texts]
    if absent and missing == "error":
        raise InputError(
            f"{len(absent)} of the documents are not in the collection: "
            f"{', '.join(absent[:_NAMED_AT_MOST])}{', ...' * (len(absent) > _NAMED_AT_MOST)}.",
            path=run.path or None,
            remedy='Give the collection of the run, or missing="zero" or missing="skip".',
        )
    scores = score_texts([texts.get(docno, "") for docno, _ in ranking], lexicon, tokenizer)
    present = np.array([missing != "skip" or docno in texts for docno, _ in ranking])
    values = {
        group: magnitude(magnitude_name, scores.n_tokens, scores.tc[group], scores.tf[group])
        for group in lexicon.groups
    }
    exact = {group: whole_numbers(magnitude_name, array) for group, array in values.items()}
    running = running_values(scores, exact, present, measures, sides)
    documents = [
        Document(
            rank=place + 1,
            docno=docno,
            score=score,
            text=texts.get(docno),
            n_tokens=int(scores.n_tokens[place]),
            words=_group_words(texts.get(docno, ""), lexicon, tokenizer),
            magnitudes={group: float(values[group][place]) for group in lexicon.groups},
            running={name: column[place] for name, column in running.items()},
        )
        for place, (docno, score) in enumerate(ranking)
    ]
    return Explanation(run.name, qid, magnitude_name, tokenizer, lexicon.name, documents)


def running_values(
    scores: Scores,
    values: Mapping[str, _Matrix],
    present: NDArray[np.bool_],
    only: Collection[str] | None = None,
    sides: tuple[str, str] | None = None,
) -> dict[str, list[float | None]]:
    """Each measure for the ranking cut at rank 1, 2, ..., from the scores of its documents."""
    groups = list(scores.tc)
    counts = [scores.tc[group] for group in groups]
    measures: dict[str, Callable[[int], NDArray[np.float64]]] = {}
    if sides := sides or sides_of(groups):
        low, high = (values[group] for group in sides)
        measures["RaB"] = lambda k: rab(low, high, k, present)
        measures["ARaB"] = lambda k: arab(low, high, k, present)
    if len(groups) == _PAIR:
        measures["FaiRR"] = lambda k: fairr(counts[0], counts[1], k, present)
    measures["AWRF"] = lambda k: awrf(counts, k, present=present)
    measures["TED"] = lambda k: ted(counts, scores.n_tokens, k, present=present)
    measures["TExFAIR"] = lambda k: texfair(counts, scores.n_tokens, k, present=present)
    measures["TExFAIR-noRBDF"] = lambda k: texfair(
        counts, scores.n_tokens, k, rbdf=False, present=present
    )
    ranks = range(1, len(present) + 1)
    return {
        name: [_defined(of(k)) for k in ranks]
        for name, of in measures.items()
        if only is None or name in only
    }


def _ranking(run: Run, qid: str) -> list[tuple[str, float]]:
    if qid not in run.qids:
        raise InputError(f"the run {run.name!r} has no query {qid!r}.", path=run.path or None)
    query = run.qids.index(qid)
    start, stop = int(run.offsets[query]), int(run.offsets[query + 1])
    docnos = run.docnos[start:stop].tolist()
    return list(zip(docnos, map(float, run.scores[start:stop]), strict=True))


def _group_words(text: str, lexicon: Lexicon, tokenizer: Tokenizer) -> dict[str, dict[str, int]]:
    counts = Counter(token for token in tokenize(text, tokenizer) if token in lexicon.group_of)
    return {
        group: {word: counts[word] for word in words if word in counts}
        for group, words in zip(lexicon.groups, lexicon.words, strict=True)
    }


def marked(text: str, lexicon: Lexicon, tokenizer: Tokenizer) -> list[tuple[str, str]]:
    """The text in pieces, each with the group of its word, or "" for what lies between.

    The pieces put together are the text.
    """
    pieces, done = [], 0
    for token, start, stop in token_spans(text, tokenizer):
        if token in lexicon.group_of:
            pieces += [(text[done:start], ""), (text[start:stop], lexicon.group_of[token])]
            done = stop
    pieces.append((text[done:], ""))
    return [(piece, group) for piece, group in pieces if piece]


def _defined(value: NDArray[np.float64]) -> float | None:
    return None if np.isnan(value) else float(value)


def explanation_text(explanation: Explanation, query: str = "", *, width: int = 100) -> str:
    """The explanation for a terminal: control characters of the texts are shown as a blank."""
    heading = f": {visible(query)}" if query else ""
    lines = [
        f"Query {explanation.qid}{heading}",
        (
            f"Run {explanation.run}; magnitude {explanation.magnitude}; tokeniser "
            f"{explanation.tokenizer}; word list {explanation.lexicon}"
        ),
    ]
    for document in explanation.documents:
        lines += ["", *_document_lines(document, width)]
    return "\n".join([*lines, ""])


def _document_lines(document: Document, width: int) -> list[str]:
    words = "; ".join(
        f"{group}: " + (", ".join(f"{w} x {n}" for w, n in counts.items()) or "-")
        for group, counts in document.words.items()
    )
    sizes = ", ".join(f"{group} {value:.3f}" for group, value in document.magnitudes.items())
    values = "  ".join(
        f"{name} {'-' if value is None else format(value, '.4f')}"
        for name, value in document.running.items()
    )
    text = "(not in the collection)" if document.text is None else visible(document.text)
    excerpt = text if len(text) <= width else text[: width - 3] + "..."
    return [
        (
            f"{document.rank:3d}  {visible(document.docno)}  score {document.score:.4f}, "
            f"{document.n_tokens} tokens"
        ),
        f"     {excerpt}",
        f"     words      {words}",
        f"     magnitude  {sizes}",
        f"     so far     {values}",
    ]


def visible(text: str) -> str:
    """The text with a blank for each control character, so that a terminal shows it as it is."""
    return "".join(character if character.isprintable() else " " for character in text)
