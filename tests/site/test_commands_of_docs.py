"""Every command that the documentation shows is one that its own parser takes.

`test_following_the_docs.py` runs them; here are also those that need what nobody has here.
"""

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.core.management import get_commands

from config.program import make_parser
from tests.package.pages import blocks
from tests.site import every_command

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])
_CALL = re.compile(r"(?:^|\s)(?:\S*python manage\.py|fairpool) (?=[a-z])")
#: What ends a command on a line of a shell.
_ENDS = {"|", "||", "&&", ";", "&", ">", ">>", "<", "2>"}


def commands_of(page: Path) -> Iterator[list[str]]:
    """The words of each call in the blocks of a page, from `manage.py` or `fairpool` on."""
    for block in blocks(page):
        for line in block.code.replace("\\\n", " ").splitlines() if block.is_shell else ():
            if not _CALL.search(line):
                continue
            lexer = shlex.shlex(line, posix=True, punctuation_chars="();<>|&")
            lexer.whitespace_split = True
            yield from _calls(list(lexer))


def _calls(words: list[str]) -> Iterator[list[str]]:
    while words:
        ends = next((at for at, word in enumerate(words) if word in _ENDS), len(words))
        call, words = words[:ends], words[ends + 1 :]
        for at, word in enumerate(call):
            if word.endswith("manage.py") or word == "fairpool":
                yield call[at:]
                break


def _takes(words: list[str]) -> None:
    """Parse a call; `CommandError` or the end of the program where its parser refuses it."""
    program, *arguments = words
    if program == "fairpool":
        make_parser().parse_args(arguments)
        return
    for n_words in (2, 1):
        name = " ".join(arguments[:n_words])
        if name in every_command.names():
            every_command.parser_of(name).parse_args(arguments[n_words:])
            return
    assert arguments[0] in get_commands()


SHOWN = {page: list(commands_of(page)) for page in PAGES}


def test_the_documentation_shows_commands() -> None:
    assert sum(map(len, SHOWN.values())) > 40


@pytest.mark.parametrize(
    "page",
    [page for page in PAGES if SHOWN[page]],
    ids=lambda page: str(page.relative_to(ROOT)),
)
def test_a_command_of_a_page_is_one_that_its_parser_takes(page: Path) -> None:
    for words in SHOWN[page]:
        print(shlex.join(words))  # noqa: T201 - pytest shows the last one where the test fails
        _takes(words)


@pytest.mark.parametrize("name", every_command.names())
def test_the_example_of_a_command_is_one_that_its_parser_takes(name: str) -> None:
    epilog = (every_command.parser_of(name).epilog or "").replace("\\\n", " ")
    shown = re.findall(r"python manage\.py (.+)", epilog)
    assert shown
    for line in shown:
        assert line == name or line.startswith(f"{name} ")
        _takes(["manage.py", *shlex.split(line)])


@pytest.mark.parametrize("name", [name for name in every_command.names() if " " in name])
def test_every_option_of_a_command_is_explained(name: str) -> None:
    parser = every_command.parser_of(name)
    assert parser.description
    assert [action.dest for action in parser._actions if not action.help] == []


def test_a_program_lists_at_most_fifteen_of_our_commands() -> None:
    nouns = [name for name, app in get_commands().items() if app == "annotation"]
    assert len(nouns) <= 15


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_the_python_of_a_page_is_python(page: Path) -> None:
    """They run in tests of their own, those of docs/recipes.md in `test_recipes.py`."""
    for block in blocks(page):
        if block.language == "python":
            compile(block.code, f"{page}:{block.line}", "exec")
