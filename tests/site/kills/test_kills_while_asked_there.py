"""SIGKILL amid spoiled calls while Prolific's double asks the questions of batches itself.

One data set, one batch of tasks and one study per batch, each answer once, books to the cent.
`python -m pytest -m soak tests/site/kills/test_kills_while_asked_there.py --log-cli-level=INFO`
kills 100 processes on each database, and says how many calls were spoiled.
"""

import logging

import pytest

from annotation.prolific.double.market import Market
from tests.project import Project
from tests.site.kills.test_kills_while_recruiting import TOKEN, Stage, market, pay, settled

__all__ = ["market"]

pytestmark = pytest.mark.timed

log = logging.getLogger(__name__)

_BONUSES = 2


class StageThere(Stage):
    """Where people answer at the market, and not here."""

    last_call = {"ask there": 24, "catch up": 10, "approve people": 8, "pay people": 10}


@pytest.mark.parametrize(
    "kills",
    [
        pytest.param(1, marks=[pytest.mark.faults, pytest.mark.long]),
        pytest.param(25, marks=pytest.mark.soak),
    ],
)
def test_kills_make_nothing_there_twice(
    project: Project, market: tuple[Market, str], kills: int
) -> None:
    """`kills` of each kind of work."""
    stage = StageThere(project, *market, seed=kills)
    stage.proxy.share = 0.2
    names: list[str] = []
    try:
        while min(stage.kills[work] for work in stage.last_call) < kills:
            names.append(asked_and_paid(stage, len(names), kills))
            log.info("%s killed; %s spoiled", dict(stage.kills), dict(stage.proxy.faults))
        assert settled(stage, names)
    finally:
        stage.close()
    made = stage.market.tasks.batches.values()
    assert sorted(len(one.tasks) for one in made) == [2] * len(names)
    project.run("crowd", "invariants")


def asked_and_paid(stage: StageThere, number: int, kills: int) -> str:
    """One batch from the upload of its questions to bonuses; its name."""
    name: str = stage.ask("create", number, 1)
    stage.ask("choose", name)
    assert stage.ask("join", stage.ask("fork", "publish", name)) == 0
    stage.calmly("connect", name, TOKEN)
    stage.do_until(lambda: stage.ask("recruited", name)[0] == "ACTIVE", kills, "ask there", name)
    study = stage.ask("recruited", name)[2]
    answered = [take_part(stage, study, person) for person in range(3)]
    while stage.kills["catch up"] < min(kills, (number + 1) * 4):
        stage.attempt("catch up", name, is_aimed=True)
    stage.read(name)
    assert set(stage.ask("submissions", name)) == set(answered)
    stage.do_until(
        lambda: set(stage.ask("submissions", name).values()) == {"APPROVED"},
        kills,
        *("approve people", name),
    )
    for reason in range(_BONUSES):
        pay(stage, name, str(reason), kills)
    return name


def take_part(stage: StageThere, study: str, person: int) -> str:
    """Answer both queries at the market, and hand in; the submission."""
    market = stage.market
    with market.lock:
        visit = market.arrive(study, f"{person:024x}")
        assert visit is not None
        submission = visit.submission.submission_id
        made, group = market.task_of(submission)
        (question,) = made.questions
        answers = {task.task_id: {question["id"]: ["gender=f"]} for task in made.groups[group]}
        market.answer_tasks(submission, answers)
    return submission
