"""The AWS CLI from the package index, unchanged, drives the whole life of a HIT."""

import os
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from mturk_local.keys import key_pair_issue
from tests.mturk_local.conftest import Annotator

pytestmark = [
    pytest.mark.django_db(transaction=True, databases=["crowd"]),
]
SCRIPT = Path(__file__).with_name("life_of_a_hit.sh")


@pytest.fixture
def answering(crowd: str, tmp_path: Path) -> Iterator[Path]:
    """A program that lets somebody at a browser answer the HIT that it is given.

    The person lives in this process; the program hands over the id and waits until it is done.
    """
    ada = Annotator(crowd, "ada")
    listener = socket.create_server(("127.0.0.1", 0))

    def answer() -> None:
        connection, _ = listener.accept()
        with connection, connection.makefile("rw") as line:
            ada.accept(line.readline().strip())
            ada.answer(label="cat")
            line.write("done\n")

    threading.Thread(target=answer, daemon=True).start()
    program = tmp_path / "answer"
    program.write_text(
        f"#!{sys.executable}\n"
        "import socket, sys\n"
        f"with socket.create_connection({listener.getsockname()!r}) as s:\n"
        "    s.sendall((sys.argv[1] + '\\n').encode())\n"
        "    assert s.recv(10) == b'done\\n'\n"
    )
    program.chmod(0o755)
    yield program
    listener.close()


@pytest.mark.long
def test_the_aws_cli_drives_the_whole_life_of_a_hit(crowd: str, answering: Path) -> None:
    pair = key_pair_issue(requester_name="lab")
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(answering.parent),
        "NO_PROXY": "127.0.0.1,localhost",
        "AWS": str(Path(sys.executable).with_name("aws")),
        "AWS_ACCESS_KEY_ID": pair.access_key_id,
        "AWS_SECRET_ACCESS_KEY": pair.secret_access_key,
        "AWS_PAGER": "",
        "ENDPOINT": f"{crowd}/mturk/",
        "ANSWER": str(answering),
    }
    done = subprocess.run(
        [SCRIPT], env=environment, capture_output=True, text=True, timeout=240, check=False
    )

    assert done.returncode == 0, done.stderr
    # 0.10 USD and 0.02 for the answer, 0.05 and 0.01 for the bonus.
    assert done.stdout.splitlines() == [
        "balance 10000.00",
        "created Assignable",
        "listed 1",
        "reviewable 1",
        "bonus 0.05",
        "deleted Disposed",
        "balance 9999.82",
    ]
