"""What the market on this machine refuses: whatever Prolific's contract does not describe."""

import json
from typing import Any

import pytest
import urllib3

from annotation.prolific.double.contract import described_operations
from annotation.prolific.double.market import Market
from tests.annotation.prolific.conftest import CONTRACT, TOKEN, study_terms

_ID = "6" * 24
_LONG = "No answers arrived. " * 6


def _sent(
    address: str, method: str, path: str, body: object = None, *, mime: str = "application/json"
) -> tuple[int, str]:
    reply = urllib3.request(
        method,
        f"{address}/api/v1/{path}",
        body=None if body is None else json.dumps(body).encode(),
        headers={"Authorization": f"Token {TOKEN}", "Content-Type": mime},
        retries=False,
    )
    return reply.status, reply.data.decode()


def _compact(described: dict[str, Any]) -> dict[str, Any]:
    """An operation of Prolific's description as `contract.json` has it."""
    return {
        "method": described["method"],
        "path": described["path"],
        "query": {
            one["name"]: {
                name: held for name, held in one.items() if name not in {"in", "name", "default"}
            }
            for one in described["params"]
            if one["in"] == "query"
        },
        "body": (described.get("body") or {}).get("schema"),
    }


def test_the_markets_contract_is_prolifics() -> None:
    if not CONTRACT.is_file():
        pytest.skip("Prolific's contract (../shared/facts) is not beside this checkout")
    published = {
        (one["method"], one["path"]): _compact(one)
        for one in json.loads(CONTRACT.read_text("utf-8"))["operations"]
    }
    for one in described_operations():
        assert one._asdict() == published[one.method, one.path]


@pytest.mark.parametrize(
    ("path", "cause"),
    [
        ("hooks/secrets/", "workspace_id"),
        ("studies/?page=1&page_size=100", "page"),
        ("studies/?state=DONE", "state"),
        ("workspaces/?limit=1000", "limit"),
        ("submissions/", "study"),
        (f"submissions/?study={_ID}&page=first", "page"),
        (f"submissions/?study={_ID}&study={_ID}", "study"),
        ("participant-groups/", "filter"),
        (f"participant-groups/?filter={_ID}", "filter"),
        (f"participant-groups/?workspace_id={_ID}&page=1", "page"),
        ("hooks/subscriptions/?is_enabled=maybe", "is_enabled"),
    ],
)
def test_a_query_that_is_not_described_is_refused(address: str, path: str, cause: str) -> None:
    status, text = _sent(address, "GET", path)
    assert status == 400
    assert f'"{cause}"' in text


@pytest.mark.parametrize(
    ("path", "body", "cause"),
    [
        ("studies/", study_terms(status="ACTIVE"), "status"),
        ("studies/", study_terms(reward="100"), "reward"),
        ("studies/", study_terms(filters=[{"filter_id": "age", "values": []}]), "filters"),
        ("study-cost-calculator/", {"reward": 100}, "total_available_places"),
        (f"studies/{_ID}/transition/", {"action": "BEGIN"}, "action"),
        (f"submissions/{_ID}/transition/", {"action": "REJECT", "reason": _LONG}, "reason"),
        (f"submissions/{_ID}/request-return/", {"reasons": ["x"]}, "request_return_reasons"),
        (f"submissions/{_ID}/request-return/", {"request_return_reasons": "x"}, "not of the type"),
        ("submissions/bulk-approve/", {"submissions": [_ID]}, "none of what is described"),
        ("submissions/bonus-payments/", {"study": _ID}, "study"),
        (f"bulk-bonus-payments/{_ID}/pay/", {}, "No body"),
        (f"participant-groups/{_ID}/participants/", {"participant_ids": [1]}, "participant_ids"),
    ],
)
def test_a_body_that_is_not_described_is_refused(
    address: str, path: str, body: object, cause: str
) -> None:
    status, text = _sent(address, "POST", path, body)
    assert status == 400
    assert cause in text


def test_a_body_is_json_by_its_header_too(address: str) -> None:
    status, text = _sent(address, "POST", "studies/", study_terms(), mime="text/plain")
    assert status == 400
    assert "application/json" in text


def test_an_object_in_a_query_is_sent_as_its_members(address: str, market: Market) -> None:
    path = f"participant-groups/?workspace_id={market.workspace_id}"
    assert _sent(address, "GET", path)[0] == 200
