"""The schemes that come with Fairpool: YAML files of this folder, one for each of its languages."""

from functools import cache
from pathlib import Path

from annotation.schemes.scheme import ENGLISH, About, Scheme
from annotation.schemes.texts import scheme_from_yaml
from metrics.vocabulary import CATEGORY_QUESTION

#: What is asked most comes first: of queries, then of passages.
_FIRST = {CATEGORY_QUESTION: 0, "relevance": 1}


@cache
def _every() -> list[Scheme]:
    files = sorted(Path(__file__).parent.glob("*.yaml"))
    schemes = [scheme_from_yaml(file.read_text(encoding="utf-8")) for file in files]
    return sorted(schemes, key=lambda scheme: (_FIRST.get(scheme.name, 2), scheme.title))


def built_in_schemes(language: str = ENGLISH) -> dict[str, Scheme]:
    """The built-in schemes by name: the paper's, relevance, then by title.

    They are in `language` where they come in it, else in English.
    """
    english = {scheme.name: scheme for scheme in _every() if scheme.language == ENGLISH}
    return english | {scheme.name: scheme for scheme in _every() if scheme.language == language}


def schemes_about(about: About) -> dict[str, Scheme]:
    """The built-in schemes that judge this, by name."""
    return {name: scheme for name, scheme in built_in_schemes().items() if scheme.about == about}


def built_in_scheme(name: str, language: str = ENGLISH) -> Scheme:
    return built_in_schemes(language)[name]


def built_in_languages(name: str) -> list[str]:
    """The languages that the built-in scheme of this name comes in; none without such a scheme."""
    return [scheme.language for scheme in _every() if scheme.name == name]


def in_language(scheme: Scheme, language: str) -> Scheme:
    """The scheme as it comes in `language`; one that did not come with Fairpool as it is."""
    return built_in_scheme(scheme.name, language) if scheme in _every() else scheme
