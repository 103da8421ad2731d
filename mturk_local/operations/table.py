"""The table of operations in the documentation, made from the code."""

from mturk_local.operations import operations

_BEGIN = "<!-- operations: made by `python manage.py crowd operations` -->"
_END = "<!-- end of operations -->"


def markdown_table() -> str:
    """A row for each difference from Amazon's operations, then the number of those without one."""
    names: dict[str, list[str]] = {}
    for name, known in operations().items():
        names.setdefault(known.differs, []).append(f"`{name}`")
    same = names.pop("", [])
    rows = [f"| {', '.join(alike)} | {differs} |" for differs, alike in names.items()]
    head = ["| operation | what differs from Amazon |", "|---|---|"]
    return "\n".join([*head, *rows, "", f"The other {len(same)} are as on Amazon."])


def with_table(document: str) -> str:
    """`document` with the table between its two marks brought up to date."""
    before, _, rest = document.partition(_BEGIN)
    _, _, after = rest.partition(_END)
    return f"{before}{_BEGIN}\n{markdown_table()}\n{_END}{after}"
