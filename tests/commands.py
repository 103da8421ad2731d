"""Commands in this process: what they print, and how they fail."""

import io
import json
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command


def run(*arguments: object) -> str:
    """The standard output of a command."""
    out = io.StringIO()
    call_command(*map(str, arguments), "--quiet", stdout=out)
    return out.getvalue()


def run_json(*arguments: object) -> Any:
    return json.loads(run(*arguments, "--json"))


def failure(*arguments: object) -> str:
    """What a command says when it fails; it must not succeed."""
    with pytest.raises(CommandError) as caught:
        run(*arguments)
    assert caught.value.returncode == 1
    return str(caught.value)


def runs(folder: Path) -> list[str]:
    """The options that name every run of a folder after its file."""
    return [
        part for path in sorted(folder.glob("*.run")) for part in ("--run", f"{path.stem}={path}")
    ]
