"""Every operation of the API as a table for people."""

from drf_spectacular.generators import SchemaGenerator

BEGIN = "<!-- From here to the end mark: python manage.py document_api docs/api.md -->"
END = "<!-- End of what document_api writes. -->"
_METHODS = ("get", "post", "patch", "delete")


def operation_table() -> str:
    """Markdown: what is called how, and what it does, by address."""
    document = SchemaGenerator().get_schema(request=None, public=True)  # type: ignore[no-untyped-call] # untyped library
    rows = [
        f"| `{operation['operationId']}` | {method.upper()} `{path.removeprefix('/api/v1')}` | "
        f"{' '.join(operation.get('description', '').split(chr(10) * 2)[0].split())} |"
        for path, operations in document["paths"].items()
        for method, operation in operations.items()
        if method in _METHODS
    ]
    head = "| operation | call, after `/api/v1` | what it does |\n|---|---|---|"
    return "\n".join([head, *rows]) + "\n"
