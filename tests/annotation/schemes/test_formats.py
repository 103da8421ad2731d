"""Schemes from and for Label Studio and Potato."""

from itertools import pairwise
from pathlib import Path

import pytest

from annotation.schemes import Scheme, SchemeError, built_in_scheme
from annotation.schemes.formats import label_studio, left_out, potato, read_scheme
from annotation.schemes.kinds.multi import MULTI
from annotation.schemes.kinds.scale import SCALE
from annotation.schemes.kinds.single import SINGLE
from annotation.schemes.kinds.text import TEXT
from tests.commands import run

XML = """<View>
  <Text name="query" value="$query"/>
  <Header value="Does the query name a gender?"/>
  <Choices name="Gender" toName="query" choice="single" required="true">
    <Choice value="No gender" alias="n" hotkey="1" hint="Nobody is named."/>
    <Choice value="Female" alias="f" hotkey="2"/>
  </Choices>
  <View visibleWhen="choice-selected" whenTagName="Gender" whenChoiceValue="Female">
    <Header value="Which words say so?"/>
    <Choices name="words" toName="query" choice="multiple">
      <Choice value="pronoun"/><Choice value="name"/>
    </Choices>
  </View>
  <Header value="How harmful is a wrong answer?"/>
  <Rating name="harm" toName="query" maxRating="5"/>
  <TextArea name="comment" toName="query"/>
</View>
"""
YAML = """task_dir: .
annotation_schemes:
  - annotation_type: radio
    name: gender
    description: Does the query name a gender?
    label_requirement: {required: true}
    labels: [no, {name: f, tooltip: "Female", key_value: "2"}]
  - annotation_type: likert
    name: harm
    description: How harmful is a wrong answer?
    size: 5
    min_label: harmless
    max_label: harmful
  - {annotation_type: text, name: comment, description: "Anything else?"}
"""


def test_label_studio_xml_becomes_a_scheme() -> None:
    scheme = read_scheme(XML)
    gender, words, harm, comment = scheme.questions
    assert [one.kind for one in scheme.questions] == [
        SINGLE, MULTI, SCALE, TEXT,
    ]  # fmt: skip
    assert (gender.name, gender.text) == ("gender", "Does the query name a gender?")
    assert gender.required
    assert not harm.required
    assert (gender.options[0].code, gender.options[0].definition) == ("n", "Nobody is named.")
    assert words.shown_if is not None
    assert (words.shown_if.question, words.shown_if.any_of) == ("gender", ("f",))
    assert harm.codes == ("1", "2", "3", "4", "5")
    assert comment.options == ()


def test_potato_yaml_becomes_a_scheme() -> None:
    scheme = read_scheme(YAML)
    gender, harm, _comment = scheme.questions
    assert gender.codes == ("no", "f")
    assert gender.options[1].key == "2"
    assert [harm.options[0].label, harm.options[-1].label] == ["harmless", "harmful"]


@pytest.mark.parametrize("text", [XML, YAML])
def test_schemes_survive_their_own_format(text: str) -> None:
    format_of = label_studio if text is XML else potato
    scheme = read_scheme(text)
    again = format_of.read(format_of.write(scheme))
    assert _asked(again) == _asked(scheme)
    assert format_of.write(again) == format_of.write(scheme)


def _asked(scheme: Scheme) -> list[tuple[object, ...]]:
    return [(one.name, one.text, one.kind, one.codes, one.shown_if) for one in scheme.questions]


@pytest.mark.parametrize("name", ["gender", "bias_sensitive", "attributes", "severity", "region"])
def test_built_in_schemes_go_to_both_programs_and_back(name: str) -> None:
    scheme = built_in_scheme(name)
    for format_of in (label_studio, potato):
        again = format_of.read(format_of.write(scheme))
        assert _asked(again) == _asked(scheme)


def _wrapped(inside: str) -> str:
    return f'<View><Text name="q" value="$q"/>\n{inside}</View>'


def test_a_condition_without_a_value_is_met_by_any_choice() -> None:
    choices = '<Choices name="{}" toName="q"><Choice value="Yes"/><Choice value="No"/></Choices>'
    shown = f'<View visibleWhen="choice-selected" whenTagName="a">{choices.format("b")}</View>'
    for text in (shown, shown.replace("<View vis", '<View whenChoiceValue=" , " vis')):
        condition = read_scheme(_wrapped(choices.format("a") + text)).questions[1].shown_if
        assert condition is not None
        assert (condition.question, condition.any_of) == ("a", ("Yes", "No"))


@pytest.mark.parametrize(
    ("inside", "said"),
    [
        (
            (
                '<Header value="First"/>\n<Header value="Who?"/><Choices name="a" toName="q">'
                '<Choice value="x"/><Choice value="y"/></Choices>'
            ),
            ["line 2, <Header>: no question follows, so its text is left out: First"],
        ),
        (
            (
                '<Choices name="a" toName="q"><Choice value="x" selected="true"/>'
                '<Choice value="y"/>'
                '</Choices><Header value="Thanks"/>'
            ),
            [
                "line 2, <Choice>: 'x' is no longer selected beforehand.",
                "line 2, <Header>: no question follows, so its text is left out: Thanks",
            ],
        ),
    ],
)
def test_what_a_scheme_has_no_place_for_is_said(
    inside: str, said: list[str], tmp_path: Path
) -> None:
    text = _wrapped(inside)
    assert left_out(text) == said
    (tmp_path / "a.xml").write_text(text)
    done = run("scheme", "convert", tmp_path / "a.xml", "--output", tmp_path / "b.yaml")
    assert all(line in done for line in said)


BAD = {
    "entities": (
        '<!DOCTYPE v [<!ENTITY a "b">]><View><Header value="&a;"/></View>', "DTD or entities"
    ),
    "external": ('<!DOCTYPE v SYSTEM "file:///etc/passwd"><View/>', "DTD or entities"),
    "broken": ("<View>", "line 1"),
    "image": (_wrapped('<Image name="i" value="$i"/>'), "line 2, <Image>"),
    "tree": (
        _wrapped('<Choices name="a" toName="q"><Choice value="x"><Choice value="y"/></Choice>'),
        "not inside Choices",
    ),
    "twice": (
        _wrapped('<Choices name="a" toName="q"><Choice value="x"/><Choice value="x"/></Choices>'),
        "options",
    ),
    "markup": (
        _wrapped('<Choices name="a" toName="q"><Choice value="&lt;script>" alias="x"/></Choices>'),
        "options",
    ),
    "dynamic": (_wrapped('<Choices name="a" toName="q"><Choice value="$x"/></Choices>'), "fixed"),
    "rating": (_wrapped('<Rating name="a" toName="q" maxRating="900"/>'), "900. points"),
    "long": ("<View>" + " " * 300_000 + "</View>", "characters"),
    "deep": ("<View>" * 50 + "</View>" * 50, "nested too deeply"),
    "type": ("annotation_schemes:\n  - {annotation_type: span, name: a}\n", "line 2: annotation"),
    "yaml": ("annotation_schemes:\n  - {\n", "line"),
    "python": ("annotation_schemes:\n  - !!python/object/apply:os.system [ls]\n", "line 2"),
    "nothing": ("annotation_schemes: []\n", "none has options"),
    "bomb": (
        "annotation_schemes:\n- &a [x, x, x, x]\n"
        + "".join(f"- &{b} [*{a}, *{a}, *{a}, *{a}]\n" for a, b in pairwise("abcdefghijklmn"))
        + "- annotation_type: *n\n",
        "10,000 parts",
    ),
    "within itself": ("annotation_schemes:\n- &a {annotation_type: *a}\n", "part within itself"),
    "brackets": ("- " + "[" * 11 + "]" * 11 + "\n", "not a mapping"),
    "many brackets": (("- " + "[" * 11 + "]" * 11 + "\n") * 7_600, "20,000 parts"),
    "many brackets of theirs": ("annotation_schemes: [" + "[]," * 60_000 + "]", "10,000 parts"),
    "many": (
        f"annotation_schemes:\n- {{annotation_type: radio, name: a, labels: {list(range(200))}}}\n",
        "options",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", BAD)
def test_what_cannot_be_asked_is_refused_with_its_place(name: str) -> None:
    text, said = BAD[name]
    with pytest.raises(SchemeError, match=said) as error:
        read_scheme(text)
    assert error.value.remedy


def test_anchors_of_potato_are_read() -> None:
    text = """common: &labels [Female, Male]
annotation_schemes:
- {annotation_type: radio, name: first, description: Which one, labels: *labels}
- {annotation_type: radio, name: second, description: And then, labels: *labels}
"""
    first, second = potato.read(text).questions
    assert first.codes == second.codes == ("Female", "Male")


@pytest.mark.parametrize("named", ["utf-7", "utf-16", "iso-8859-1", "none-at-all"])
def test_the_encoding_that_xml_names_is_that_of_the_file_before_it_was_read(named: str) -> None:
    text = f'<?xml version="1.0" encoding="{named}"?>\n{XML}'
    assert _asked(read_scheme(text)) == _asked(read_scheme(XML))


def test_command_converts(tmp_path: Path) -> None:
    source, out, back = (tmp_path / name for name in ("a.xml", "b.yaml", "c.xml"))
    source.write_text(XML)
    run("scheme", "convert", source, "--to", "yaml", "--output", out)
    run("scheme", "convert", out, "--to", "label-studio", "--output", back)
    assert _asked(read_scheme(back.read_text())) == _asked(read_scheme(XML))
