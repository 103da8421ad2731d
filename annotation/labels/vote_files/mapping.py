"""Mappings as people write them in one line: `query_id=task,label=answer`."""

from metrics.errors import InputError


def read_mapping(text: str, *, last: bool) -> dict[str, str]:
    """Names and values parted by commas; an `=` in a name needs `last`, in a value the opposite.

    Raises `InputError` for a part without `=`, and for a name that stands twice.
    """
    found: dict[str, str] = {}
    for part in text.split(",") if text else ():
        before, equals, after = part.rpartition("=") if last else part.partition("=")
        name = before.strip()
        if not equals or not name:
            raise InputError(f"{part[:60]!r} is not of the form NAME=VALUE")
        if name in found:
            raise InputError(f"{name[:60]!r} is mapped twice")
        found[name] = after.strip()
    return found
