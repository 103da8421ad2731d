"""The provenance of a report in words: for the page, and below every table."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from ..io.digests import digest_in
from ..results.scored_runs import ScoredRuns
from ..statistics.inference import USUAL, Inference
from ..vocabulary import COLLECTION
from .formats.layout import Table, Value, counted_queries
from .results import Results
from .sides import groups_in, left_out

_ORDERS = {
    "default": "score, then rank column, then document id descending",
    "trec_eval": "score, then document id descending (trec_eval)",
    "rank": "rank column",
}
_MISSING = {
    "error": "an error",
    "zero": "counted as documents without group words",
    "skip": "left out; the others keep their ranks",
}
_SHORT = 12

#: The name of the fact that describes the queries in words, if a report has one.
SUBSET = "Measured on"
#: The name of the fact that lists the measures that the word list does not allow.
LEFT_OUT = "Left out"

MAGNITUDE_TEXTS = {
    "tf": "tf = sum over words of log(1 + occurrences)",
    "logtc": "logtc = log(1 + occurrences of all words)",
    "bool": "bool = 1 where any word occurs",
    "tc": "tc = occurrences",
    "tfnorm": "tfnorm = occurrences per token",
}


@dataclass(frozen=True)
class Choices:
    """The choices for a report; every artefact states them."""

    baseline: str = ""
    paired: Mapping[str, str] = field(default_factory=dict)
    relevant: int = 1
    inference: Inference = USUAL

    @property
    def pairs(self) -> str:
        """Each model with the run of its random initialisation."""
        return "; ".join(f"{model} and {twin}" for model, twin in self.paired.items())


def facts(
    scored: ScoredRuns,
    results: Results,
    labels_note: str,
    background: str,
    choices: Choices,
) -> list[tuple[str, str]]:
    """Return pairs of term and value, for the head of the page."""
    source = scored.provenance
    scored_collection, terms = source["magnitudes"], choices.inference
    rows = [
        ("Queries", queries_text(source, results)),
        ("Labels", labels_note),
        ("Collection", _file(scored_collection, "collection_name", "collection_digest")),
        ("Scored collection", _file(scored_collection)),
        ("Tokeniser", scored_collection["tokenizer"]),
        ("Encoding repaired by", scored_collection.get("repair", "")),
        (
            "Word list",
            f"{scored_collection['lexicon_name']} (SHA-256 {scored_collection['lexicon_sha256']})",
        ),
        (LEFT_OUT, left_out(groups_in(scored_collection))),
        ("Magnitudes", "; ".join(MAGNITUDE_TEXTS[name] for name in results.magnitudes)),
        ("Baseline", choices.baseline),
        ("Pairs of trained and random", choices.pairs),
        ("Relevant from grade", str(choices.relevant) if "MRR" in results.measures else ""),
        ("Background of NFaiRR", background_note(results, background)),
        ("Test, correction, family", f"{terms.test}, {terms.correction}, {terms.family}"),
        ("Margin of equivalence", terms.margin),
        ("Difference to detect", terms.detect),
        ("Order of a ranking", _ORDERS[source["order"]]),
        ("Documents missing from the collection", missing_text(source, results)),
        *((f"Run {name}", _file(run)) for name, run in source["runs"].items()),
        *((f"Background {name}", _file(run)) for name, run in source["backgrounds"].items()),
        ("Program", f"Fairpool {source['fairpool']}"),
    ]
    return [(name, text) for name, text in rows if text]


def over(title: str, subset: str) -> str:
    """Return the title of a report, a table or a figure, with its queries.

    `subset` describes the queries by a scheme's labels; without it the title is unchanged.
    """
    if not subset:
        return title
    stop = "." * title.endswith(".")
    return f"{title.removesuffix('.')}, over {subset}{stop}"


def table_over(table: Table, subset: str) -> Table:
    """Return the table with this title, for print as well."""
    in_print = table.in_print and table_over(table.in_print, subset)
    return replace(table, title=over(table.title, subset), in_print=in_print)


def background_note(results: Results, background: str) -> str:
    """The background of NFaiRR; "" where it was not computed."""
    if "NFaiRR" not in results.measures:
        return ""
    if background == COLLECTION:
        return "NFaiRR over the whole collection."
    return f"NFaiRR over the documents of the run {background}."


def note(scored: ScoredRuns, results: Results, labels_note: str) -> str:
    """Return the sentence of facts that every table must state."""
    source = scored.provenance["magnitudes"]
    magnitudes = "; ".join(MAGNITUDE_TEXTS[name] for name in results.magnitudes)
    magnitude = f"magnitude {magnitudes}; " if magnitudes else ""
    labels = f"; {labels_note}" if labels_note else ""
    repaired = f", encoding repaired by {source['repair']}" if source.get("repair") else ""
    return (
        f"{queries_text(scored.provenance, results)}{labels}; tokeniser {source['tokenizer']}"
        f"{repaired}; "
        f"word list {source['lexicon_name']} ({source['lexicon_sha256'][:_SHORT]}); "
        f"{magnitude}ranked by {_ORDERS[scored.provenance['order']]}; "
        f"missing documents: {missing_text(scored.provenance, results)}."
    )


def record(
    scored: ScoredRuns, results: Results, labels_note: str, choices: Choices
) -> dict[str, Value]:
    """Return the origin for programs: columns that every table of numbers ends with."""
    source = scored.provenance["magnitudes"]
    return {
        "n_queries": _n_queries(results),
        "n_docs_missing": _n_missing(results),
        "missing": str(scored.provenance["missing"]),
        "order": str(scored.provenance["order"]),
        "tokenizer": str(source["tokenizer"]),
        "repair": str(source.get("repair", "")),
        "lexicon": str(source["lexicon_name"]),
        "lexicon_sha256": str(source["lexicon_sha256"]),
        "labels": labels_note,
        "magnitudes": "; ".join(results.magnitudes),
        "positive": next((r.positive for r in results.all if r.positive), ""),
        "baseline": choices.baseline,
        "paired": choices.pairs,
        **choices.inference.terms,
    }


def queries_text(source: Mapping[str, Any], results: Results) -> str:
    count = counted_queries(_n_queries(results))
    queries = source["queries"]
    if not queries:
        return f"{count}, those that the runs have"
    digest = digest_in(queries).rpartition(":")[2][:_SHORT]
    return f"{count} of {queries['file']}" + (f" ({digest})" if digest else "")


def missing_text(source: Mapping[str, Any], results: Results) -> str:
    return f"{_n_missing(results):,} over all runs, {_MISSING[source['missing']]}"


def _n_queries(results: Results) -> int:
    """The queries that the first measure is about, in any of the runs."""
    first = results.all[0].measure if results.all else ""
    return len(
        {qid for result in results.all if result.measure == first for qid in result.measured}
    )


def _n_missing(results: Results) -> int:
    """Documents within the largest cut-off, over all runs."""
    most: dict[str, int] = {}
    for result in results.all:
        most[result.run] = max(most.get(result.run, 0), result.n_docs_missing)
    return sum(most.values())


def _file(source: Mapping[str, Any], name: str = "file", digest: str = "digest") -> str:
    return f"{source[name]} ({digest_in(source, digest)})"
