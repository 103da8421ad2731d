"""Variables of crowds, of panels, of language models, and of our own crowd service."""

from dataclasses import replace
from decimal import Decimal
from urllib.parse import urlsplit

from config.kinds import dollars, model_keys
from mturk_local.environment.kinds import (
    MOST_SECONDS,
    address,
    choice,
    decimal,
    number,
    secret,
    switch,
)
from mturk_local.environment.reading import Environment, Group, Variable
from mturk_local.variables import KEYS_HOSTS, NOTIFY_HOSTS, SHARED


def _rehearsed_market(env: Environment) -> list[str]:
    """The host of Prolific's double, where it is rehearsed."""
    market = urlsplit(env("PROLIFIC_ADDRESS"))
    return [market.netloc] if market.scheme == "http" else []


CROWDS = [
    Variable(
        "MTURK_ENVIRONMENT",
        choice("local", "sandbox", "production"),
        "The crowd: local (our own service), sandbox or production (Mechanical Turk)",
        "local",
    ),
    Variable(
        "MTURK_ALLOW_PRODUCTION",
        switch(),
        "Real money needs this as well, and the amount typed in",
        False,
    ),
    Variable(
        "MTURK_TIMEOUT_SECONDS",
        number("seconds", "0.1", MOST_SECONDS),
        "Time to wait for one reply of a crowd",
        60.0,
    ),
    Variable(
        "FAIRPOOL_BUDGET",
        dollars(),
        "US dollars that all batches of an environment may commit together, fees included",
        usual="no limit",
        example="5000",
    ),
    Variable(
        "MTURK_HOURLY_FLOOR",
        number("US dollars", "0", 10_000),
        "Pay of an hour below which a batch warns that it underpays",
        12.0,
    ),
    Variable(
        "FAIRPOOL_COUNT_UNVERIFIED",
        switch(),
        "Votes of participants of panels count before it is proved who they are; every report says "
        "so",
        False,
    ),
]

PROLIFIC = [
    Variable(
        "PROLIFIC_TOKEN",
        secret("the token of a researcher (Prolific: Settings, API tokens)"),
        "Recruits on Prolific, and may spend there",
        "",
        usual="none",
    ),
    Variable(
        "PROLIFIC_ADDRESS",
        address("https://api.prolific.com"),
        "Address of Prolific's API, which a rehearsal changes",
        "https://api.prolific.com",
    ),
    Variable(
        "PROLIFIC_EVERY_SECONDS",
        number("seconds", "0", MOST_SECONDS),
        "Time between two readings of a study there; 0 leaves reading to people. With an https "
        "address in FAIRPOOL_SITE, Prolific tells the site of changes at once",
        120.0,
    ),
    Variable(
        "PROLIFIC_FEE_PERCENT",
        decimal("percent", "0", 1_000),
        "What Prolific takes on top of a reward, taxes included",
        Decimal("33.3333"),
    ),
]

MODELS = [
    Variable(
        "FAIRPOOL_MODEL_KEYS",
        model_keys(),
        "Servers of language models that studies may ask, each with its key, which may be empty",
        usual="none, so that no query leaves the site",
        example='{"http://127.0.0.1:8080": "", "https://models.example.org": "key"}',
    ),
    Variable(
        "MODEL_TIMEOUT_SECONDS",
        number("seconds", "0.1", MOST_SECONDS),
        "Time to wait for one answer of a model",
        60.0,
    ),
]

#: What listens on this machine is not for requesters, but in a rehearsal; nor is it a panel's.
OTHERWISE = {
    NOTIFY_HOSTS.name: replace(
        NOTIFY_HOSTS,
        default=lambda env: ["127.0.0.1", "localhost"] if env("FAIRPOOL_OPEN") else [],
        usual="none, and this machine with FAIRPOOL_OPEN",
    ),
    KEYS_HOSTS.name: replace(
        KEYS_HOSTS,
        default=_rehearsed_market,
        usual="none, and PROLIFIC_ADDRESS in a rehearsal",
    ),
}
OWN = [OTHERWISE.get(row.name, row) for row in SHARED]

GROUPS = [
    Group("Crowds", CROWDS),
    Group("Prolific", PROLIFIC),
    Group("Language models", MODELS),
    Group("Our own crowd service", OWN),
]
