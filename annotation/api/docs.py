"""The OpenAPI document and its pages."""

from drf_spectacular.views import SpectacularJSONAPIView, SpectacularSwaggerSplitView


class Schema(SpectacularJSONAPIView):
    """The document itself; it says nothing about anybody's data."""


class Docs(SpectacularSwaggerSplitView):
    """The document as pages to browse and try, from our own files and without inline script."""

    url_name = "api-schema"
    template_name = "api/docs.html"
    title = "The API of Fairpool"
