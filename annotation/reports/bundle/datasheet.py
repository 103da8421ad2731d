"""The datasheet: what is in a bundle, for someone who finds only the zip.

After Gebru et al., Datasheets for Datasets, Communications of the ACM 64 (2021).
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from annotation.agreement.intervals import IntervalMethod
from annotation.agreement.summary import interval_words
from annotation.reports.bundle.described import outdated_in_words
from annotation.reports.bundle.study import BatchBundle, PoolBundle, StudyBundle
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
#: By the name of a file in its folder.
FILES = {
    "batch.json": "a batch: its name, its pool, the terms of its HITs, methods, parameters, seeds",
    "queries.csv": "the queries, of a batch in the order of its HITs; `gold` marks gold questions",
    "votes.csv": "every vote under a pseudonym; `repeated` and `set_aside` votes do not count",
    "labels.csv": "the label that stands for each query, and how it came about",
    "agreement.json": "agreement with intervals, patterns and confusion",
    "codebook.json": "the question, the definitions and the examples that annotators read",
    "task.html": "the page of the first HIT as annotators saw it",
    "documents.csv": "the top 30 documents of each run and query with their group words",
    "bias.csv": "RaB and ARaB of each run over the queries labelled non-gendered",
    "bias_per_query.csv": "the same per query: the data of the figures",
    "pool.json": "a pool: its cut-offs, and the digests of what it was made from",
    "pool.csv": "why each query is in the pool: its places in the runs' lists",
    "report.json": "a bias report: what was measured, and the digests of what it was made from",
    "report.zip": "the tables and figures of a bias report",
    "per_query.parquet": "every value of every query of a bias report",
    "statistics.json": "intervals and tests of a bias report",
    "ro-crate-metadata.json": "what the files are, as repositories read it (RO-Crate 1.1)",
    "manifest.json": "versions, name, size and digest of every input, SHA-256 of every file",
}

_WHAT = (
    "Search queries, people's judgements of whether they refer to a gender, and the gender bias "
    "of retrieval models on the queries that do not. Written by Fairpool; "
    "`python manage.py study verify-bundle FILE` computes the labels, the agreement and the bias "
    "again from the votes; `study import-bundle FILE` makes a study of it."
)
_LIMITS = (
    "Made to measure bias on queries without a gender. The categories describe the words of a "
    "query, not the person who asked. Labels by few voters err; read them with the agreement. "
    "Pseudonyms are keyed: the votes of one person can be told together, not who it is."
)


def datasheet(study: StudyBundle, agreements: Sequence[Mapping[str, Any]]) -> str:
    """Markdown, the same for the same study; `agreements` are those of its batches."""
    sections = {f"# Datasheet of the study `{study.name}`": _WHAT}
    if study.description:
        sections["## Purpose"] = study.description
    sections["## Pools"] = _pools(study)
    for number, (batch, agreement) in enumerate(zip(study.batches, agreements, strict=True), 1):
        sections[f"## Batch {number}: `{batch.name}`"] = f"In `batches/{number}/`."
        sections |= {
            f"### {title} (batch {number})": text
            for title, text in _batch_sections(batch, agreement).items()
        }
    sections |= {
        "## Bias reports": _reports(study),
        "## Files that were measured with": _inputs(study),
        "## Files of this bundle": _file_list(),
        "## Uses and limits": _LIMITS,
    }
    return "\n\n".join(part for section in sections.items() for part in section) + "\n"


def _batch_sections(batch: BatchBundle, agreement: Mapping[str, Any]) -> dict[str, str]:
    return {
        "Composition": _composition(batch),
        "Collection": _collection(batch),
        "Codebook": _codebook(batch),
        "Agreement": _agreement(agreement),
        "Labelling": _labelling(batch),
        "Retrieval": _retrieval(batch),
    }


def _pools(study: StudyBundle) -> str:
    lines = [
        f"- `pools/{number}/`: `{pool.name}`, {len(pool.queries)} queries{_drawn(pool)}"
        for number, pool in enumerate(study.pools, 1)
    ]
    return "\n".join(lines) or "The queries were not pooled."


def _drawn(pool: PoolBundle) -> str:
    sample = pool.terms.get("sample")
    if not sample:
        return ""
    return (
        f", drawn at random from `{sample['parent']}` (design: {sample['design']}, "
        f"seed {sample['seed']}); `pool.json` has the chance of each query"
    )


def _reports(study: StudyBundle) -> str:
    lines = [
        f"- `reports/{number}/`: {report.name or 'without a name'}, runs "
        f"{', '.join(report.request['runs'])}"
        for number, report in enumerate(study.reports, 1)
    ]
    return "\n".join(lines) or "None was made."


def _inputs(study: StudyBundle) -> str:
    lines = [
        f"- {file.kind} `{file.name}`, {file.size} bytes, {file.digest}"
        f"{'' if file.path else ' (not included)'}"
        for file in study.files
    ]
    return "\n".join(lines) or "The study has no files."


def _composition(batch: BatchBundle) -> str:
    labels = Counter(row.label for row in batch.labels)
    n_queries = sum(1 for row in batch.queries if not row.gold)
    lines = [f"- {n_queries} queries", f"- {len(batch.queries) - n_queries} gold questions"]
    lines += [f"- {labels[code]} labelled {name}" for code, name in _LABELS.items()]
    lines.append(f"- {n_queries - sum(labels.values())} without a label")
    return "\n".join(lines)


def _collection(batch: BatchBundle) -> str:
    gold = {row.qid for row in batch.queries if row.gold}
    kinds = Counter(
        row.kind
        for row in batch.votes
        if not (row.repeated or row.set_aside or row.category == CANNOT_TELL or row.qid in gold)
    )
    lines = [
        f"- {count} votes by {_VOTERS.get(kind, kind)} count"
        for kind, count in sorted(kinds.items())
    ]
    places, votes = (_states(counts) for counts in (batch.places, batch.vote_states))
    if places:
        lines.insert(0, f"- {sum(batch.places.values())} answers asked for: {places}")
    if votes:
        lines.append(f"- votes on queries that are no gold question: {votes}")
    lines += [f"- {name.replace('_', ' ')}: {value}" for name, value in batch.terms.items()]
    return "\n".join(lines) or "- no votes: the labels were imported"


def _states(counts: Mapping[str, int]) -> str:
    """Numbers of answers or votes by state, in words."""
    return ", ".join(f"{n} {state.replace('_', ' ')}" for state, n in counts.items() if n)


def _codebook(batch: BatchBundle) -> str:
    if batch.codebook is None:
        return "The texts that annotators read are not known: the votes or labels were imported."
    head = (
        f"Version {batch.codebook['version']}, language `{batch.codebook['language']}`. "
        f"Question: {batch.codebook['question']}\n\n{batch.codebook['instructions']}\n"
    )
    lines = []
    for code, text in batch.codebook["categories"].items():
        lines.append(f"- `{code}` {text['name']}: {text['definition']}")
        lines += [f"  - “{example}”" for example in text["examples"]]
        if text["borderline"]:
            lines.append(f"  - borderline: “{text['borderline']}”. {text['reason']}")
    return "\n".join([head, *lines])


def _agreement(agreement: Mapping[str, Any]) -> str:
    names = ("raw_agreement", "krippendorff_alpha", "gwet_ac1", "fleiss_kappa")
    lines = [f"- {name.replace('_', ' ')}: {_interval(agreement[name])}" for name in names]
    if "interval" in agreement:
        lines.append(f"- {interval_words(IntervalMethod(agreement['interval']))}")
    if agreement.get("variance"):
        lines.append(f"- {agreement['variance']['advice']}")
    lines += [f"- {warning}" for warning in agreement["warnings"]]
    return "\n".join(lines)


def _interval(one: Mapping[str, float | None]) -> str:
    value, low, high, level = (one[name] for name in ("value", "low", "high", "level"))
    if value is None or level is None:
        return "undefined"
    if low is None or high is None:
        return f"{value:.4f} (no interval)"
    return f"{value:.4f} ({level:.0%} interval {low:.4f} to {high:.4f})"


def _labelling(batch: BatchBundle) -> str:
    sources = Counter(row.source for row in batch.labels)
    if not batch.labels:
        return "- no labels are decided"
    lines = [f"- method: {batch.parameters.method.replace('_', ' ')}"]
    lines += [f"- {count} {source}" for source, count in sorted(sources.items())]
    lines += [f"- {outdated_in_words(batch.outdated)}"] if batch.outdated else []
    return "\n".join(lines)


def _retrieval(batch: BatchBundle) -> str:
    if not batch.runs:
        return "No documents of runs are in this batch's folder."
    names = ", ".join(ranked.name for ranked in batch.runs)
    return f"- runs: {names}\n- inputs, tokeniser and word list: see `retrieval` in batch.json"


def _file_list() -> str:
    return "\n".join(f"- `{name}`: {what}" for name, what in FILES.items())
