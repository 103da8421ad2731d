"""The crowd service installed alone, in an environment that has nothing else of ours.

`.ci/wheel` makes that environment and says where its program is.
"""

import contextlib
import io
import json
import os
import re
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import boto3  # noqa: TID251 - as its users do
import mechanicalsoup
import pytest

PROGRAM = os.environ.get("MTURK_LOCAL_PROGRAM", "")
QUESTION = (
    '<HTMLQuestion xmlns="http://mechanicalturk.amazonaws.com/AWSMechanicalTurkDataSchemas/'
    '2011-11-11/HTMLQuestion.xsd"><HTMLContent><![CDATA[<!DOCTYPE html><html><body>'
    '<form method="post" action="https://www.mturk.com/mturk/externalSubmit">'
    '<input type="hidden" name="assignmentId" value=""><input name="colour"><button>Send</button>'
    "</form></body></html>]]></HTMLContent><FrameHeight>0</FrameHeight></HTMLQuestion>"
)

pytestmark = pytest.mark.skipif(
    not PROGRAM, reason="`make wheel` runs this with the program mturk-local"
)


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    return {
        "PATH": os.environ["PATH"],
        "HOME": str(tmp_path),
        "NO_PROXY": "127.0.0.1",
        "MTURK_LOCAL_DATA_DIR": str(tmp_path / "data"),
        "MTURK_LOCAL_ENDPOINT": f"http://127.0.0.1:{port}/mturk/",
    }


@pytest.fixture
def served(environment: dict[str, str]) -> Iterator[str]:
    """The address of the service, which ends with the test."""
    site = environment["MTURK_LOCAL_ENDPOINT"].removesuffix("mturk/")
    port = site.rstrip("/").rpartition(":")[2]
    server = subprocess.Popen([PROGRAM, "serve", "--port", port], env=environment)
    try:
        wait_for(f"{site}annotate/", server)
        yield site
    finally:
        server.terminate()
        server.wait()


def wait_for(address: str, server: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + 300  # on a busy machine
    while True:
        try:
            urllib.request.urlopen(address, timeout=60).close()
        except OSError:
            assert server.poll() is None
            assert time.monotonic() < deadline
            time.sleep(0.2)
        else:
            return


def test_a_hit_is_made_answered_and_paid(environment: dict[str, str], served: str) -> None:
    pair = key_pair(environment)
    crowd = boto3.client(
        "mturk",
        endpoint_url=f"{served}mturk/",
        region_name="us-east-1",
        aws_access_key_id=pair["access_key_id"],
        aws_secret_access_key=pair["secret_access_key"],
    )
    hit = crowd.create_hit(
        Title="Colour",
        Description="Name it.",
        Reward="0.05",
        LifetimeInSeconds=3_600,
        AssignmentDurationInSeconds=600,
        MaxAssignments=1,
        Question=QUESTION,
    )["HIT"]["HITId"]

    answer(environment, served, hit)

    [assignment] = crowd.list_assignments_for_hit(HITId=hit)["Assignments"]
    assert "blue" in assignment["Answer"]
    crowd.approve_assignment(AssignmentId=assignment["AssignmentId"])
    assert crowd.get_account_balance()["AvailableBalance"] == "9999.94"  # 5 cents, a fee of one
    crowd.close()


def test_the_aws_cli_makes_lists_and_approves(environment: dict[str, str], served: str) -> None:
    pair = key_pair(environment)

    def aws(operation: str, *options: str) -> Any:
        done = subprocess.run(
            [
                *(str(Path(sys.executable).with_name("aws")), "mturk", operation, *options),
                *("--endpoint-url", f"{served}mturk/", "--region", "us-east-1"),
            ],
            env=environment
            | {"AWS_ACCESS_KEY_ID": pair["access_key_id"], "AWS_PAGER": ""}
            | {"AWS_SECRET_ACCESS_KEY": pair["secret_access_key"]},
            capture_output=True,
            text=True,
            check=True,
        )
        return json.loads(done.stdout or "null")

    terms = ("--lifetime-in-seconds", "3600", "--assignment-duration-in-seconds", "600")
    texts = ("--title", "Colour", "--description", "Name it.", "--reward", "0.05")
    hit = aws("create-hit", *texts, *terms, "--question", QUESTION)["HIT"]["HITId"]
    answer(environment, served, hit)
    [assignment] = aws("list-assignments-for-hit", "--hit-id", hit)["Assignments"]
    assert "blue" in assignment["Answer"]
    aws("approve-assignment", "--assignment-id", assignment["AssignmentId"])
    assert aws("get-account-balance")["AvailableBalance"] == "9999.94"


def test_the_readme_leads_to_an_answered_hit(
    environment: dict[str, str], served: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    readme = (Path(__file__).parents[2] / "mturk_local" / "README.md").read_text()
    question, code = re.findall(r"```(?:xml|python)\n(.*?)```", readme, re.DOTALL)
    (tmp_path / "question.xml").write_text(question)
    made = subprocess.run(
        ["/bin/bash", "-c", f'eval "$({PROGRAM} key --shell)"; env -0'],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    for variable in made.stdout.split("\0"):
        if variable.startswith("AWS_"):
            monkeypatch.setenv(*variable.partition("=")[::2])
    monkeypatch.chdir(tmp_path)
    *ask, show = code.splitlines()
    names: dict[str, Any] = {}

    exec("\n".join(ask), names)  # noqa: S102 - our own documentation
    answer(environment, served, names["hit"])
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(show, names)  # noqa: S102

    assert "blue" in printed.getvalue()
    names["crowd"].close()


def key_pair(environment: dict[str, str]) -> Any:
    return json.loads((Path(environment["MTURK_LOCAL_DATA_DIR"]) / "crowd-key.json").read_text())


def answer(environment: dict[str, str], served: str, hit: str) -> None:
    """Somebody invited answers the HIT with "blue"."""
    invited = subprocess.run(
        [PROGRAM, "channel", "invite", "--note", "Ada"],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    browser = mechanicalsoup.StatefulBrowser(soup_config={"features": "html.parser"})
    browser.open(invited.stdout.split()[0])
    browser.open(f"{served}annotate/hits/{hit}/")
    browser.select_form('form[action$="/accept/"]')
    browser.submit_selected()
    browser.open_relative(browser.page.select_one("iframe")["src"])
    browser.select_form("form")
    browser["colour"] = "blue"
    browser.submit_selected()
    browser.close()
