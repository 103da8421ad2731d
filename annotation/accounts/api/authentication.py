"""Authentication of API calls by a bearer token."""

from typing import Any

from drf_spectacular.extensions import OpenApiAuthenticationExtension
from knox.auth import TokenAuthentication as KnoxTokenAuthentication
from rest_framework.exceptions import AuthenticationFailed

from annotation.accounts.operations.tokens import token_used
from annotation.accounts.queries.second_factor import has_second_factor, needs_second_factor


class TokenAuthentication(KnoxTokenAuthentication):  # type: ignore[misc] # knox has no types
    """`Authorization: Bearer TOKEN`; the database holds digests of tokens only."""

    def authenticate_credentials(self, token: bytes) -> Any:
        if not token.isascii():
            # The library fails on bytes that are not text.
            raise AuthenticationFailed("Invalid token.")
        user, stored = super().authenticate_credentials(token)
        if needs_second_factor(user=user) and not has_second_factor(user=user):
            raise AuthenticationFailed("Turn on two-step sign-in on the page of your account.")
        token_used(token=stored)
        return user, stored


class TokenScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call] # untyped library
    """Description of token authentication in the OpenAPI document."""

    target_class = "annotation.accounts.api.authentication.TokenAuthentication"
    name = "token"

    def get_security_definition(self, auto_schema: Any) -> dict[str, str]:  # noqa: ARG002 - the base class says so
        return {"type": "http", "scheme": "bearer"}
