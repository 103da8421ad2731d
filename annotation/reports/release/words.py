"""Sentences about a release that all of its descriptions share."""

from collections.abc import Iterator

from annotation.reports.bundle.datasheet import estimate_words
from annotation.reports.release.data import Release
from annotation.schemes import Question

DEMOGRAPHICS = (
    "No attributes of annotators are collected. If any are, they are released only for groups "
    "of five or more annotators."
)
_PRIVACY = (
    "Annotators have names that hold within this release and cannot be joined with others. Ids "
    "of platforms, addresses{texts}the hour of an answer are left out. The texts of the queries "
    "are as they were added to the study."
)
_PERSONAL = (
    " What annotators wrote is in texts.csv as they wrote it: it may hold personal data, of them "
    "or of others."
)
MANIPULATION = (
    "Repeated votes and gold questions are left out. Votes of annotators whose votes were "
    "discarded have counts = 0 and do not count in labels, soft labels and agreement."
)
LIMITS = (
    "Decisions by few people err; read them with the agreement and the soft labels. Answers "
    "describe the words of a query, not the person who asked."
)
BIASES = (
    "Queries were chosen for a study of bias and are not a random sample of what people search "
    "for, unless the study says so. Annotators are those who accepted the task."
)
USES = (
    "Measuring the bias of retrieval models on queries of a category; studying how far annotators "
    "agree; training with soft labels. Not for judging people by their queries."
)
#: By the kind of a voter; what is said of more than one, and of one.
_VOTERS = {
    "human": "people",
    "simulated": "SIMULATED workers, not people",
    "model": "LANGUAGE MODELS, not people",
    "unverified": "participants of panels whose identity NOTHING PROVES",
}


KEYWORDS = ("information retrieval", "search queries", "bias", "annotator disagreement")


def privacy(release: Release) -> str:
    """Say what is left out for the sake of people, and what is in although it may name them."""
    if any(batch.texts for batch in release.batches):
        return _PRIVACY.format(texts=" and ") + _PERSONAL
    return _PRIVACY.format(texts=", comments, free texts and ")


def abstract(release: Release) -> str:
    """Describe the data, and say first whether people made them."""
    return " ".join(part for part in (*_warning(release), *_about(release)) if part)


def _about(release: Release) -> Iterator[str]:
    titles = ", ".join(dict.fromkeys(batch.scheme.title for batch in release.batches))
    n_queries, n_pairs = release.n_items(of_pairs=False), release.n_items(of_pairs=True)
    items = [f"{n_queries:,} search queries"] if n_queries or not n_pairs else []
    items += [f"{n_pairs:,} pairs of query and passage"] if n_pairs else []
    yield release.description.strip()
    yield (
        f"{len(release.answers):,} answers to questions about {' and '.join(items)} "
        f"({titles}), what is decided from them, soft labels and agreement."
    )


def _warning(release: Release) -> Iterator[str]:
    others = [_VOTERS.get(kind, kind) for kind in release.kinds if kind != "human"]
    if others:
        yield f"Votes in this data set are by {' and by '.join(others)}."


def voters(release: Release) -> str:
    """Count the votes that count, by kind of voter, in words."""
    counts = (f"{n:,} answers by {_VOTERS.get(kind, kind)}" for kind, n in release.kinds.items())
    return ", ".join(counts) or "no votes: the labels were imported"


def collection(release: Release) -> str:
    lines = [f"Answers that count: {voters(release)}."]
    for batch in release.batches:
        term_names = ("reward", "assignments_per_hit", "queries_per_hit")
        terms = batch.tables.terms
        facts = [f"{name.replace('_', ' ')} {terms[name]}" for name in term_names if name in terms]
        if facts:
            lines.append(f"Batch {batch.name}: {', '.join(facts)}.")
    return " ".join(lines)


def protocol(release: Release) -> str:
    """The questions and definitions that annotators read; scheme.json has all of their texts."""
    questions = [
        _question(question)
        for batch in release.batches
        if batch.tables.is_scheme_known
        for question in batch.scheme.questions
    ]
    return (
        " ".join(dict.fromkeys(questions))
        or "What annotators read is not known: votes were imported."
    )


def _question(question: Question) -> str:
    options = " ".join(
        f"{option.code} = {option.label or option.code}"
        + (f": {option.definition}" if option.definition else "")
        for option in question.options
    )
    return f"{question.text} {options}".strip()


def agreements(release: Release) -> str:
    """Every coefficient of each batch with its interval."""
    return "; ".join(
        f"{batch.name}, {name.replace('_', ' ')}: {estimate_words(estimate, decimals=3)}"
        for batch in release.batches
        for name, estimate in batch.estimates
    )


def answers_per_query(release: Release) -> str:
    """The mean number of answers that count to a question about a query."""
    n_asked = sum(len(batch.queries) * len(batch.scheme.closed) for batch in release.batches)
    n_answers = sum(answer.counts for answer in release.answers)
    return f"{n_answers / n_asked:.2f} on average" if n_asked else ""


def machines(release: Release) -> list[str]:
    """The models that voted, and those whose answers annotators saw."""
    voted = {
        f"{answer.annotator} (answers, kind = model)"
        for answer in release.answers
        if answer.kind == "model"
    }
    suggesting = {
        f"{batch.tables.parameters.suggested_by} (suggestions on the page, column suggested)"
        for batch in release.batches
        if batch.tables.parameters.suggested_by
    }
    return sorted(voted | suggesting)


def citation(release: Release) -> str:
    """Return the citation as BibTeX."""
    terms = release.terms
    names = " and ".join(
        f"{creator.name}, {creator.given_name}" if creator.is_person else f"{{{creator.name}}}"
        for creator in terms.creators
    )
    fields = {
        "title": terms.title,
        "author": names,
        "year": release.year,
        "publisher": terms.publisher,
        "doi": terms.doi,
    }
    lines = "".join(f"  {name} = {{{value}}},\n" for name, value in fields.items() if value)
    return f"@misc{{fairpool-release,\n{lines}}}"
