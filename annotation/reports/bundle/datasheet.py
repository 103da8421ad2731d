"""The datasheet: a bundle's description for someone who finds only the zip.

After Gebru et al., Datasheets for Datasets, Communications of the ACM 64 (2021).
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from annotation.core.counting import plural
from annotation.labels.export.label_formats.qrels import QRELS_FILES, RULES
from annotation.reports.bundle.described import outdated_in_words
from annotation.reports.bundle.study import BatchBundle, PoolBundle, StudyBundle
from annotation.schemes import CANNOT_TELL, JOINED, Question
from metrics.vocabulary import INTERVAL
from metrics.votes.agreement import interval_words
from metrics.votes.intervals import IntervalMethod


def figures_in_words(figures: Mapping[str, Any], question: Question) -> str:
    """Describe each figure for the pool itself, of answers to `question`, and its basis."""
    models = ", ".join(f"`{name}`" for name in figures["models"]) or "no model"
    looks = ", at every look at ever more labels" if figures["every_look"] else ""
    head = (
        f"{figures['n_labelled']} of {figures['n_pool']} queries of the pool `{figures['pool']}` "
        f"were drawn at random ({figures['design']}, seed {figures['seed']}) and labelled by "
        f"voters; {models} labelled all. {INTERVAL}s for this pool{looks}; figures of models alone "
        "have no valid interval.\n"
    )
    lines = [_line(row, question) for row in figures["rows"] if row["target"] == "pool"]
    return "\n".join([head, *lines])


def _line(row: Mapping[str, Any], question: Question) -> str:
    name = "corrected" if row["corrected"] is not None else "people"
    alone = "" if row["models"] is None else f"; models alone {row['models']:.4f}"
    return f"- {_name(row, question)}: {name} {_interval(row, name)}, {row['n']} labels{alone}"


def _name(row: Mapping[str, Any], question: Question) -> str:
    codes = row["category"].split(JOINED)
    category = " or ".join(question.words([code]) for code in codes).lower()
    if row["figure"] == "share":
        return f"share {category}"
    minus = f" minus `{row['baseline']}`" if row["baseline"] else ""
    return f"mean bias of `{row['run']}`{minus}, {category}"


def _interval(row: Mapping[str, Any], name: str) -> str:
    value, low, high = (row[f"{name}{end}"] for end in ("", "_low", "_high"))
    if value is None:
        return "undefined"
    if low is None or high is None:
        return f"withheld ({row['withheld']})"
    return f"{value:.4f} ({low:.4f} to {high:.4f})"


_VOTERS = {
    "human": "people",
    "simulated": "SIMULATED workers, not people",
    "model": "LANGUAGE MODELS, not people",
    "unverified": "participants of panels whose identity NOTHING PROVES",
}
#: By the name of a file in its folder.
FILES = {
    "batch.json": "a batch: its name, its pool, the terms of its HITs, methods, parameters, seeds",
    "queries.csv": "the queries, of a batch in the order of its HITs; `gold` marks gold questions",
    "votes.csv": "every vote under a pseudonym; `repeated` and `set_aside` votes do not count",
    "labels.csv": "the label that stands for each query, and how it came about",
    "answers.csv": "instead of votes and labels, if something else than the categories is "
    "asked: every answer to a closed question under a pseudonym; `?` is *I cannot tell*, "
    "`set_aside` answers do not count, those that were rejected are left out",
    "texts.csv": "what annotators wrote, under a pseudonym: answers to open questions, comments on "
    "an answer (`option`) and on a whole task (no query). MAY HOLD PERSONAL DATA",
    "decisions.csv": "what is decided by each question about each query",
    "agreement.json": "agreement with intervals, patterns and confusion",
    "scheme.json": "the questions that a batch asks, their options, and the subset they make",
    "task.html": "the page of the first HIT as annotators saw it",
    "documents.csv": "the top 30 documents of each run and query with their group words",
    "bias.csv": "RaB and ARaB of each run over the subset of the batch's scheme, such as the "
    "queries labelled non-gendered",
    "corrected.json": "shares and mean bias of the pool that was drawn from: by people, by models, "
    "and corrected",
    "model.json": "a model that labelled queries: how it was asked, with its prompt",
    "model_labels.csv": "its label of each query, and its belief in it; no label: no valid answer",
    "bias_per_query.csv": "the same per query: the data of the figures",
    "pool.json": "a pool: its cut-offs, and the digests of what it was made from",
    "pool.csv": "why each query is in the pool: its places in the runs' lists",
    "passages.csv": "the passages of pairs of query and passage, in a pool or a batch",
    **{
        QRELS_FILES[rule]: f"the grades of pairs as trec_eval reads them, by {words}"
        for rule, words in RULES.items()
    },
    "report.json": "a bias report: what was measured, and the digests of what it was made from",
    "report.zip": "the tables and figures of a bias report",
    "per_query.parquet": "every value of every query of a bias report",
    "statistics.json": "intervals and tests of a bias report",
    "ro-crate-metadata.json": "what the files are, as repositories read it (RO-Crate 1.1)",
    "manifest.json": "versions, name, size and digest of every input, SHA-256 of every file",
}
_WHAT = (
    "Search queries, people's answers to questions about them, and the bias of retrieval models on "
    "the queries that these choose. Written by Fairpool; `python manage.py study verify-bundle "
    "FILE` computes the decisions, the agreement, the bias and corrected figures again from the "
    "answers; `study import-bundle FILE` makes a study of it."
)
_LIMITS = (
    "Answers describe the words of a query, not the person who asked. Decisions by few people "
    "err; read them with the agreement. Pseudonyms are keyed: one can tell which answers are of "
    "the same person, but not who it is."
)
_PERSONAL = (
    "THEY MAY HOLD PERSONAL DATA, of those who wrote them or of others: read them before you pass "
    "this bundle on. A release leaves them out unless they are chosen."
)


def datasheet(study: StudyBundle, figures: Sequence[Mapping[str, Any] | None]) -> str:
    """Markdown, the same for the same study; `figures` are None for a batch without."""
    sections = {f"# Datasheet of the study `{study.name}`": _WHAT}
    if study.description:
        sections["## Purpose"] = study.description
    sections["## Pools"] = _pools(study)
    if study.models:
        sections["## Models that labelled queries"] = _models(study)
    of_batches = zip(study.batches, figures, strict=True)
    for number, (batch, corrected) in enumerate(of_batches, 1):
        sections[f"## Batch {number}: `{batch.name}`"] = f"In `batches/{number}/`."
        sections |= {
            f"### {title} (batch {number})": text
            for title, text in _batch_sections(batch, corrected).items()
        }
    sections |= {
        "## Bias reports": _reports(study),
        "## Files that were measured with": _inputs(study),
        "## Files of this bundle": "\n".join(f"- `{name}`: {what}" for name, what in FILES.items()),
        "## Uses and limits": _LIMITS,
    }
    return "\n\n".join(part for section in sections.items() for part in section) + "\n"


def _batch_sections(batch: BatchBundle, corrected: Mapping[str, Any] | None) -> dict[str, str]:
    question = batch.scheme.subset_question
    figures = {"Corrected figures": figures_in_words(corrected, question)} if corrected else {}
    return {
        "Composition": _composition(batch),
        "Collection": _collection(batch),
        "Scheme": _scheme(batch),
        "Agreement": _agreement(batch),
        "Decisions": _decisions(batch),
        **figures,
        "Retrieval": _retrieval(batch),
    }


def _models(study: StudyBundle) -> str:
    """Describe the models, which are neither voters nor part of the agreement."""
    lines = []
    for number, model in enumerate(study.models, 1):
        missing = sum(not row.category and row.belief is None for row in model.labels)
        digest = model.terms["prompt_sha256"]
        prompt = f"prompt with SHA-256 {digest}" if digest else "prompt unknown"
        lines.append(
            f"- `models/{number}/`: `{model.name}` ({model.terms['origin']}), "
            f"{len(model.labels)} answers, {missing} of them missing, {prompt}"
        )
    return "\n".join(lines)


def _pools(study: StudyBundle) -> str:
    lines = [
        f"- `pools/{number}/`: `{pool.name}`, {len(pool.queries)} "
        f"{'pairs of query and passage' if pool.of_pairs else 'queries'}{_drawn(pool)}"
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
    n_gold = sum(1 for row in batch.queries if row.gold)
    subset = f"{len(batch.measured)} of them {batch.scheme.subset.words}"
    lines = [f"- {len(batch.queries) - n_gold} {plural(batch.scheme.item_noun)}, {subset}"]
    lines += [f"- {n_gold} gold questions"] if n_gold else []
    if batch.texts:
        lines.append(f"- {len(batch.texts)} free texts in `texts.csv`. {_PERSONAL}")
    return "\n".join(lines)


def _collection(batch: BatchBundle) -> str:
    gold = {row.qid for row in batch.queries if row.gold}
    counted = {
        (row.kind, row.question, row.qid, row.worker)
        for row in batch.answers
        if row.counts and row.option != CANNOT_TELL and row.qid not in gold
    }
    kinds = Counter(kind for kind, *_ in counted)
    lines = [
        f"- {count} answers by {_VOTERS.get(kind, kind)} count"
        for kind, count in sorted(kinds.items())
    ]
    places, votes = (_states(counts) for counts in (batch.places, batch.vote_states))
    if places:
        lines.insert(0, f"- {sum(batch.places.values())} answers asked for: {places}")
    if votes:
        nouns = plural(batch.scheme.item_noun)
        lines.append(f"- votes on {nouns} that are not a gold question: {votes}")
    lines += [f"- {name.replace('_', ' ')}: {value}" for name, value in batch.terms.items()]
    return "\n".join(lines) or "- no votes: the labels were imported"


def _states(counts: Mapping[str, int]) -> str:
    """Numbers of answers or votes by state, in words."""
    return ", ".join(f"{n} {state.replace('_', ' ')}" for state, n in counts.items() if n)


def _scheme(batch: BatchBundle) -> str:
    scheme = batch.scheme
    if not batch.is_scheme_known:
        return "The texts that annotators read are not known: the votes or labels were imported."
    head = f"`{scheme.name}`, {scheme.title}, language `{scheme.language}`."
    blocks = [head] + [text for text in (scheme.instructions, scheme.content_warning) if text]
    for question in scheme.questions:
        lines = [f"**`{question.name}`** ({question.kind}): {question.text}\n"]
        for option in question.options:
            definition = f": {option.definition}" if option.definition else ""
            lines.append(f"- `{option.code}` {option.label}{definition}")
            lines += [f"  - “{example}”" for example in option.examples]
            if option.counter_example:
                lines.append(f"  - not: “{option.counter_example}”. {option.counter_reason}")
        blocks.append("\n".join(lines))
    return "\n\n".join(blocks)


def _agreement(batch: BatchBundle) -> str:
    lines = [
        f"- {name.replace('_', ' ')}: {estimate_words(estimate)}"
        for name, estimate in batch.layout.estimates(batch.agreement)
    ]
    lines.append(f"- {interval_words(IntervalMethod(batch.parameters.interval))}")
    lines += [f"- {remark}" for remark in batch.layout.remarks(batch.agreement)]
    return "\n".join(lines)


def estimate_words(estimate: Mapping[str, float | None], *, decimals: int = 4) -> str:
    """An estimate with its interval, or that it has none."""
    value, low, high, level = (estimate[name] for name in ("value", "low", "high", "level"))
    if value is None or level is None:
        return "undefined"
    if low is None or high is None:
        return f"{value:.{decimals}f} (no interval)"
    return f"{value:.{decimals}f} ({level:.0%} interval {low:.{decimals}f} to {high:.{decimals}f})"


def _decisions(batch: BatchBundle) -> str:
    lines = []
    for row in batch.results.questions:
        question = row.question
        decisions = [
            row for row in batch.decisions if row.question == question.name and row.decided
        ]
        counts = Counter(code for decision in decisions for code in decision.decided.split(JOINED))
        by = batch.parameters.methods.get(question.name, "").replace("_", " ") or row.rule
        options = ", ".join(
            f"{counts[code]} {question.words([code])} (`{code}`)" for code in question.codes
        )
        n_open = len(batch.results.queries) - len(decisions)
        lines.append(f"- `{question.name}`, by {by}: {options}, {n_open} open")
        sources = Counter(decision.source for decision in decisions)
        lines += [f"  - {count} {source}" for source, count in sorted(sources.items())]
    lines += [f"- {outdated_in_words(batch.outdated)}"] if batch.outdated else []
    return "\n".join(lines)


def _retrieval(batch: BatchBundle) -> str:
    if not batch.runs:
        return "No documents of runs are in this batch's folder."
    names = ", ".join(ranked.name for ranked in batch.runs)
    return f"- runs: {names}\n- inputs, tokeniser and word list: see `retrieval` in batch.json"
