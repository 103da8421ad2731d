"""Every command that a page, an error, a help text or a document names is one that there is.

`test_commands_of_docs.py` parses whole calls of the documents; here are those named in passing.
"""

import ast
import re
from argparse import ArgumentParser, _SubParsersAction
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from django.core.management import get_commands, load_command_class

from annotation.management.nouns import commands_of, nouns
from config.program import VERBS
from tests.site import every_command

ROOT = Path(__file__).resolve().parents[2]
HOUSES = ("annotation", "mturk_local", "config", "metrics", "pooling", "rankers")
PAGES = ("*.md", "docs/**/*.md", "templates/**/*.html", "mturk_local/templates/**/*.html")
#: Where a person reads code: between backquotes, in a page's element, or in an error's words.
_SPAN = re.compile(r"`([^`\n]+)`|<code>([^<]+)</code>|((?:manage\.py|\$ fairpool) [^`\n<]+)")
_WORD = re.compile(r"[a-z][a-z_-]*")
_OPTION = re.compile(r"(?<=\s)--[a-z][a-z-]*")
_OTHER_PROGRAMS = {"docker"}


def _strings(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            yield "".join(
                str(part.value) if isinstance(part, ast.Constant) else "{}" for part in node.values
            )
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


def spans() -> Iterator[tuple[Path, str]]:
    """Each piece of code that our texts show, with its file."""
    texts = [
        (path, path.read_text(encoding="utf-8")) for pages in PAGES for path in ROOT.glob(pages)
    ]
    for house in HOUSES:
        for path in ROOT.glob(f"{house}/**/*.py"):
            tree = ast.parse(path.read_text(encoding="utf-8"))
            texts += [(path, text) for text in _strings(tree)]
    for path, text in texts:
        for groups in _SPAN.findall(text):
            yield path, next(filter(None, groups)).strip()


@cache
def _of_site(noun: str, verb: str = "") -> ArgumentParser | None:
    """The parser of a command of `manage.py`, Django's among them; None if there is none."""
    if noun in nouns():
        command = commands_of(noun).get(verb)
    else:
        app = get_commands().get(noun)
        command = load_command_class(app, noun) if isinstance(app, str) else app
    return command.create_parser("manage.py", noun) if command else None


def _of_fairpool(verb: str) -> list[ArgumentParser]:
    return [every_command.parser_of(f"fairpool {verb}")] if verb in VERBS else []


def _with_those_below(parsers: list[ArgumentParser]) -> list[ArgumentParser]:
    for parser in (parsers := [*parsers]):
        for action in parser._actions:
            if isinstance(action, _SubParsersAction):
                parsers += action.choices.values()
    return parsers


def parsers_named(words: list[str]) -> list[ArgumentParser] | None:
    """The parsers of what may be meant: none for what is gone, None where no command is named."""
    program, *rest = words
    first, second = ([*rest, "", ""] if program == "fairpool" else [*words, "", ""])[:2]
    if program.endswith("manage.py"):
        first, second = [*rest, "", ""][:2]
    names_verb = first in nouns() and _WORD.fullmatch(second)
    if not _WORD.fullmatch(first) or second == "VERB":
        return None
    if program == "fairpool":
        return _of_fairpool(first)
    if program.endswith("manage.py") or names_verb:
        return [parser for parser in [_of_site(first, second)] if parser]
    if first in _OTHER_PROGRAMS or not any(word.startswith("--") for word in words[1:3]):
        return None
    with_verb = [_of_site(noun, first) for noun in nouns()]
    return [parser for parser in [*with_verb, _of_site(first)] if parser] + _of_fairpool(first)


@cache
def named() -> dict[tuple[Path, str], list[ArgumentParser]]:
    """The parsers that each piece of code may mean, by its file and its words."""
    return {
        (path, span): parsers
        for path, span in spans()
        if (
            parsers := parsers_named(
                span.removeprefix("$ ").removeprefix("python ").split() or [""]
            )
        )
        is not None
    }


def test_texts_of_every_kind_name_commands() -> None:
    kinds = {path.relative_to(ROOT).parts[0] for path, _ in named()}
    assert kinds >= {"README.md", "docs", "templates", "annotation", "metrics"}
    assert len(named()) > 300


def test_a_command_that_a_text_names_is_one_that_there_is() -> None:
    assert [key for key, parsers in named().items() if not parsers] == []


def test_an_option_that_a_text_names_is_one_of_its_command() -> None:
    unknown = [
        (path, span, option)
        for (path, span), parsers in named().items()
        for option in _OPTION.findall(span)
        if not any(option in parser._option_string_actions for parser in _with_those_below(parsers))
    ]
    assert unknown == []
