"""Addresses that somebody might give so that a server asks what only it reaches.

The site and the crowd service refuse all of them, each by its own code.
"""

#: Where names lead: addresses by name, as a resolver would answer.
NAMES = {
    "inside.example": ["10.0.0.7"],
    "half-inside.example": ["8.8.8.8", "127.0.0.1"],
    "inside6.example": ["::1"],
    "mapped.example": ["::ffff:169.254.169.254"],
    "localhost.localdomain": ["127.0.0.1"],
}
#: Hosts, as an address of HTTP writes them.
_HOSTS = [
    *NAMES,
    "127.0.0.1:8080",
    "127.1",
    "0x7f.1",
    "2130706433",
    "0177.0.0.1",
    "0.0.0.0",  # noqa: S104 - nothing is bound
    "localhost",
    "localhost.",
    "LOCALHOST",
    "169.254.169.254",
    "10.1.2.3",
    "172.16.0.1",
    "192.168.0.1",
    "192.0.2.1",
    "100.64.0.1",
    "224.0.0.1",
    "240.0.0.1",
    "255.255.255.255",
    "[::]",
    "[::1]",
    "[::ffff:127.0.0.1]",
    "[::ffff:10.0.0.1]",
    "[::127.0.0.1]",
    "[fd00::1]",
    "[fe80::1]",
    "[ff02::1]",
    "[2002:7f00:1::]",
    "[2001:0:7f00:1::]",
    "[64:ff9b::7f00:1]",
    "[64:ff9b::a9fe:a9fe]",
    "8.8.8.8@127.0.0.1",
    "user:word@inside.example",
]
HOSTILE_ADDRESSES = [
    *(f"https://{host}/keys.json" for host in _HOSTS),
    "http://8.8.8.8/keys.json",  # nobody knows who answers without https
    "http://127.0.0.1:8080/keys.json",
    "https://",
    "https:///keys.json",
    "https://[/keys.json",
    "https://127.0.0.1:70000/",
    "https://127.0.0.1\\@8.8.8.8/",
    "file:///etc/passwd",
    "ftp://127.0.0.1/",
    "gopher://127.0.0.1/",
    "//127.0.0.1/",
    "127.0.0.1",
    "",
]
