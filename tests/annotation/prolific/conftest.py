"""A market on this machine, and Prolific's own contract that both sides are held to."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from annotation.prolific.client import Prolific
from annotation.prolific.double.market import Market
from annotation.prolific.double.server import serving

TOKEN = "a-token-for-rehearsals"
CONTRACT = Path(__file__).parents[4] / "shared" / "facts" / "prolific_contract.json"


@pytest.fixture
def market() -> Market:
    return Market()


@pytest.fixture
def address(market: Market) -> Iterator[str]:
    with serving(market, token=TOKEN) as address:
        yield address


@pytest.fixture
def prolific(address: str) -> Prolific:
    return Prolific(TOKEN, address=address)


class Described(NamedTuple):
    """An operation of the contract."""

    method: str
    pattern: re.Pattern[str]
    answers: dict[str, Any]


@pytest.fixture(scope="session")
def contract() -> list[Described]:
    if not CONTRACT.is_file():
        pytest.skip("Prolific's contract (../shared/facts) is not beside this checkout")
    return [
        Described(
            one["method"],
            re.compile(re.sub(r"\\\{\w+\\\}", r"[^/]+", re.escape(one["path"]))),
            {
                status: answer.get("application/json")
                for status, answer in one["responses"].items()
                if isinstance(answer, dict)
            },
        )
        # Its alternatives overlap, so that "exactly one of" would hold for none.
        for one in json.loads(CONTRACT.read_text().replace('"oneOf"', '"anyOf"'))["operations"]
    ]


def study_terms(**changed: Any) -> dict[str, Any]:
    """A study of three places at one address, as Fairpool asks for it."""
    return {
        "name": "Does a search query name a gender?",
        "internal_name": "fairpool-1",
        "description": "Twenty short search queries.",
        "external_study_url": "http://127.0.0.1:1/c/x?PROLIFIC_PID={{%PROLIFIC_PID%}}",
        "prolific_id_option": "url_parameters",
        "completion_codes": [
            {"code": "DONE", "code_type": "COMPLETED", "actions": [{"action": "MANUALLY_REVIEW"}]}
        ],
        "total_available_places": 3,
        "estimated_completion_time": 5,
        "reward": 100,
        **changed,
    }
