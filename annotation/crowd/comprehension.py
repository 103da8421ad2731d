"""A test before the first HIT, in the service's own form, and its answers."""

from collections.abc import Mapping, Sequence
from xml.sax.saxutils import escape

from annotation.crowd.answers import read_fields

NAMESPACE = (
    "http://mechanicalturk.amazonaws.com/AWSMechanicalTurkDataSchemas/2017-11-06/QuestionForm.xsd"
)


def question_form(
    *, title: str, introduction: str, texts: Sequence[str], choices: Mapping[str, str]
) -> str:
    """Return a `QuestionForm` that asks for one of `choices` (identifier to text) for each text.

    The question at place *i* has the identifier `q-i`. Characters beyond ASCII are written as
    references, so that the form has the same bytes everywhere.
    """
    selections = "".join(
        f"<Selection><SelectionIdentifier>{escape(code)}</SelectionIdentifier>"
        f"<Text>{escape(name)}</Text></Selection>"
        for code, name in choices.items()
    )
    questions = "".join(
        f"<Question><QuestionIdentifier>q-{place}</QuestionIdentifier>"
        "<IsRequired>true</IsRequired>"
        f"<QuestionContent><Text>{escape(text)}</Text></QuestionContent>"
        "<AnswerSpecification><SelectionAnswer><StyleSuggestion>radiobutton</StyleSuggestion>"
        f"<Selections>{selections}</Selections></SelectionAnswer></AnswerSpecification></Question>"
        for place, text in enumerate(texts)
    )
    form = (
        f'<QuestionForm xmlns="{NAMESPACE}"><Overview><Title>{escape(title)}</Title>'
        f"<Text>{escape(introduction)}</Text></Overview>{questions}</QuestionForm>"
    )
    return form.encode("ascii", "xmlcharrefreplace").decode("ascii")


def number_right(answer: str, expected: Sequence[str]) -> int:
    """Count the questions answered as expected; a question answered twice is wrong.

    Raises `UnreadableAnswerError` for text that is not an answer.
    """
    fields = read_fields(answer)
    return sum(
        [value for name, value in fields if name == f"q-{place}"] == [code]
        for place, code in enumerate(expected)
    )
