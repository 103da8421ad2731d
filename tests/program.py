"""Commands of `fairpool` in this process: what they print, and how they fail."""

import contextlib
import io
import json
import sys
from typing import Any

from config.program import main


def run(*arguments: object) -> str:
    """The standard output of a command; it must succeed."""
    status, printed, said = _call(arguments)
    assert status == 0, said
    sys.stderr.write(said)
    return printed


def run_json(*arguments: object) -> Any:
    return json.loads(run(*arguments, "--json"))


def failure(*arguments: object, status: int = 1) -> str:
    """The message of a command that fails with this status: 1 for bad input, 2 for a wrong call."""
    ended, printed, said = _call(arguments)
    assert (ended, printed) == (status, ""), said
    return said.strip()


def _call(arguments: tuple[object, ...]) -> tuple[int, str, str]:
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            status = main([*map(str, arguments), "--quiet"])
        except SystemExit as end:
            status = int(end.code or 0)
    return status, out.getvalue(), err.getvalue()
