"""Variables of the site, of https, of signing in, of the API and of mail."""

from mturk_local.environment.kinds import (
    MOST_DAYS,
    MOST_SECONDS,
    choice,
    host,
    hosts,
    origin,
    origins,
    rate,
    secret,
    switch,
    text,
    whole,
)
from mturk_local.environment.reading import Environment, Group, Variable

_SMTP, _SMTPS, _SUBMISSION = 25, 465, 587
_YEAR = 31_536_000


def _mail_port(env: Environment) -> int:
    if env("EMAIL_USE_SSL"):
        return _SMTPS
    return _SUBMISSION if env("EMAIL_USE_TLS") else _SMTP


def _first_origin(env: Environment) -> str:
    return str((env("CSRF_TRUSTED_ORIGINS") or ["http://127.0.0.1:8000"])[0])


SITE = [
    Variable(
        "FAIRPOOL_OPEN",
        switch(),
        "Nobody signs in: for rehearsals and tests only. Refuses to start where others than this "
        "machine could reach the site",
        False,
    ),
    Variable(
        "ALLOWED_HOSTS",
        hosts(patterns=True),
        "Names under which the site answers; .example.org stands for a domain and all below it",
        ["127.0.0.1", "localhost", "[::1]"],
    ),
    Variable(
        "CSRF_TRUSTED_ORIGINS",
        origins(),
        "Addresses by which people reach the site where it cannot see them itself: behind a proxy "
        "that ends https and is not trusted, or that changes the port",
        [],
        usual="none",
        example="https://fairpool.example.org",
    ),
    Variable(
        "FAIRPOOL_SITE",
        origin(),
        "Where people reach the site, for links in mails and of commands",
        _first_origin,
        usual="the first of CSRF_TRUSTED_ORIGINS",
        example="https://fairpool.example.org",
    ),
    Variable(
        "SECRET_KEY",
        secret("a long random text"),
        "Signs sessions and links. Several machines need the same one",
        "",
        usual="made once, kept in FAIRPOOL_DATA_DIR/secret-key",
    ),
    Variable("DEBUG", switch(), "Error pages with settings and data, for developers", False),
    Variable(
        "LOG_LEVEL",
        choice("DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL", fold=str.upper),
        "Lowest level that is logged",
        "INFO",
    ),
    Variable(
        "LOG_FORMAT",
        choice("logfmt", "json"),
        "Lines of the log: logfmt is key=value, json an object on each line",
        "logfmt",
    ),
    Variable(
        "METRICS_TOKEN",
        secret("a long random text"),
        "Who may read /metrics, besides staff: Authorization: Bearer TOKEN",
        "",
        usual="staff only",
    ),
    Variable(
        "WEB_THREADS",
        whole("threads", 1, 1_000),
        "Threads of a web process; one of them never waits for the crowd service, which may be "
        "this site",
        20,
    ),
]

HTTPS = [
    Variable(
        "SECURE_COOKIES",
        switch(),
        "Cookies over https only; then plain http is redirected, and browsers told for a year. "
        "Needs TRUST_PROXY=1, as a proxy ends https",
        False,
    ),
    Variable(
        "TRUST_PROXY",
        switch(),
        "The site is behind a proxy that sets X-Forwarded-Proto and X-Forwarded-For itself",
        False,
    ),
    Variable(
        "SECURE_SSL_REDIRECT",
        switch(),
        "Redirect plain http to https",
        lambda env: env("SECURE_COOKIES"),
        usual="that of SECURE_COOKIES",
        example="off",
    ),
    Variable(
        "HSTS_SECONDS",
        whole("seconds", 0, MOST_SECONDS),
        "Time for which browsers use https only",
        lambda env: _YEAR if env("SECURE_COOKIES") else 0,
        usual="a year with SECURE_COOKIES, else 0",
        example="0",
    ),
]

SIGN_IN = [
    Variable(
        "SIGN_IN_FAILURES",
        whole("failures", 1, 1_000),
        "Failures to sign in, under one name from one address, before the name has to wait there",
        10,
    ),
    Variable("SIGN_IN_PAUSE_MINUTES", whole("minutes", 1, MOST_DAYS), "Length of that wait", 15),
    Variable(
        "SECOND_FACTOR_REQUIRED",
        switch(),
        "Accounts that may publish or pay sign in with a code of an authenticator app, too",
        lambda env: env("MTURK_ALLOW_PRODUCTION"),
        usual="where production is allowed",
        example="off",
    ),
    Variable("API_RATE", rate(), "Calls of the API of one person", "600/min"),
    Variable(
        "API_RATE_ANONYMOUS", rate(), "Calls of the API of one address without a token", "60/min"
    ),
    Variable("API_TOKEN_DAYS", whole("days", 1, MOST_DAYS), "Time that a token lasts", 90),
]

MAIL = [
    Variable(
        "EMAIL_HOST",
        host(),
        "Mail server that tells members when a batch is finished, stopped or out of budget",
        "",
        usual="none, and no mail",
        example="smtp.example.org",
    ),
    Variable(
        "EMAIL_HOST_USER",
        text("the name of the account"),
        "Account there",
        "",
        usual="none",
        example="fairpool@example.org",
    ),
    Variable(
        "EMAIL_HOST_PASSWORD", secret("the password"), "Password of that account", "", usual="none"
    ),
    Variable("EMAIL_USE_SSL", switch(), "TLS from the first byte", False),
    Variable(
        "EMAIL_USE_TLS",
        switch(),
        "STARTTLS",
        lambda env: not env("EMAIL_USE_SSL"),
        usual="on, unless EMAIL_USE_SSL is",
        example="on",
    ),
    Variable(
        "EMAIL_PORT",
        whole("a port", 1, 65_535),
        "Port of the mail server",
        _mail_port,
        usual="465 with EMAIL_USE_SSL, 587 with EMAIL_USE_TLS, else 25",
        example="587",
    ),
    Variable(
        "EMAIL_FROM",
        text("an address of mail"),
        "Sender",
        lambda env: env("EMAIL_HOST_USER") or "fairpool@localhost",
        usual="EMAIL_HOST_USER",
        example="fairpool@example.org",
    ),
]

GROUPS = [
    Group("The site", SITE),
    Group("Https", HTTPS),
    Group("Signing in and the API", SIGN_IN),
    Group("Mail", MAIL),
]
