"""The documentation names what there is, and only that."""

import re
from pathlib import Path

import pytest

from tests.site import every_command

ROOT = Path(__file__).resolve().parent.parent.parent
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])
COMMANDS = every_command.names()
ALL_PAGES = "\n".join(page.read_text(encoding="utf-8") for page in PAGES)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_the_links_of_a_page_lead_somewhere(page: Path) -> None:
    targets = re.findall(r"\]\((?!https?://|#)([^)#]+)", page.read_text(encoding="utf-8"))

    assert [target for target in targets if not (page.parent / target).exists()] == []


@pytest.mark.parametrize("command", sorted({command.split()[0] for command in COMMANDS}))
def test_every_command_and_noun_is_documented(command: str) -> None:
    page = (ROOT / "docs" / "commands.md").read_text(encoding="utf-8")
    assert f"`{command}`" in page.partition("## Commands of the site")[2]


def test_the_documentation_calls_only_commands_that_exist() -> None:
    django = {"migrate", "createsuperuser", "check", "makemigrations", "help", "shell"}
    django |= {"makemessages", "compilemessages"}
    called = set(re.findall(r"manage\.py ([a-z_]+)", ALL_PAGES))

    assert called - django - {command.split()[0] for command in COMMANDS} == set()
