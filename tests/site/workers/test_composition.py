"""The composition without an engine: what compose.yaml says is read, and started as it says.

Each service has its own command, environment and health check; hosts, ports and volumes of
containers become those of this machine, and a small proxy ends TLS as Caddy would. Where the
system lets us, processes have the user of the image and find the code read-only.
"""

import contextlib
import functools
import http.client
import http.server
import os
import re
import signal
import socket
import ssl
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar
from urllib.request import HTTPSHandler, Request, build_opener

import psycopg
import pytest
import yaml

from tests.ports import free_port
from tests.project import ROOT
from tests.servers import POSTGRES, need_postgresql, need_program
from tests.site.workers.profiles import wait_until

pytestmark = [pytest.mark.long, pytest.mark.services]

SERVICES = yaml.safe_load((ROOT / "compose.yaml").read_text())["services"]
PASSWORD = "only-of-the-test"
HOST = "fairpool.example.org"
USER = re.findall(r"--uid (\d+)", (ROOT / "Dockerfile").read_text())[0]
#: As in a container: the code is read-only, and the process has no privileges.
READ_ONLY = [
    *("unshare", "--mount", "--propagation", "private", "sh", "-c"),
    'mount --bind "$0" "$0" && mount -o remount,ro,bind "$0" && cd "$0" && exec "$@"',
    str(ROOT),
]
AS_USER = ["setpriv", f"--reuid={USER}", f"--regid={USER}", "--clear-groups"]
PATHS = f"{Path(sys.executable).parent}:{os.environ['PATH']}"


@functools.cache
def container() -> tuple[str, ...]:
    """The words before a command that contain it, as far as this system lets us."""
    words: list[str] = []
    for wrapper, probe in ((READ_ONLY, "! touch made"), (AS_USER, "python -c ''")):
        with contextlib.suppress(FileNotFoundError):
            tried = subprocess.run(
                [*wrapper, "sh", "-c", f"{probe} 2>/dev/null"],
                cwd=ROOT,
                env={"PATH": PATHS},
                capture_output=True,
                check=False,
            )
            words += wrapper if tried.returncode == 0 else []
    return tuple(words)


@dataclass
class Composition:
    """The services of compose.yaml as processes of this machine."""

    folder: Path
    name: str
    web: int = field(default_factory=free_port)
    redis: int = field(default_factory=free_port)
    proxy: int = field(default_factory=free_port)

    @property
    def dotenv(self) -> dict[str, str]:
        """What docs/operations.md asks to write into .env."""
        return {
            "SECRET_KEY": "k" * 50,
            "POSTGRES_PASSWORD": PASSWORD,
            "ALLOWED_HOSTS": HOST,
            "CSRF_TRUSTED_ORIGINS": f"https://{HOST}",
            "SECURE_COOKIES": "1",
            "TRUST_PROXY": "1",
        }

    def here(self, text: str) -> str:
        """A value of compose.yaml with its variables, for this machine."""

        def variable(match: re.Match[str]) -> str:
            return self.dotenv.get(match[1]) or match[2] or ""

        text = re.sub(r"\$\{(\w+)(?::[-?]([^}]*))?\}", variable, str(text)).replace("$$", "$")
        for there, ours in (
            (f"postgres://fairpool:{PASSWORD}@db:5432/fairpool", f"{POSTGRES}{self.name}"),
            ("redis://redis:6379", f"redis://127.0.0.1:{self.redis}"),
            # Of two names of this machine, so that each is let in for what it stands for, or not.
            ("http://web:8000", f"http://localhost:{self.web}"),
            (",web", ",localhost"),
            ("http://127.0.0.1:8000", f"http://127.0.0.1:{self.web}"),
        ):
            text = text.replace(there, ours)
        return str(self.folder / "data") if text == "/data" else text

    def environment(self, service: str) -> dict[str, str]:
        """Nothing but what the container has: of the image, of .env, of the composition."""
        own = {name: self.here(value) for name, value in SERVICES[service]["environment"].items()}
        return {
            "PATH": PATHS,
            "HOME": str(self.folder / "data"),
            "HOSTNAME": socket.gethostname(),
            "PYTHONDONTWRITEBYTECODE": "1",
            "WORKER_NAME": service,
            "BIND": f"127.0.0.1:{self.web}",
            **self.dotenv,
            **own,
        }

    def command(self, service: str) -> list[str]:
        command = [self.here(word) for word in SERVICES[service]["command"]]
        assert SERVICES[service]["read_only"]
        return [*container(), *command]

    def start(self, service: str) -> subprocess.Popen[bytes]:
        with (self.folder / f"{service}.log").open("wb") as log:
            return subprocess.Popen(
                self.command(service),
                cwd=ROOT,
                env=self.environment(service),
                stdout=log,
                stderr=log,
                start_new_session=True,
            )

    def is_healthy(self, service: str) -> bool:
        """What the service's own health check says."""
        how, *words = [self.here(word) for word in SERVICES[service]["healthcheck"]["test"]]
        words = [word.replace("celery@", f"{service}@") for word in words]
        command = ["sh", "-c", *words] if how == "CMD-SHELL" else words
        done = subprocess.run(
            command, cwd=ROOT, env=self.environment(service), capture_output=True, check=False
        )
        return done.returncode == 0

    def manage(self, *arguments: str) -> str:
        """As `docker compose run --rm web python manage.py ...`."""
        return subprocess.run(
            [sys.executable, "manage.py", *arguments],
            cwd=ROOT,
            env=self.environment("web"),
            capture_output=True,
            text=True,
            check=True,
        ).stdout


class Forwarding(http.server.BaseHTTPRequestHandler):
    """Passes each request on, and says that it came over https."""

    web: ClassVar[int]

    def do_GET(self) -> None:
        self._pass_on()

    def do_POST(self) -> None:
        self._pass_on()

    def _pass_on(self) -> None:
        site = http.client.HTTPConnection("127.0.0.1", self.web, timeout=60)
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        headers = {**self.headers, "X-Forwarded-Proto": "https", "X-Forwarded-For": "192.0.2.1"}
        site.request(self.command, self.path, body, headers)
        reply = site.getresponse()
        content = reply.read()
        self.send_response(reply.status)
        for name, value in reply.getheaders():
            if name.lower() not in {"connection", "transfer-encoding", "server", "date"}:
                self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)
        site.close()

    def log_message(self, *_: object) -> None:
        """Nothing: standard error is the test's."""


@contextlib.contextmanager
def https_before(composition: Composition) -> Iterator[Path]:
    """A proxy that ends TLS; the path of its certificate."""
    openssl, certificate = need_program("openssl"), composition.folder / "cert.pem"
    subprocess.run(
        [
            *(openssl, "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1"),
            *("-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1"),
            *("-keyout", composition.folder / "key.pem", "-out", certificate),
        ],
        check=True,
        capture_output=True,
    )
    handler = type("Handler", (Forwarding,), {"web": composition.web})
    server = http.server.ThreadingHTTPServer(("127.0.0.1", composition.proxy), handler)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, composition.folder / "key.pem")
    server.socket = context.wrap_socket(server.socket, server_side=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield certificate
    server.shutdown()
    server.server_close()


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder that the user of the image can reach, with the volume of the data."""
    with tempfile.TemporaryDirectory(prefix="fairpool-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        folder.chmod(0o755)
        (folder / "data").mkdir()
        if AS_USER[0] in container():
            os.chown(folder / "data", int(USER), int(USER))
        yield folder


@pytest.fixture
def composition(folder: Path) -> Iterator[Composition]:
    """Databases of its own, and a broker started by the composition's command."""
    need_postgresql()
    need_program("redis-server")
    composition = Composition(folder, f"fairpool_test_{os.getpid()}_{free_port()}")
    names = (composition.name, f"{composition.name}_crowd")
    with psycopg.connect(f"{POSTGRES}postgres", autocommit=True) as server:
        for name in names:
            server.execute(f'CREATE DATABASE "{name}"')
        broker = subprocess.Popen(
            [*SERVICES["redis"]["command"], "--port", str(composition.redis)],
            cwd=folder,
            stdout=subprocess.DEVNULL,
        )
        yield composition
        broker.terminate()
        broker.wait()
        for name in names:
            server.execute(f'DROP DATABASE "{name}" WITH (FORCE)')


@pytest.fixture
def running(composition: Composition) -> Iterator[dict[str, subprocess.Popen[bytes]]]:
    """All services of the site, in the order of the composition."""
    migrate = composition.start("migrate")
    assert migrate.wait(timeout=300) == 0, (composition.folder / "migrate.log").read_text()
    ours = [name for name, service in SERVICES.items() if service.get("image") == "fairpool"]
    started = {name: composition.start(name) for name in ours if name != "migrate"}
    yield started
    for process in started.values():
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def test_the_composition_is_healthy_behind_tls_and_does_short_and_long_jobs(
    composition: Composition, running: dict[str, subprocess.Popen[bytes]]
) -> None:
    checked = [name for name in running if "test" in SERVICES[name].get("healthcheck", {})]
    assert checked == ["web", "worker", "worker-long"]
    for name in checked:
        wait_until(
            functools.partial(composition.is_healthy, name), seconds=240, what=f"{name} is healthy"
        )

    with https_before(composition) as certificate:
        context = ssl.create_default_context(cafile=str(certificate))
        address = f"https://127.0.0.1:{composition.proxy}/sign-in/"
        reply = build_opener(HTTPSHandler(context=context)).open(
            Request(address, headers={"Host": HOST}), timeout=60
        )
        [cookie] = [value for name, value in reply.getheaders() if name == "Set-Cookie"]
        assert reply.status == 200
        assert "; Secure" in cookie

    queries = composition.folder / "queries.tsv"
    queries.write_text("1\tdogs\n2\tcats\n")
    composition.manage("batch", "create", "--name", "b", "--queries", str(queries))
    composition.manage("batch", "publish", "b", "--yes", "--background")
    composition.manage("shell", "--command", _MAKE_BUNDLE)

    def states() -> dict[str, Any]:
        with psycopg.connect(f"{POSTGRES}{composition.name}") as database:
            rows = database.execute("SELECT kind, state FROM annotation_task").fetchall()
        return dict(rows)

    wait_until(
        lambda: states().items() >= {"publish": "done", "bundle": "done"}.items(),
        seconds=180,
        what="a short job and a long one are done",
    )
    assert {name: process.poll() for name, process in running.items()} == dict.fromkeys(running)


_MAKE_BUNDLE = (
    "from annotation.core.perform import queue_job; from annotation.models import Study; "
    "queue_job(kind='bundle', subject=Study.objects.get(name='b'), actor='test')"
)
