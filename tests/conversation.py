"""Speaking with a process that has Django loaded: a line of JSON there, a line of JSON back."""

import json
import subprocess
import sys
from collections.abc import Mapping
from typing import Any

from tests.project import ROOT


class Conversation:
    """A process that runs `module`; each call sends a verb with its arguments and gives the reply.

    It is killed in the end.
    """

    def __init__(self, module: str, environment: Mapping[str, str]) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", module],
            cwd=ROOT,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def __call__(self, *request: str | int) -> Any:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(request) + "\n")
        self._process.stdin.flush()
        return json.loads(self._process.stdout.readline())

    def close(self) -> None:
        self._process.kill()
        self._process.communicate()
