"""The schemes that come with Fairpool: each a YAML file of this folder, found by itself."""

from functools import cache
from pathlib import Path

from annotation.schemes.scheme import Scheme
from annotation.schemes.texts import scheme_from_yaml

#: The paper's four categories. Its votes are those of the released data set.
GENDER = "gender"


@cache
def built_in_schemes() -> dict[str, Scheme]:
    """The built-in schemes by name, the paper's first, then by title."""
    files = sorted(Path(__file__).parent.glob("*.yaml"))
    schemes = [scheme_from_yaml(file.read_text(encoding="utf-8")) for file in files]
    schemes.sort(key=lambda scheme: (scheme.name != GENDER, scheme.title))
    return {scheme.name: scheme for scheme in schemes}


def built_in_scheme(name: str) -> Scheme:
    return built_in_schemes()[name]
