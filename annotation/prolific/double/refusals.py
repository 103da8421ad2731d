"""Refusals of the market, in the two shapes that Prolific's errors have."""

from typing import Any


class RefusalError(Exception):
    """An answer of 400 and above; `detail` is a text, a list of texts, or fields with texts."""

    def __init__(self, detail: Any, *, status: int = 400, is_flat: bool = False) -> None:
        self.status, self.detail, self.is_flat = status, detail, is_flat
        super().__init__(detail)

    @property
    def body(self) -> dict[str, Any]:
        if self.is_flat:
            return {"message": "The request was refused.", "detail": str(self.detail)}
        title = {401: "Unauthorized", 403: "Forbidden", 404: "Not found", 429: "Too many requests"}
        return {
            "error": {
                "status": self.status,
                "error_code": 140_000 + self.status,
                "title": title.get(self.status, "Bad request"),
                "detail": self.detail,
                "interactive": False,
            }
        }


class InvalidItemsError(RefusalError):
    """A layout of the Task Builder with issues, each of which names its place."""

    def __init__(self, issues: list[dict[str, Any]]) -> None:
        self.issues = issues
        super().__init__("The layout is not valid.", status=422)

    @property
    def body(self) -> dict[str, Any]:
        named = {"code": "INVALID_BATCH_ITEMS", "issues": self.issues}
        return {"error": {**super().body["error"], **named}}


def not_found() -> RefusalError:
    return RefusalError("There is nothing at this address.", status=404)


def field(name: str, text: str) -> RefusalError:
    """A refusal of one member of the body."""
    return RefusalError({name: [text]})
