"""An address of the API that leads nowhere."""

from typing import Any, NoReturn

from django.http import HttpRequest
from rest_framework.exceptions import NotFound
from rest_framework.permissions import AllowAny

from annotation.api.access import ApiView


class Unknown(ApiView):
    """The same answer to every method, with or without a name."""

    permission_classes = (AllowAny,)
    schema = None

    def http_method_not_allowed(self, request: HttpRequest, *_: Any, **__: Any) -> NoReturn:
        raise NotFound(
            f"{request.path} leads nowhere; every address ends with a slash, and "
            "/api/v1/docs/ lists them."
        )
