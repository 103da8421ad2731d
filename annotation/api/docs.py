"""The OpenAPI document, its pages, and every operation of it as a table for people."""

from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.views import SpectacularJSONAPIView, SpectacularSwaggerSplitView

BEGIN = "<!-- From here to the end mark: written by `manage.py site document` -->"
END = "<!-- End of what is written by `manage.py site document` -->"
_METHODS = ("get", "post", "patch", "delete")


class Schema(SpectacularJSONAPIView):
    """The document itself; it says nothing about anybody's data."""


class Docs(SpectacularSwaggerSplitView):
    """The document as pages to browse and try, from our own files and without inline script."""

    url_name = "api-schema"
    template_name = "api/docs.html"
    title = "The API of Fairpool"


def section() -> str:
    """Markdown, between two marks: what is called how, and what it does, by address."""
    document = SchemaGenerator().get_schema(request=None, public=True)  # type: ignore[no-untyped-call] # untyped library
    rows = [
        f"| `{operation['operationId']}` | {method.upper()} `{path.removeprefix('/api/v1')}` | "
        f"{' '.join(operation.get('description', '').split(chr(10) * 2)[0].split())} |"
        for path, operations in document["paths"].items()
        for method, operation in operations.items()
        if method in _METHODS
    ]
    head = "| operation | call, after `/api/v1` | what it does |\n|---|---|---|"
    return "\n".join([BEGIN, head, *rows, END])
