"""The whole OpenAPI document against the running site: it keeps every word of it."""

import subprocess
import sys
from pathlib import Path
from urllib.request import urlopen

import pytest
from knox.models import AuthToken
from pytest_django.live_server_helper import LiveServer

from tests.api.world import PEOPLE, make_world

CHECKS = (
    "not_a_server_error,status_code_conformance,content_type_conformance,"
    "response_schema_conformance"
)


def findings(site: str, folder: Path, *options: str, who: str = "owner") -> str:
    """What Schemathesis finds, calling with the token of `who`, with the numbers of a study."""
    world = make_world()
    _, token = AuthToken.objects.create(world.people[who])
    # A file is told by its number in one address and by a word in another.
    numbers = {name: number for name, number in world.numbers().items() if name != "file"}
    lines = "\n".join(f'"path.{name}" = {number}' for name, number in numbers.items())
    config, document = folder / "schemathesis.toml", folder / "schema.json"
    # Schemathesis gives up on a document after ten seconds: too few on a busy machine.
    document.write_bytes(urlopen(f"{site}/api/v1/schema/", timeout=600).read())
    config.write_text(f"[parameters]\n{lines}\n", encoding="utf-8")
    done = subprocess.run(
        [
            *(Path(sys.executable).with_name("schemathesis"), f"--config-file={config}"),
            *("run", str(document), f"--url={site}", "--header", f"Authorization: Bearer {token}"),
            *("--checks", CHECKS, "--seed=1", "--generation-deterministic", "--no-color"),
            *("--continue-on-failure", "--suppress-health-check=all", *options),
        ],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=1_800,
        check=False,
    )
    return "" if done.returncode == 0 else (done.stdout + done.stderr)[-60_000:]


@pytest.mark.long
def test_the_api_keeps_its_word(
    live_server: LiveServer, transactional_db: None, tmp_path: Path
) -> None:
    found = findings(
        live_server.url, tmp_path, "--phases=examples,fuzzing", "--max-examples=2", "--no-shrink"
    )
    assert not found, found


@pytest.mark.soak
@pytest.mark.parametrize("who", PEOPLE)
def test_the_api_keeps_its_word_to_everybody_at_every_boundary(
    live_server: LiveServer, transactional_db: None, tmp_path: Path, who: str
) -> None:
    phases = "--phases=examples,coverage,fuzzing"
    found = findings(live_server.url, tmp_path, phases, "--max-examples=50", who=who)
    assert not found, found
