"""The languages of the annotators' pages: English, and each one with a catalogue under `locale`."""

import gettext
from collections.abc import Callable
from functools import cache
from pathlib import Path

LOCALE = Path(__file__).resolve().parent.parent / "locale"
#: Django reads the same catalogues for the pages around the frame.
DOMAIN = "django"
SOURCE = "en"
_RIGHT_TO_LEFT = frozenset({"ar", "fa", "he", "ur"})


@cache
def languages() -> dict[str, str]:
    """The name of each language in that language, by its code; English comes first."""
    translated = sorted(path.parent.parent.name for path in LOCALE.glob(f"*/*/{DOMAIN}.mo"))
    return {code: _own_name(code) for code in (SOURCE, *translated)}


def _own_name(language: str) -> str:
    _ = translator(language)
    # Translators: the name of the language of this catalogue, in that language.
    return _("English")


def is_right_to_left(language: str) -> bool:
    return language in _RIGHT_TO_LEFT


@cache
def translator(language: str) -> Callable[[str], str]:
    """Translates a text of the annotators' pages; what a catalogue lacks stays English."""
    return gettext.translation(DOMAIN, LOCALE, languages=[language], fallback=True).gettext
