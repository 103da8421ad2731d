"""The table of operations in the documentation, made from the code."""

from mturk_local.operations import operations

_BEGIN = "<!-- operations: made by `python manage.py crowd operations` -->"
_END = "<!-- end of operations -->"


def markdown_table() -> str:
    """One row per operation that differs from Amazon's, then the names of the others."""
    differing = {name: known.differs for name, known in operations().items() if known.differs}
    rows = [f"| `{name}` | {differs} |" for name, differs in differing.items()]
    same = ", ".join(f"`{name}`" for name in operations() if name not in differing)
    head = ["| operation | what differs from Amazon |", "|---|---|"]
    return "\n".join([*head, *rows, "", f"As on Amazon: {same}."])


def with_table(document: str) -> str:
    """`document` with the table between its two marks brought up to date."""
    before, _, rest = document.partition(_BEGIN)
    _, _, after = rest.partition(_END)
    return f"{before}{_BEGIN}\n{markdown_table()}\n{_END}{after}"
