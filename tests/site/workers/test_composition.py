"""The composition without an engine: what compose.yaml says is read, and started as it says.

Each service has its own command, environment and health check; hosts, ports and volumes of
containers become those of this machine, and the proxy signs its certificate itself. Where the
system lets us, processes have the user of the image and find the code read-only.
"""

import contextlib
import functools
import http.client
import os
import re
import signal
import socket
import ssl
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from email.message import Message
from pathlib import Path
from typing import Any

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
    http: int = field(default_factory=free_port)
    https: int = field(default_factory=free_port)

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


@contextlib.contextmanager
def proxy(composition: Composition) -> Iterator[None]:
    """Caddy with the composition's file: other ports, and certificates that it makes itself."""
    caddy = need_program("caddy", trial=("version",))
    ports = f"http_port {composition.http}\n\thttps_port {composition.https}"
    said = (ROOT / "deploy" / "Caddyfile").read_text()
    file = composition.folder / "Caddyfile"
    file.write_text(
        said.replace(
            "admin off", f"admin off\n\tlocal_certs\n\tskip_install_trust\n\t{ports}"
        ).replace("web:8000", f"127.0.0.1:{composition.web}")
    )
    with (composition.folder / "proxy.log").open("wb") as log:
        process = subprocess.Popen(
            [caddy, "run", "--config", str(file), "--adapter", "caddyfile"],
            env={
                "PATH": PATHS,
                "HOME": str(composition.folder),
                "XDG_DATA_HOME": str(composition.folder),
                "XDG_CONFIG_HOME": str(composition.folder),
                "FAIRPOOL_DOMAIN": HOST,
            },
            stdout=log,
            stderr=log,
        )
    yield
    process.terminate()
    process.wait()


def answers(composition: Composition) -> bool:
    try:
        through_proxy(composition, "/healthz")
    except OSError:  # no port, no file, or no certificate yet
        return False
    return True


def through_proxy(composition: Composition, path: str, **headers: str) -> tuple[Message, bytes]:
    """Header and content that somebody gets who calls the site by its name under https."""
    root = composition.folder / "caddy" / "pki" / "authorities" / "local" / "root.crt"
    context = ssl.create_default_context(cafile=str(root))
    site = http.client.HTTPConnection(HOST)
    with (
        socket.create_connection(("127.0.0.1", composition.https), timeout=60) as plain,
        context.wrap_socket(plain, server_hostname=HOST) as site.sock,
    ):
        site.request("GET", path, headers=headers)
        reply = site.getresponse()
        assert reply.status == 200
        return reply.headers, reply.read()


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

    with proxy(composition):
        wait_until(
            functools.partial(answers, composition), seconds=60, what="the proxy has a certificate"
        )
        # What a browser says of its own way here is not believed.
        headers, page = through_proxy(composition, "/sign-in/", **{"X-Forwarded-Proto": "http"})
        assert "; Secure" in headers["Set-Cookie"]
        [style] = re.findall(rb'href="(/static/[^"]+\.css)"', page)
        headers, _ = through_proxy(composition, style.decode(), **{"Accept-Encoding": "gzip"})
        assert headers["Content-Encoding"] == "gzip"
        with contextlib.closing(
            http.client.HTTPConnection("127.0.0.1", composition.http, timeout=60)
        ) as plain:
            plain.request("GET", "/sign-in/", headers={"Host": HOST})
            assert plain.getresponse().getheader("Location") == f"https://{HOST}/sign-in/"

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
