"""The tables of batches that ask the questions of a scheme: one row an answer, in long form."""

from collections.abc import Iterator

from annotation.reports.release.data import Decision, Release, ReleasedScheme
from annotation.reports.release.table import DATE, REAL, TEXT, WHICH, WHOLE, Column, Table, entropy
from annotation.schemes import CANNOT_TELL, JOINED

_QUESTION = Column("question", TEXT, "Name of the question in the scheme.")


def answers_table(release: Release) -> Table:
    """Every answer to a closed question; free texts are never released."""
    columns = (
        *WHICH,
        Column("annotator", TEXT, "Name of the annotator, which holds in this release only."),
        Column("kind", TEXT, "Who answered: human, simulated, model, or unverified."),
        _QUESTION,
        Column("answer", TEXT, f"Chosen options, joined by ;. {CANNOT_TELL} is: I cannot tell."),
        Column("counts", WHOLE, "1, or 0 where the answers of this annotator were discarded."),
        Column("answered_on", DATE, "Day of the answer, in UTC."),
    )
    rows = (
        (
            *(batch.name, answer.qid, batch.queries[answer.qid], answer.annotator, answer.kind),
            *(answer.question, JOINED.join(answer.codes), answer.counts, answer.answered_on),
        )
        for batch in release.batches
        if batch.scheme
        for answer in batch.scheme.answers
    )
    return Table("answers", "Every answer to a question of a scheme.", columns, tuple(rows))


def decisions_table(release: Release) -> Table:
    columns = (
        *WHICH,
        _QUESTION,
        Column("decided", TEXT, "Decided options, joined by ;. Empty where nothing is decided."),
        Column("n_answers", WHOLE, "Answers that count."),
        Column("n_cannot_tell", WHOLE, "Answers that the query cannot be judged."),
        Column("entropy", REAL, "Entropy of the shares of the options in bits: 0 where all agree."),
        Column("in_subset", WHOLE, "1 for the queries that measures run on, else 0."),
        Column("source", TEXT, "Who decided: answers, or adjudicated; empty where nobody did."),
    )
    rows = (
        (
            *(*about, decision.question, JOINED.join(decision.codes)),
            *(decision.n_answers, decision.n_cannot_tell, _entropy_of(decision)),
            *(int(decision.in_subset), decision.source),
        )
        for about, decision, _scheme in _decisions(release)
    )
    return Table("decisions", "What is decided on each question.", columns, tuple(rows))


def soft_labels_table(release: Release) -> Table:
    columns = (
        *WHICH,
        _QUESTION,
        Column("option", TEXT, "Code of the option."),
        Column("name", TEXT, "What annotators read."),
        Column("n_chosen", WHOLE, "Answers that count with this option."),
        Column("share", REAL, "Their share of the answers that count."),
    )
    rows = (
        (*about, decision.question, code, names[decision.question][code], n, n / decision.n_answers)
        for about, decision, scheme in _decisions(release)
        for names in [_names(scheme)]
        for code, n in decision.chosen.items()
        if decision.n_answers
    )
    about = "How often each option was chosen, of every query and question."
    return Table("soft_labels", about, columns, tuple(rows))


def _decisions(
    release: Release,
) -> Iterator[tuple[tuple[str, str, str], Decision, ReleasedScheme]]:
    for batch in release.batches:
        if batch.scheme is None:
            continue
        for decision in batch.scheme.decisions:
            which = (batch.name, decision.qid, batch.queries[decision.qid])
            yield which, decision, batch.scheme


def _names(scheme: ReleasedScheme) -> dict[str, dict[str, str]]:
    """Return the options' labels, which annotators read, by question and code."""
    return {
        question["name"]: {
            option["code"]: option.get("label", option["code"])
            for option in question.get("options", ())
        }
        for question in scheme.scheme["questions"]
    }


def _entropy_of(decision: Decision) -> float | None:
    total = sum(decision.chosen.values())
    return entropy(n / total for n in decision.chosen.values() if n) if total else None
