"""The table of operations in the documentation, made from the code."""

from mturk_local.operations import operations

_BEGIN = "<!-- operations: made by `python manage.py crowd operations` -->"
_END = "<!-- end of operations -->"


def markdown_table() -> str:
    """One row per operation: its name, the module that carries it out, what Amazon does otherwise.

    "As on Amazon" means: as Amazon documents it.
    """
    rows = ["| Operation | Module | What differs from Amazon |", "|---|---|---|"]
    for name, one in operations().items():
        module = one.carry.__module__.rpartition(".")[2]
        rows.append(f"| `{name}` | `{module}` | {one.differs or 'As on Amazon.'} |")
    return "\n".join(rows)


def with_table(document: str) -> str:
    """`document` with the table between its two marks brought up to date."""
    before, _, rest = document.partition(_BEGIN)
    _, _, after = rest.partition(_END)
    return f"{before}{_BEGIN}\n{markdown_table()}\n{_END}{after}"
