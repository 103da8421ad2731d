"""What requesters give, and the service fetches: nothing inside, whatever a name says twice."""

import socket
import ssl
from ipaddress import ip_address
from typing import Any
from urllib.request import Request

import pytest

from mturk_local.lifecycle.panel_keys import KeysAwayError, is_keys_url, panel_keys
from mturk_local.outgoing import call, is_public
from tests.hostile_addresses import HOSTILE_ADDRESSES, NAMES

PUBLIC = ["8.8.8.8", "2001:4860:4860::8888", "::ffff:8.8.8.8", "64:ff9b::808:808"]


class Network:
    """The network as a process sees it: names lead where a test says, and connections fail."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.connected: list[tuple[str, int]] = []
        self.names = dict(NAMES)
        self._resolve = socket.getaddrinfo

    def resolve(self, host: str, port: Any, *args: Any, **options: Any) -> Any:
        self.asked.append(host)
        if host not in self.names:
            return self._resolve(host, port, *args, **options)
        return [
            (socket.AF_INET6 if ":" in number else socket.AF_INET, socket.SOCK_STREAM, 6, "", place)
            for number in self.names[host]
            for place in [(number, port)]
        ]

    def connect(self, address: tuple[str, int], *_options: Any, **_more: Any) -> socket.socket:
        self.connected.append(address)
        raise ConnectionRefusedError("nobody listens")


@pytest.fixture
def network(monkeypatch: pytest.MonkeyPatch) -> Network:
    network = Network()
    monkeypatch.setattr(socket, "getaddrinfo", network.resolve)
    monkeypatch.setattr(socket, "create_connection", network.connect)
    return network


@pytest.mark.parametrize("url", HOSTILE_ADDRESSES)
def test_nothing_inside_is_called(network: Network, url: str) -> None:
    with pytest.raises((OSError, ValueError)):
        call(Request(url), listed=(), timeout=1)
    assert network.connected == []


def test_a_name_is_resolved_once_and_connected_to_where_it_led(network: Network) -> None:
    network.names["keys.example"] = ["8.8.8.8", "2001:4860:4860::8888"]
    with pytest.raises(OSError, match="nobody listens"):
        call(Request("https://keys.example/jwks.json"), listed=(), timeout=1)
    assert network.asked == ["keys.example"]
    assert network.connected == [("8.8.8.8", 443), ("2001:4860:4860::8888", 443)]


def test_the_certificate_has_to_be_that_of_the_name(
    network: Network, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked_for: list[Any] = []

    def connect(*_args: Any) -> socket.socket:
        return socket.socket()

    def wrap(_self: ssl.SSLContext, _sock: Any, **options: Any) -> Any:
        asked_for.append((options["server_hostname"], _self.check_hostname))
        raise ConnectionResetError

    network.names["keys.example"] = ["8.8.8.8"]
    monkeypatch.setattr(socket, "create_connection", connect)
    monkeypatch.setattr(ssl.SSLContext, "wrap_socket", wrap)
    with pytest.raises(OSError, match="urlopen"):
        call(Request("https://keys.example/jwks.json"), listed=(), timeout=1)
    assert asked_for == [("keys.example", True)]


def test_a_host_of_the_list_is_called_wherever_it_leads(network: Network) -> None:
    for host, listed in (("inside.example", "inside.example"), ("127.0.0.1:81", "127.0.0.1:81")):
        with pytest.raises(OSError, match="nobody listens"):
            call(Request(f"http://{host}/"), listed=[listed], timeout=1)
    assert network.connected == [("inside.example", 80), ("127.0.0.1", 81)]
    with pytest.raises(OSError, match="not an address"):
        call(Request("http://127.0.0.1:82/"), listed=["127.0.0.1:81"], timeout=1)


@pytest.mark.parametrize("number", PUBLIC)
def test_addresses_that_everybody_reaches_are_public(number: str) -> None:
    assert is_public(ip_address(number))


@pytest.mark.django_db(transaction=True, databases=["crowd"])
@pytest.mark.parametrize(
    "url", ["https://169.254.169.254/latest", "https://inside.example/", "http://127.0.0.1:8080/"]
)
def test_a_panels_keys_are_not_fetched_from_inside(
    network: Network, settings: Any, url: str
) -> None:
    settings.MTURK_LOCAL_KEYS_HOSTS = []
    assert is_keys_url(url) is ("example" in url)  # where a name leads is seen later
    with pytest.raises(KeysAwayError):
        panel_keys(url=url, key_id="k1")
    assert network.connected == []
