"""Options of the form `this=that,other=more`."""

from argparse import ArgumentTypeError


def columns(text: str) -> dict[str, str]:
    """`query_id=task,label=answer`: what is looked for, and the column that has it."""
    return _mapping(text, last=False)


def labels(text: str) -> dict[str, str]:
    """`Yes=f,No=n,Unsure=`: an answer, and the category that it means (nothing: left out)."""
    return _mapping(text, last=True)


def _mapping(text: str, *, last: bool) -> dict[str, str]:
    found: dict[str, str] = {}
    for part in text.split(","):
        before, equals, after = part.rpartition("=") if last else part.partition("=")
        name = before.strip()
        if not equals or not name:
            raise ArgumentTypeError(f"{part!r} is not of the form NAME=VALUE")
        if name in found:
            raise ArgumentTypeError(f"{name!r} is mapped twice")
        found[name] = after.strip()
    return found


def merged(mappings: list[dict[str, str]] | None) -> dict[str, str]:
    """One mapping of an option that may be given several times."""
    return {name: value for one in mappings or [] for name, value in one.items()}
