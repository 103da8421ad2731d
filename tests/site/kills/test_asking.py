"""SIGKILL at random moments of asking a model, on SQLite and PostgreSQL, under every fault.

Each query has one answer for a model and a prompt, nothing is lost, and no budget is passed.
`python -m pytest -m faults tests/site/kills/test_asking.py --log-cli-level=INFO` counts them.
"""

import json
import logging
import os
import random
from collections import Counter
from collections.abc import Iterator
from decimal import Decimal

import pytest

from annotation.language_models.double import FAULTS, ModelDouble, serving, some_faults
from tests.project import Project
from tests.site.kills.test_kills import Worker

pytestmark = pytest.mark.timed

log = logging.getLogger(__name__)

FEW = 3
KILLS = [FEW, pytest.param(50, marks=pytest.mark.faults)]
#: US dollars; a token is 0.001, a question with its answer about 0.6.
BUDGET = Decimal(9_000)
N_QUERIES = 200


@pytest.fixture
def double() -> ModelDouble:
    """Every fourth call meets a fault; `met` counts them."""
    fault, met = some_faults(0.25), Counter[str]()

    def counted(text: str) -> str:
        chosen = fault(text)
        met[chosen] += 1
        return chosen

    double = ModelDouble(counted)
    double.silence, double.met = 0.5, met
    return double


@pytest.fixture
def address(double: ModelDouble) -> Iterator[str]:
    with serving(double) as served:
        yield served


@pytest.fixture
def worker(project: Project, address: str) -> Iterator[Worker]:
    settings = {"FAIRPOOL_MODEL_KEYS": json.dumps({address: ""}), "MODEL_TIMEOUT_SECONDS": "0.3"}
    os.environ.update(settings)
    worker = Worker(project)
    for name in settings:
        del os.environ[name]
    yield worker
    worker.close()


@pytest.mark.long
@pytest.mark.parametrize("kills", KILLS)
def test_an_asker_that_is_killed_again_and_again_stores_each_answer_once_within_the_budget(
    worker: Worker, double: ModelDouble, address: str, kills: int
) -> None:
    chance = random.Random(kills)
    common = {"address": address, "model": "double", "budget": str(BUDGET)}
    price = {"sent_price": "1000", "answered_price": "1000"}
    done = batches = before = 0
    while done < kills:
        name = worker("create", batches, N_QUERIES // 2)
        batches, before = batches + 1, 0
        # Of every second batch each query is asked twice, and has one label all the same.
        terms = common | {"repetitions": 2 - batches % 2}
        charged_before = double.sent + double.answered
        while done < kills and worker("asked", name)["labels"] < N_QUERIES:
            done += worker.kill_within(
                chance.uniform(0, 0.6), "ask", name, json.dumps(terms | price)
            )
            now = worker("asked", name)
            charged = Decimal(double.sent + double.answered - charged_before) / 1000
            assert now["labels"] >= before
            assert charged <= Decimal(now["committed"]) <= BUDGET
            before = now["labels"]
        while worker("asked", name)["labels"] < N_QUERIES:
            assert worker("join", worker("fork", "ask", name, json.dumps(terms | price))) == 0
        whole = worker("asked", name)
        assert whole["labels"] == whole["queries"] == N_QUERIES
        assert whole["wrong"] == 0
        log.info("%d killed in %d batches, faults met: %s", done, batches, dict(double.met))
    if kills > FEW:
        assert set(FAULTS) <= set(double.met)
