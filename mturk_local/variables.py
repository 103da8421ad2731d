"""Every variable of the environment that the service reads, in one table.

A site that holds the service as one of its apps has a table of its own, with `SHARED` in it.
"""

from mturk_local.environment.kinds import (
    address,
    choice,
    folder,
    hosts,
    origin,
    origins,
    secret,
    switch,
)
from mturk_local.environment.reading import Group, Variable

NOTIFY_HOSTS = Variable(
    "MTURK_LOCAL_NOTIFY_HOSTS",
    hosts(ports=True),
    "Hosts that requesters' notifications may be posted to; others stay in the queue",
    [],
    usual="none",
    example="127.0.0.1,localhost",
)
KEYS_HOSTS = Variable(
    "MTURK_LOCAL_KEYS_HOSTS",
    hosts(ports=True),
    "Hosts of your network that panels' keys may come from; others are public and https",
    [],
    usual="none",
    example="panel.internal:8443",
)
SHARED = [
    Variable(
        "MTURK_LOCAL_ENDPOINT",
        address("http://127.0.0.1:8000/mturk/"),
        "Address of the crowd service for programs",
        "http://127.0.0.1:8000/mturk/",
    ),
    Variable(
        "MTURK_LOCAL_DUPLICATE_FIELDS",
        choice("pipe", "first", "last", "strict"),
        "A field that a page sends twice: pipe joins the values with a bar, first or last takes "
        "one, strict refuses the answer",
        "pipe",
    ),
    Variable(
        "MTURK_LOCAL_TASK_ORIGIN",
        origin(),
        "Origin of their own for the pages of tasks, a second name of the same program",
        "",
        usual="none",
        example="https://tasks.example.org",
    ),
    NOTIFY_HOSTS,
    KEYS_HOSTS,
    Variable(
        "MTURK_LOCAL_ALLOW_HTTP_QUESTIONS",
        switch(),
        "Development only: external questions may come from this machine over plain http",
        False,
    ),
]
ALONE = [
    Variable(
        "MTURK_LOCAL_DATA_DIR",
        folder(),
        "Folder of the database and the keys",
        usual="mturk-local-data",
        example="mturk-local-data",
    ),
    Variable(
        "MTURK_LOCAL_HOSTS",
        hosts(patterns=True),
        "Names under which the service answers",
        ["127.0.0.1", "localhost", "[::1]"],
    ),
    Variable(
        "MTURK_LOCAL_TRUSTED_ORIGINS",
        origins(),
        "Addresses by which people reach the service, behind a proxy that ends https",
        [],
        usual="none",
        example="https://crowd.example.org",
    ),
    Variable("MTURK_LOCAL_SECURE_COOKIES", switch(), "Cookies over https only", False),
    Variable(
        "MTURK_LOCAL_TRUST_PROXY",
        switch(),
        "The service is behind a proxy that sets X-Forwarded-For itself",
        False,
    ),
    Variable(
        "MTURK_LOCAL_SECRET_KEY",
        secret("a long random text"),
        "Signs sessions and links",
        "",
        usual="made once, kept in the data folder",
    ),
]
GROUPS = [Group("The service on its own", ALONE), Group("Shared with a site", SHARED)]
