"""The closed questions that a batch asks, and finding one of them."""

from collections.abc import Callable
from typing import Any

from annotation.core.parameters import not_a_choice, parameter
from annotation.models import Batch
from annotation.schemes import (
    ALL,
    JOINED,
    LONGEST_NAME,
    About,
    Question,
    Scheme,
    question_named,
)
from annotation.vocabulary import TIE
from metrics.errors import InputError

_NOMINAL = "with one answer and options in no order"


def closed_question(*, batch: Batch, name: str = "") -> Question:
    """The question of that name with options; without a name the only one.

    `InputError` naming them where there is no such question, or more than one to choose from.
    """
    return _question(batch, name, lambda question: question.kind.has_options, "with options")


def nominal_question(*, batch: Batch, name: str = "") -> Question:
    """Return a question like `closed_question`, with one answer of unordered options."""
    return _question(batch, name, _is_nominal, _NOMINAL)


def modelled_question(*, batch: Batch, name: str = "") -> Question:
    """The nominal question that models answer of a batch: the named one, or that of the subset."""
    return nominal_question(batch=batch, name=name or batch.scheme.subset.question)


def nominal_question_in(scheme: Scheme, name: str = "") -> Question:
    """The nominal question of a scheme: the named one, or that of the subset."""
    has = f"The scheme {scheme.title!r} has"
    return _named(scheme, name or scheme.subset.question, _is_nominal, _NOMINAL, has)


def may_be_asked(scheme: Scheme, question: Question) -> bool:
    """Return whether a language model can be asked: nominal questions, and grades of pairs."""
    is_of_pairs = scheme.about == About.PASSAGE
    return question.is_nominal or (is_of_pairs and bool(question.grades))


def question_to_ask(*, batch: Batch, name: str = "") -> Question:
    """The question that a language model is asked: the named one, or that of the subset."""
    scheme = batch.scheme
    words = "with one answer" if scheme.about == About.PASSAGE else _NOMINAL
    return _question(
        batch,
        name or scheme.subset.question,
        lambda question: may_be_asked(scheme, question),
        words,
    )


def modelled_question_parameter(which: str, label: str = "Question") -> Any:
    """The parameter that names a `modelled_question`; `which` describes it to a reader."""
    return parameter(
        "",
        max_length=LONGEST_NAME,
        allow_blank=True,
        label=label,
        help_text=f"{which}; left out, the one that makes the subset.",
    )


def codes_chosen(*, scheme: Scheme, question: Question, category: str = "") -> list[str]:
    """Return the codes for `category`: one, those of `all`, or by default the usual ones.

    Usual are those of the subset, and all of a question without a subset. `ParametersError` for a
    code that the question does not have.
    """
    if category in question.codes:
        return [category]
    subset = scheme.subset
    if category == ALL or (not category and question.name != subset.question):
        return list(question.codes)
    if category:
        raise not_a_choice("category", category, [*question.codes, ALL])
    return subset.codes_of(question)


def category_chosen(scheme: Scheme, question: Question, category: str = "") -> str:
    """The codes of `codes_chosen` for one code or several joined ones, joined in their order."""
    parts = category.split(JOINED)
    codes = {
        code
        for part in parts
        for code in codes_chosen(scheme=scheme, question=question, category=part)
    }
    return JOINED.join(question.in_order(codes))


def label_words(question: Question, value: str) -> str:
    """A stored label as people read it: the labels of the options, or a tie."""
    return value if value == TIE else question.words(value.split(JOINED))


def _is_nominal(question: Question) -> bool:
    return question.is_nominal


def _named(
    scheme: Scheme, name: str, fits: Callable[[Question], bool], words: str, has: str
) -> Question:
    question = question_named(scheme, name)
    if fits(question):
        return question
    names = ", ".join(other.name for other in scheme.questions if fits(other))
    raise InputError(f"{name!r} is not a question {words}.", remedy=f"{has}: {names or 'none'}.")


def _question(batch: Batch, name: str, fits: Callable[[Question], bool], words: str) -> Question:
    scheme = batch.scheme
    if name:
        return _named(scheme, name, fits, words, f"The batch {batch.name!r} has")
    fitting = [question for question in scheme.questions if fits(question)]
    if not fitting:
        raise InputError(
            f"the batch {batch.name!r} asks no question {words}.",
            remedy=f"`batch agreement {batch.name}` and `scheme export` have each question.",
        )
    if len(fitting) > 1:
        raise InputError(
            f"the batch {batch.name!r} asks several questions {words}.",
            remedy=f"Say which question: {', '.join(question.name for question in fitting)}.",
        )
    return fitting[0]
