"""Labels that models gave, as answers of a file say them; and one form of them for all readers."""

from collections.abc import Mapping, Sequence

from .answers import Answer, GivenLabel, category_lookup
from .options import Options

#: Most models named in notes about the same fault.
_MOST_NOTES = 20


def mapped_models(
    answers: Sequence[Answer], *, labels: Mapping[str, str], options: Options
) -> tuple[list[GivenLabel], list[str]]:
    """Labels of programs, and notes; the `worker` of an answer is the model's name.

    A word is what `labels` says, else the option that is called so. Answers mapped to nothing,
    several values and "I cannot tell" are missing answers. Scores of a model that are not all
    probabilities, or all equal, are left out with a note. Raises `InputError` for a second label of
    a model for a query.
    """
    _check_repeats(answers)
    words = {answer.answer.strip() for answer in answers} - {options.cannot_tell}
    named = {word: code for word in words if (code := options.code_named(word)) is not None}
    category_of = category_lookup(named | dict(labels), options, answers)
    scores: dict[str, list[str]] = {}
    for answer in answers:
        scores.setdefault(answer.worker, []).extend(filter(None, [answer.score]))
    unusable = {model for model, values in scores.items() if not _tell(values)}
    mapped = []
    for answer in answers:
        category = category_of(answer)
        known = category if category in options.codes else None
        has_belief = known is not None and answer.score and answer.worker not in unusable
        belief = float(answer.score) if has_belief else None
        mapped.append(GivenLabel(answer.worker, answer.qid, known, belief, answer.line))
    left_out = sorted(model for model in unusable if scores[model])[:_MOST_NOTES]
    notes = [f"Scores left out, as they are not probabilities or all the same: {name}."
             for name in left_out]  # fmt: skip
    return mapped, notes


def is_probability(score: str) -> bool:
    """Return whether a score is a number from 0 to 1."""
    try:
        return 0 <= float(score) <= 1  # false for NaN as well
    except ValueError:
        return False


def _check_repeats(answers: Sequence[Answer]) -> None:
    first: dict[tuple[str, str], int] = {}
    for answer in answers:
        key = answer.worker, answer.qid
        if key in first:
            raise answer.error(
                f"a second label of {answer.worker} for the query {answer.qid}, after that of line "
                f"{first[key]}.",
                "Keep one of them, or give each attempt a name of its own.",
            )
        first[key] = answer.line


def _tell(scores: Sequence[str]) -> bool:
    """Return whether the scores of a model are probabilities that differ."""
    if not all(map(is_probability, scores)):
        return False
    return len(scores) <= 1 or len(set(map(float, scores))) > 1
