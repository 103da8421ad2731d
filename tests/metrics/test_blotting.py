"""What may not stand in a log is blotted out, and nothing else is."""

import json
import re
from collections.abc import Callable
from urllib.parse import quote, quote_plus

import pytest

from metrics.io.redaction import hide, redact


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Forbidden: /invites/q1w2-E3_r4/", "Forbidden: /invites/***/"),
        (
            "Gone: /annotate/join/invited/3AB:sig-1/ again",
            "Gone: /annotate/join/invited/***/ again",
        ),
        ("GET /sign-in/link/a1-B2/", "GET /sign-in/link/***/"),
        ("GET /sign-in/forgotten/MQ/d1-0f/", "GET /sign-in/forgotten/MQ/***/"),
        ("GET /sign-in/forgotten/ again", "GET /sign-in/forgotten/ again"),
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
        ("Authorization: Token 0a/1b==", "Authorization: Token ***"),
        ("{'Authorization': 'Basic dXNl/cg=='}", "{'Authorization': 'Basic ***'}"),
        ("('authorization', b'Token 0a1b')", "('authorization', b'Token ***')"),
        ('{"headers": "{\\"Authorization\\": \\"Token 0a\\"}"}', None),
        ("b'GET / HTTP/1.1\\r\\nAuthorization: Token 0a\\r\\nHost: x'", None),
        ("HTTP_AUTHORIZATION='Digest 0a'", None),
        ("Proxy-Authorization: 0a", None),
        ("X-Api-Key: sk/0a+1", "X-Api-Key: ***"),
        ('"aws_secret_access_key": "abc/def+g"', '"aws_secret_access_key": "***"'),
        ("it needs authorization, which staff give", None),
        ("no password was typed: /invites/", "no password was typed: /invites/"),
        ("task 7 of batch 3 at http://127.0.0.1:8000/mturk/", None),
    ],
)
def test_what_opens_something_is_blotted_out(text: str, shown: str | None) -> None:
    if shown is None:
        shown = text.replace("Credential=AKIA/2026", "***").replace("=0a1b", "=***")
        shown = re.sub(r"(Token |Digest |Proxy-Authorization: )0a", r"\1***", shown)
    assert redact(text) == shown


def test_hidden_values_are_blotted_out_in_every_spelling() -> None:
    hide(['a "quoted"\nsecret of ours', "", "ab"])
    assert redact('it is a "quoted"\nsecret of ours!') == "it is ***!"
    assert redact(json.dumps({"a": 'a "quoted"\nsecret of ours'})) == '{"a": "***"}'
    assert redact("cabbage") == "cabbage"


@pytest.mark.parametrize(
    "spell",
    [repr, ascii, json.dumps, quote, quote_plus, str.encode, lambda text: {"a": f"'{text}\""}],
)
def test_a_hidden_value_is_blotted_out_of_what_quotes_or_escapes_it(
    spell: Callable[[str], object],
) -> None:
    secret = "Zq\"8'k \\w/é%"
    hide([secret])
    written = f"of {spell(secret)}!"
    for text in (written, repr(written), json.dumps({"of": written})):
        assert "***" in redact(text)
        assert "Zq" not in redact(text)
