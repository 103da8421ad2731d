"""`QuestionForm` and `AnswerKey`: what they ask, what they take, how they are scored."""

import pytest

from mturk_local.answers import AnswerError, answer_values
from mturk_local.errors import CrowdError
from mturk_local.forms import Part, answer_of, form_parse, score_of

SCHEMAS = "http://mechanicalturk.amazonaws.com/AWSMechanicalTurkDataSchemas/"
FORM = f"""<QuestionForm xmlns="{SCHEMAS}2005-10-01/QuestionForm.xsd">
  <Overview><Title>Title</Title><List><ListItem>one</ListItem></List>
    <FormattedContent><![CDATA[<b onclick="x()">bold</b> <script>x</script>]]></FormattedContent>
    <Binary><MimeType><Type>image</Type></MimeType><DataURL>javascript:x</DataURL>
      <AltText>a cat</AltText></Binary></Overview>
  <Question><QuestionIdentifier>c</QuestionIdentifier><IsRequired>true</IsRequired>
    <QuestionContent><Text>Which?</Text></QuestionContent>
    <AnswerSpecification><SelectionAnswer><MaxSelectionCount>2</MaxSelectionCount>
      <StyleSuggestion>checkbox</StyleSuggestion><Selections>
      <Selection><SelectionIdentifier>x</SelectionIdentifier><Text>X</Text></Selection>
      <Selection><SelectionIdentifier>y</SelectionIdentifier><Text>Y</Text></Selection>
    </Selections></SelectionAnswer></AnswerSpecification></Question>
  <Question><QuestionIdentifier>t</QuestionIdentifier>
    <QuestionContent><Text>Why?</Text></QuestionContent>
    <AnswerSpecification><FreeTextAnswer><NumberOfLinesSuggestion>3</NumberOfLinesSuggestion>
    </FreeTextAnswer></AnswerSpecification></Question></QuestionForm>"""


def key(mapping: str) -> str:
    return f"""<AnswerKey xmlns="{SCHEMAS}2005-10-01/AnswerKey.xsd"><Question>
      <QuestionIdentifier>c</QuestionIdentifier>
      <AnswerOption><SelectionIdentifier>x</SelectionIdentifier>
        <SelectionIdentifier>y</SelectionIdentifier><AnswerScore>4</AnswerScore></AnswerOption>
      <AnswerOption><SelectionIdentifier>x</SelectionIdentifier><AnswerScore>1</AnswerScore>
      </AnswerOption></Question>{mapping}</AnswerKey>"""


PERCENTAGE = (
    "<QualificationValueMapping><PercentageMapping><MaximumSummedScore>4</MaximumSummedScore>"
    "</PercentageMapping></QualificationValueMapping>"
)
SCALE = (
    "<QualificationValueMapping><ScaleMapping><SummedScoreMultiplier>2.5</SummedScoreMultiplier>"
    "</ScaleMapping></QualificationValueMapping>"
)
RANGES = (
    "<QualificationValueMapping><RangeMapping><SummedScoreRange>"
    "<InclusiveLowerBound>2</InclusiveLowerBound><InclusiveUpperBound>4</InclusiveUpperBound>"
    "<QualificationValue>9</QualificationValue></SummedScoreRange>"
    "<OutOfRangeQualificationValue>-1</OutOfRangeQualificationValue></RangeMapping>"
    "</QualificationValueMapping>"
)


def test_a_form_is_read_without_anything_active() -> None:
    overview, choice, text = form_parse(FORM).items

    assert overview == [
        Part("title", "Title"),
        Part("item", "one"),
        Part("text", "bold"),
        Part("text", "a cat"),
    ]
    assert (choice.selections, choice.multiple, choice.required) == (  # type: ignore[union-attr]  # a question
        [("x", "X"), ("y", "Y")],
        True,
        True,
    )
    assert text.lines == 3  # type: ignore[union-attr]  # a question


@pytest.mark.parametrize(
    ("given", "data"),
    [
        ({}, "c"),
        ({"c": ["z"]}, "c"),
        ({"c": ["x"], "t": ["a", "b"]}, "t"),
    ],
)
def test_answers_that_the_form_cannot_have_are_refused(
    given: dict[str, list[str]], data: str
) -> None:
    with pytest.raises(AnswerError) as caught:
        answer_of(form_parse(FORM), given)
    assert data in str(caught.value)


def test_selections_are_named_and_text_is_free() -> None:
    xml = answer_of(form_parse(FORM), {"c": ["x", "y"], "t": ["<é>"]})

    assert xml.count("<SelectionIdentifier>") == 2
    assert answer_values(xml) == {"c": "x|y", "t": "<é>"}


@pytest.mark.parametrize(
    ("mapping", "chosen", "value"),
    [
        ("", ["x", "y"], 4),
        (PERCENTAGE, ["x"], 25),
        (PERCENTAGE, ["x", "y"], 100),
        (PERCENTAGE, ["y"], 0),
        (SCALE, ["x"], 2),
        (RANGES, ["x", "y"], 9),
        (RANGES, ["x"], -1),
    ],
)
def test_an_answer_key_maps_the_sum_of_scores(mapping: str, chosen: list[str], value: int) -> None:
    answer = answer_of(form_parse(FORM), {"c": chosen})

    assert score_of(key(mapping), answer) == value


@pytest.mark.parametrize(
    "broken",
    [
        "<QuestionForm/>",
        "<Other/>",
        "<not closed",
        FORM.replace("<QuestionContent><Text>Why?</Text></QuestionContent>", ""),
        FORM.replace("<QuestionIdentifier>t<", "<QuestionIdentifier>c<"),
        '<!DOCTYPE a [<!ENTITY b "c">]>' + FORM,
    ],
)
def test_a_broken_form_is_refused(broken: str) -> None:
    with pytest.raises(CrowdError):
        form_parse(broken)
