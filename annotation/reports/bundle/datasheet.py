"""The datasheet: what is in a bundle, for someone who finds only the zip.

After Gebru et al., Datasheets for Datasets, Communications of the ACM 64 (2021).
"""

from collections import Counter
from collections.abc import Mapping
from typing import Any

from annotation.reports.bundle.study import StudyBundle
from annotation.task_page import CANNOT_TELL
from metrics.vocabulary import Category

_LABELS = {
    **{category.value: category.label.lower() for category in Category},
    "tie": "tie: no category has more votes than every other",
}
_VOTERS = {
    "human": "people",
    "simulated": "SIMULATED workers, not people",
    "model": "LANGUAGE MODELS, not people",
    "unverified": "participants of panels of whom NOTHING PROVES who they are",
}
FILES = {
    "queries.csv": "the queries in the order in which they were cut into HITs; `gold` marks checks",
    "votes.csv": "every vote under a pseudonym; `repeated` and `set_aside` votes do not count",
    "labels.csv": "the label that stands for each query, and how it came about",
    "agreement.json": "agreement with intervals, patterns and confusion",
    "pool.csv": "why each query is in the pool: its places in the runs' lists",
    "codebook.json": "the question, the definitions and the examples that annotators read",
    "task.html": "the page of the first HIT as annotators saw it",
    "documents.csv": "the top 30 documents of each run and query with their group words",
    "bias.csv": "RaB and ARaB of each run over the queries labelled non-gendered",
    "figures/bias_per_query.csv": "the same per query: the data of the figures",
    "ro-crate-metadata.json": "what the files are, as repositories read it (RO-Crate 1.1)",
    "manifest.json": "parameters, seeds, versions, digests of every input, SHA-256 of every file",
}

_WHAT = (
    "Search queries, people's judgements of whether they refer to a gender, and the gender bias "
    "of retrieval models on the queries that do not. Written by Fairpool; "
    "`python manage.py verify_bundle FILE` computes the labels, the agreement and the bias again "
    "from the votes."
)
_LIMITS = (
    "Made to measure bias on queries without a gender. The categories describe the words of a "
    "query, not the person who asked. Labels by few voters err; read them with the agreement. "
    "Pseudonyms are keyed: the votes of one person can be told together, not who it is."
)


def datasheet(study: StudyBundle, agreement: Mapping[str, Any]) -> str:
    """Markdown, the same for the same study."""
    sections = {
        f"# Datasheet of the study `{study.name}`": _WHAT,
        "## Composition": _composition(study),
        "## Collection": _collection(study),
        "## Codebook": _codebook(study),
        "## Agreement": _agreement(agreement),
        "## Labelling": _labelling(study),
        "## Retrieval": _retrieval(study),
        "## Files": _file_list(study),
        "## Uses and limits": _LIMITS,
    }
    return "\n\n".join(part for section in sections.items() for part in section) + "\n"


def _composition(study: StudyBundle) -> str:
    labels = Counter(row.label for row in study.labels)
    n_queries = sum(1 for row in study.queries if not row.gold)
    lines = [f"- {n_queries} queries", f"- {len(study.queries) - n_queries} gold questions"]
    lines += [f"- {labels[code]} labelled {name}" for code, name in _LABELS.items()]
    lines.append(f"- {n_queries - sum(labels.values())} without a label")
    return "\n".join(lines)


def _collection(study: StudyBundle) -> str:
    kinds = Counter(row.kind for row in study.votes if row.category != CANNOT_TELL)
    n_cannot_tell = sum(1 for row in study.votes if row.category == CANNOT_TELL)
    lines = [
        f"- {count} votes by {_VOTERS.get(kind, kind)}" for kind, count in sorted(kinds.items())
    ]
    if n_cannot_tell:
        lines.append(f"- {n_cannot_tell} answers “I cannot tell” (`u`): no vote for a category")
    lines += [f"- {name.replace('_', ' ')}: {value}" for name, value in study.terms.items()]
    return "\n".join(lines) or "- no votes: the labels were imported"


def _codebook(study: StudyBundle) -> str:
    if study.codebook is None:
        return "The texts that annotators read are not known: the votes or labels were imported."
    head = (
        f"Version {study.codebook['version']}, language `{study.codebook['language']}`. "
        f"Question: {study.codebook['question']}\n\n{study.codebook['instructions']}\n"
    )
    lines = []
    for code, text in study.codebook["categories"].items():
        lines.append(f"- `{code}` {text['name']}: {text['definition']}")
        lines += [f"  - “{example}”" for example in text["examples"]]
        if text["borderline"]:
            lines.append(f"  - borderline: “{text['borderline']}”. {text['reason']}")
    return "\n".join([head, *lines])


def _agreement(agreement: Mapping[str, Any]) -> str:
    names = ("raw_agreement", "krippendorff_alpha", "gwet_ac1", "fleiss_kappa")
    lines = [f"- {name.replace('_', ' ')}: {_interval(agreement[name])}" for name in names]
    lines += [f"- {warning}" for warning in agreement["warnings"]]
    return "\n".join(lines)


def _interval(one: Mapping[str, float | None]) -> str:
    value, low, high, level = (one[name] for name in ("value", "low", "high", "level"))
    if value is None or low is None or high is None or level is None:
        return "undefined"
    return f"{value:.4f} ({level:.0%} interval {low:.4f} to {high:.4f})"


def _labelling(study: StudyBundle) -> str:
    sources = Counter(row.source for row in study.labels)
    lines = [f"- method: {study.parameters.method.replace('_', ' ')}"]
    lines += [f"- {count} {source}" for source, count in sorted(sources.items())]
    return "\n".join(lines)


def _retrieval(study: StudyBundle) -> str:
    if not study.runs:
        return "No run was put into this bundle."
    names = ", ".join(ranked.name for ranked in study.runs)
    return f"- runs: {names}\n- inputs, tokeniser and word list: see `retrieval` in manifest.json"


def _file_list(study: StudyBundle) -> str:
    absent = set()
    if study.pool is None:
        absent.add("pool.csv")
    if not study.task_page:
        absent.add("task.html")
    if study.codebook is None:
        absent.add("codebook.json")
    if not study.runs:
        absent |= {"documents.csv", "bias.csv", "figures/bias_per_query.csv"}
    return "\n".join(f"- `{name}`: {what}" for name, what in FILES.items() if name not in absent)
