"""The threat model names tests that there are."""

import re
from pathlib import Path

from django.urls import URLResolver, get_resolver

TESTS = Path(__file__).resolve().parent.parent
DOCUMENT = TESTS.parent / "docs" / "security.md"
NAMED = re.compile(r"`([\w/]+\.py)(?:::(\w+))?`")
#: Where the document's paths may begin.
ROOTS = (TESTS, TESTS.parent)


def test_every_test_that_the_threat_model_names_exists() -> None:
    named = NAMED.findall(DOCUMENT.read_text(encoding="utf-8"))
    assert len(named) > 25
    for path, test in named:
        found = [root / path for root in ROOTS if (root / path).is_file()]
        assert found, path
        text = found[0].read_text(encoding="utf-8")
        assert not test or f"def {test}(" in text, f"{path}::{test}"


def test_every_threat_names_a_test() -> None:
    table = DOCUMENT.read_text(encoding="utf-8").partition("## How the site")[0]
    threats = [line for line in table.splitlines() if line.startswith("| ")][1:]
    assert len(threats) > 30
    for threat in threats:
        _, who, defence, shown, _not, _ = (part.strip() for part in threat.split("|"))
        assert defence, who
        assert NAMED.search(shown), who


def test_how_the_site_is_reached_names_every_address() -> None:
    section = DOCUMENT.read_text(encoding="utf-8").partition("## How the site is reached")[2]
    told = set(re.findall(r"`/([\w-]*)", section.partition("\n## ")[0]))
    patterns = list(get_resolver().url_patterns)
    for one in get_resolver().url_patterns:
        if isinstance(one, URLResolver) and not str(one.pattern):
            patterns += one.url_patterns
    first = {str(one.pattern).partition("/")[0] for one in patterns}
    assert first <= told
