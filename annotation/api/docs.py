"""The OpenAPI document, its pages, and its calls as a table."""

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
    """Markdown, between two marks: the calls by address; the pages say what each does."""
    document = SchemaGenerator().get_schema(request=None, public=True)  # type: ignore[no-untyped-call] # untyped library
    rows = [
        f"| `{path.removeprefix('/api/v1')}` | "
        + ", ".join(
            f"{method.upper()} `{operation['operationId']}`"
            for method, operation in operations.items()
            if method in _METHODS
        )
        + " |"
        for path, operations in document["paths"].items()
    ]
    head = "| address, after `/api/v1` | calls |\n|---|---|"
    return "\n".join([BEGIN, head, *rows, END])
