"""Each text of the annotators' pages is in every catalogue, and no catalogue has any other."""

import ast
import gettext
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from django.utils.translation.template import templatize

ROOT = Path(__file__).resolve().parents[2]
#: The site's catalogues hold the texts of the task page, the crowd service's those around it.
APPS = ("annotation", "mturk_local")
CATALOGUES = [path for app in APPS for path in sorted(ROOT.glob(f"{app}/locale/*/*/django.po"))]
_CALLS = {"_", "gettext", "ngettext", "gettext_lazy", "ngettext_lazy"}
_LITERAL = r"""u?(?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")"""
_TEMPLATE_CALL = re.compile(rf"\b(?:n?gettext|_)\(({_LITERAL})(?:,\s*({_LITERAL}))?")
_PLACEHOLDER = re.compile(r"%\(\w+\)s|\{\w+\}")

#: A text, and its plural or nothing.
Message = tuple[str, str]
MEND = "python manage.py makemessages, then compilemessages: see docs/recipes.md"


def _of_python(text: str) -> Iterator[Message]:
    for node in ast.walk(ast.parse(text)):
        if not isinstance(node, ast.Call):
            continue
        name = getattr(node.func, "id", getattr(node.func, "attr", ""))
        if name in _CALLS and node.args and isinstance(node.args[0], ast.Constant):
            texts = [str(part.value) for part in node.args if isinstance(part, ast.Constant)]
            yield texts[0], texts[1] if name.startswith("n") else ""


def _of_template(text: str) -> Iterator[Message]:
    for singular, plural in _TEMPLATE_CALL.findall(templatize(text)):
        yield ast.literal_eval(singular), ast.literal_eval(plural) if plural else ""


@cache
def messages_of(app: str) -> set[Message]:
    """The texts that the sources of an app have translated."""
    python = {
        message
        for path in ROOT.glob(f"{app}/**/*.py")
        for message in _of_python(path.read_text(encoding="utf-8"))
    }
    return python | {
        message
        for path in ROOT.glob(f"{app}/templates/**/*.*")
        for message in _of_template(path.read_text(encoding="utf-8"))
    }


@cache
def entries_of(path: Path) -> dict[Message, tuple[str, ...]]:
    """The translations of each text of a catalogue, one for each plural form."""
    entries = {}
    for block in re.split(r"\n{2,}", path.read_text(encoding="utf-8"))[1:]:
        fields: dict[str, str] = {}
        for line in block.splitlines():
            if line.startswith("#"):
                continue
            keyword, quoted = re.fullmatch(r'(\S*?) ?(".*")', line).groups()  # type: ignore[union-attr]
            key = keyword or list(fields)[-1]
            fields[key] = fields.get(key, "") + ast.literal_eval(quoted)
        if fields:
            forms = tuple(text for key, text in fields.items() if key.startswith("msgstr"))
            entries[fields["msgid"], fields.get("msgid_plural", "")] = forms
    return entries


of_each_catalogue = pytest.mark.parametrize(
    "path", CATALOGUES, ids=lambda path: "-".join(path.relative_to(ROOT).parts[:3:2])
)


def test_both_programs_have_texts_and_catalogues_in_the_same_languages() -> None:
    languages = {app: {path.parts[-3] for path in CATALOGUES if app in path.parts} for app in APPS}
    assert languages["annotation"] == languages["mturk_local"] != set()
    # Each app has more than thirty texts: an extraction that finds none would pass below.
    assert min(len(messages_of(app)) for app in APPS) > 30


@of_each_catalogue
def test_a_catalogue_has_the_texts_of_its_sources_and_no_others(path: Path) -> None:
    app = path.relative_to(ROOT).parts[0]
    assert messages_of(app) - set(entries_of(path)) == set(), f"missing: {MEND}"
    assert set(entries_of(path)) - messages_of(app) == set(), f"stale: {MEND}"


@of_each_catalogue
def test_every_text_of_a_catalogue_is_translated(path: Path) -> None:
    assert [message for message, forms in entries_of(path).items() if not all(forms)] == []
    assert re.findall(r"^#(?:~|, .*fuzzy).*", path.read_text(encoding="utf-8"), re.MULTILINE) == []


@of_each_catalogue
def test_a_translation_has_the_placeholders_of_its_text(path: Path) -> None:
    for message, forms in entries_of(path).items():
        assert {*_PLACEHOLDER.findall(" ".join(message))} == {
            *_PLACEHOLDER.findall(" ".join(forms))
        }, message


@of_each_catalogue
def test_what_the_programs_read_is_what_the_catalogue_says(path: Path) -> None:
    """They read the compiled file beside it."""
    with path.with_suffix(".mo").open("rb") as stream:
        compiled = gettext.GNUTranslations(stream)
    for (text, plural), forms in entries_of(path).items():
        if plural:
            read = tuple({compiled.ngettext(text, plural, n): None for n in (1, 2)})
        else:
            read = (compiled.gettext(text),)
        assert read == forms, MEND
    assert len(set(vars(compiled)["_catalog"]) - {""}) == sum(map(len, entries_of(path).values()))
