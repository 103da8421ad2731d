"""What may not stand in a log is blotted out, and nothing else is."""

import pytest

from metrics.io.redaction import redact


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Forbidden: /invites/q1w2-E3_r4/", "Forbidden: /invites/***/"),
        (
            "Gone: /annotate/join/invited/3AB:sig-1/ again",
            "Gone: /annotate/join/invited/***/ again",
        ),
        ("GET /annotate/submit/3AB:s-1/mturk", "GET /annotate/submit/***/mturk"),
        ("Authorization: Bearer fairpool_00ff", "Authorization: Bearer ***"),
        ("the token fairpool_00ffaa ended", "the token fairpool_*** ended"),
        ("postgres://lab:p-w%21@db:5432/x is away", "postgres://lab:***@db:5432/x is away"),
        ("redis://:p-w@host/0", "redis://:***@host/0"),
        ("amqp://host:5672/ and a@b.org", "amqp://host:5672/ and a@b.org"),
        ("AWS4-HMAC-SHA256 Credential=AKIA/2026, Signature=0a1b", None),
        (
            "GET /join/?key=AKIA&signature=0a1b&expires=1",
            "GET /join/?key=AKIA&signature=***&expires=1",
        ),
        ("{'password': 'correct', 'next': '/'}", "{'password': '***', 'next': '/'}"),
        ('"aws_secret_access_key": "abc"', '"aws_secret_access_key": "***"'),
        ("sessionid=abc; csrftoken=def", "sessionid=***; csrftoken=***"),
        ("no password was typed: /invites/", "no password was typed: /invites/"),
        ("task 7 of batch 3 at http://127.0.0.1:8000/mturk/", None),
    ],
)
def test_what_opens_something_is_blotted_out(text: str, shown: str | None) -> None:
    if shown is None:
        shown = text.replace("Credential=AKIA/", "***/").replace("Signature=0a1b", "Signature=***")
    assert redact(text) == shown
