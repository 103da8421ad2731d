"""Asking a language model over HTTP: each query once, in the budget, whatever the server does."""

import json
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import pytest
from django.db import connections
from django.test import Client
from django.urls import reverse

from annotation.batches.operations.ask_model import ASK_MODEL
from annotation.batches.operations.asking import summed_up
from annotation.core.operations import Actor
from annotation.core.parameters import TermError
from annotation.core.perform import estimate, perform
from annotation.jobs.execution import run_job
from annotation.labels.queries.beliefs import beliefs_of
from annotation.language_models.client import ModelBusyError, ModelServer
from annotation.language_models.double import ANSWER_TOKENS, ModelDouble, rule, serving
from annotation.language_models.reply import Reply, belief_in_label, label_in
from annotation.models import AuditEvent, Batch, DrawnSample, ModelLabel, ModelRater, Task
from annotation.vocabulary import Category
from metrics.errors import InputError
from tests.performing import do
from tests.study import stored_batch, stored_pool, stored_study

pytestmark = pytest.mark.django_db(transaction=True)
KEY = "sk-nobody-may-read-this"


@pytest.fixture
def double() -> ModelDouble:
    return ModelDouble()


@pytest.fixture
def address(double: ModelDouble, settings: Any) -> Iterator[str]:
    with serving(double) as served:
        settings.MODEL_KEYS = {served: KEY}
        settings.MODEL_TIMEOUT_SECONDS = 2
        yield served


@pytest.fixture
def batch() -> Batch:
    return stored_batch(stored_pool(6))


def ask(batch: Batch, address: str, **terms: Any) -> Any:
    return do(ASK_MODEL, batch, address=address, model="double", **terms)


def test_every_query_of_the_pool_is_asked_once_with_the_scheme(
    batch: Batch, address: str, double: ModelDouble
) -> None:
    done = ask(batch, address)
    assert (done.values["labels"], done.values["missing"], done.problem) == (6, 0, "")
    texts = dict(batch.queries.values_list("qid", "text"))
    stored = dict(ModelLabel.objects.values_list("qid", "category"))
    assert stored == {qid: rule(text) for qid, text in texts.items()}
    assert set(double.calls.values()) == {1}
    body = double.bodies[0]
    schema = body["response_format"]["json_schema"]["schema"]
    assert schema["properties"]["label"]["enum"] == Category.values
    rater = ModelRater.objects.get()
    assert body["messages"][0]["content"] == rater.prompt
    assert rater.parameters["returned"] == ["double-2026"]
    assert ask(batch, address).values["labels"] == 0


def test_trial_begins_with_what_people_have_labelled(address: str, double: ModelDouble) -> None:
    batch = stored_study(14)
    ask(batch, address, trial=True)
    assert ModelLabel.objects.count() == 10
    ask(batch, address)
    assert (ModelLabel.objects.count(), max(double.calls.values())) == (14, 1)


@pytest.mark.long
def test_faults_lose_nothing_and_an_answer_outside_of_the_categories_is_missing(
    batch: Batch, address: str, double: ModelDouble
) -> None:
    double.silence = 3
    first = dict(zip(sorted(batch.queries.values_list("text", flat=True)), (
        "throttle", "error", "cut", "silent", "prose", "other",
    ), strict=True))  # fmt: skip
    double.fault = lambda text: first.pop(text, "")
    other = next(text for text, fault in first.items() if fault == "other")
    done = ask(batch, address)
    assert (done.values["labels"], done.values["missing"]) == (6, 1)
    texts = dict(batch.queries.values_list("qid", "text"))
    stored = dict(ModelLabel.objects.values_list("qid", "category"))
    expected = {qid: None if text == other else rule(text) for qid, text in texts.items()}
    assert stored == expected


def test_budget_is_held_before_each_call_and_never_passed(
    batch: Batch, address: str, double: ModelDouble
) -> None:
    price = {"sent_price": "1000", "answered_price": "1000"}
    done = ask(batch, address, budget="3.50", **price)
    charged = Decimal(double.sent + double.answered) / 1000
    rater = ModelRater.objects.get()
    assert rater.committed == charged <= Decimal("3.50")
    assert 0 < done.values["labels"] < 6
    assert done.problem
    ask(batch, address, budget="50.00", **price)
    assert ModelLabel.objects.count() == 6
    rater.refresh_from_db()
    assert (rater.prompt_tokens, rater.completion_tokens) == (double.sent, 6 * ANSWER_TOKENS)


def test_throttling_pauses_everybody_for_as_long_as_the_server_asks(
    batch: Batch, address: str, double: ModelDouble
) -> None:
    faults = ["throttle"]
    double.fault = lambda _text: faults.pop() if faults else ""
    double.retry_after = "1"
    done = ask(batch, address)
    assert done.values["labels"] == 6
    assert double.most_under_way <= 4


def test_servers_that_refuse_a_member_of_the_body_get_another(
    batch: Batch, address: str, double: ModelDouble
) -> None:
    double.refuses = {"max_tokens", "response_format", "temperature"}
    assert ask(batch, address).values["labels"] == 6
    assert {"max_completion_tokens", "messages"} <= set(double.bodies[-1])


def test_what_stops_it_is_told_with_a_remedy_stores_nothing_and_names_no_key(
    batch: Batch, address: str, double: ModelDouble
) -> None:
    double.key = "another"
    with pytest.raises(InputError, match="refused the key") as refused:
        ask(batch, address)
    double.key = KEY
    with pytest.raises(InputError, match="no model 'missing'"):
        do(ASK_MODEL, batch, address=address, model="missing")
    assert KEY not in f"{refused.value}{list(AuditEvent.objects.values_list('detail', flat=True))}"
    assert not ModelRater.objects.exists()


@pytest.mark.parametrize(
    "elsewhere", ["http://169.254.169.254", "http://127.0.0.1:1", "file:///etc/passwd", ""]
)
def test_an_address_that_the_site_does_not_list_is_never_called(
    batch: Batch, address: str, elsewhere: str, double: ModelDouble
) -> None:
    with pytest.raises(InputError):
        ask(batch, elsewhere)
    with pytest.raises(InputError):
        ModelServer(elsewhere)
    assert not double.bodies


@pytest.mark.parametrize("fault", ["redirect", "page"])
def test_what_is_no_model_is_not_followed_and_stores_nothing(
    batch: Batch, address: str, double: ModelDouble, fault: str
) -> None:
    inner = ModelDouble()
    with serving(inner) as double.elsewhere:
        double.fault = lambda _text: fault
        with pytest.raises(InputError):
            ask(batch, address)
    assert not inner.bodies
    assert not ModelRater.objects.exists()


def test_queries_leave_only_after_consent_to_where(batch: Batch, settings: Any) -> None:
    there = "https://models.example.org"
    settings.MODEL_KEYS = {there: ""}
    terms = {"address": there, "model": "double"}
    with pytest.raises(InputError) as told:
        estimate(ASK_MODEL, batch, terms, Actor("test"))
    assert there in told.value.message
    facts = dict(estimate(ASK_MODEL, batch, {**terms, "consent": there}, Actor("test")).facts)
    assert facts["Queries to ask"] == "6"
    assert there in facts["Their texts go to"]


@pytest.mark.long
def test_nobody_answers(batch: Batch, settings: Any) -> None:
    settings.MODEL_KEYS = {"http://127.0.0.1:9": ""}
    with pytest.raises(ModelBusyError):
        ask(batch, "http://127.0.0.1:9")
    assert not ModelRater.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_the_job_asks_in_the_background_and_hears_that_it_is_cancelled(
    batch: Batch, address: str, double: ModelDouble
) -> None:
    perform(ASK_MODEL, batch, {"address": address, "model": "double"}, Actor("test"))
    task = run_job()
    assert task is not None
    assert (task.state, task.done, task.result["labels"]) == ("done", 6, 6)
    again = stored_batch(stored_pool(6, "next"), "next")
    perform(ASK_MODEL, again, {"address": address, "model": "double"}, Actor("test"))
    waiting = Task.objects.get(state="queued")

    def cancel(_text: str) -> str:
        """In the thread of the model's server, with a connection of its own."""
        Task.objects.filter(pk=waiting.pk).update(cancel_requested=True)
        connections.close_all()
        return "throttle"

    double.fault = cancel
    cancelled = run_job()
    assert cancelled is not None
    assert cancelled.state == "cancelled"


def test_page_shows_prompt_and_cost_before_anything_is_sent(
    client: Client, batch: Batch, address: str, settings: Any, double: ModelDouble
) -> None:
    settings.OPEN = True
    page = reverse("batch-act", args=[batch.pk, "ask-model"])
    terms = {"address": address, "model": "double", "queries": "pool", "budget": "1.00"}
    terms |= {"sent_price": "0.4", "answered_price": "1.6", "answer_tokens": "64"}
    shown = client.get(page, terms).content.decode()
    assert "Does the query mention a gender?" in shown
    assert KEY not in shown
    assert not double.bodies
    assert client.post(page, {**terms, "cost": "0.00"}).status_code == 302
    assert run_job() is not None
    assert ModelLabel.objects.count() == 6
    assert "double" in client.get(reverse("study-models", args=[batch.study_id])).content.decode()


def test_beliefs_are_what_the_server_tells_of_its_tokens(
    batch: Batch, address: str, double: ModelDouble
) -> None:
    double.sure = 0.85
    ask(batch, address)
    assert list(ModelLabel.objects.values_list("belief", flat=True)) == pytest.approx([0.85] * 6)
    found = beliefs_of(list(ModelRater.objects.all()), "n", ["q0"])
    label = ModelLabel.objects.get(qid="q0").category
    assert found.by_query["q0"] == pytest.approx(0.85 if label == "n" else 0.05)


def test_a_server_that_tells_no_probabilities_leaves_no_belief(
    batch: Batch, address: str, double: ModelDouble
) -> None:
    double.sure, double.refuses = 0.85, {"logprobs", "top_logprobs"}
    ask(batch, address)
    assert set(ModelLabel.objects.values_list("belief", flat=True)) == {None}


def test_of_repeated_answers_the_belief_is_the_share_of_the_most_frequent(
    batch: Batch, address: str, double: ModelDouble
) -> None:
    done = ask(batch, address, repetitions=5, sent_price="1", answered_price="1", budget="5.00")
    assert (done.values["labels"], set(double.calls.values())) == (6, {5})
    texts = dict(batch.queries.values_list("qid", "text"))
    for label in ModelLabel.objects.all():
        answers = [rule(texts[label.qid], f"{seed}:") for seed in range(5)]
        assert label.category == max(set(answers), key=answers.count)
        assert label.belief == answers.count(label.category) / 5
    rater = ModelRater.objects.get()
    assert rater.completion_tokens == 30 * ANSWER_TOKENS
    assert (rater.parameters["temperature"], rater.parameters["repetitions"]) == (1, 5)
    with pytest.raises(TermError, match="5 for each query"):
        ask(batch, address)


def token(text: str, *likely: tuple[str, float]) -> dict[str, Any]:
    others = [{"token": one, "logprob": logarithm} for one, logarithm in likely]
    return {"token": text, "logprob": likely[0][1] if likely else 0.0, "top_logprobs": others}


@pytest.mark.parametrize(
    ("tokens", "belief"),
    [
        # e^-.1 / (e^-.1 + e^-2.5), by hand.
        ([token('{"label":"'), token("n", ("n", -0.1), ("f", -2.5)), token('"}')], 0.916827),
        ([token('{"label":'), token(' "'), token("n", ("n", -0.1), (" F", -2.5))], 0.916827),
        ([token('{"label":"'), token("n", ("n", -0.1))], None),  # of no other is anything known
        ([token('{"label":"'), token("n", ("n", 0.5), ("f", -2.5))], None),
        ([token('{"label":"'), token("n", ("n", float("nan")), ("f", -2.5))], None),
        ([token('{"label":"non'), token("n", ("n", -0.1), ("f", -2.5))], None),
        ([token("n", ("n", -0.1), ("f", -2.5))], None),
        ([{"token": '{"label":"n"}'}], None),
        ([], None),
        (None, None),
        ("hostile", None),
    ],
)
def test_a_belief_is_read_from_the_token_of_the_label_or_not_at_all(
    tokens: Any, belief: float | None
) -> None:
    found = belief_in_label({"content": tokens}, "n", Category.values)
    assert found == (belief and pytest.approx(belief, abs=1e-6))


def reply(category: str | None) -> Reply:
    return Reply(category, "", None, 0.9)


@pytest.mark.parametrize(
    ("answers", "label"),
    [
        ("n", ("n", 0.9)),
        ("nnf", ("n", 2 / 3)),
        ("nf", (None, None)),
        ("nn-", ("n", 2 / 3)),
        ("---", (None, None)),
    ],
)
def test_answers_are_summed_up_without_a_guess(answers: str, label: tuple[Any, Any]) -> None:
    assert summed_up([reply(None if one == "-" else one) for one in answers]) == label


@pytest.mark.parametrize(
    ("content", "label"),
    [
        ('{"label": "n"}', "n"),
        ('```json\n{"label": "F"}\n```', "f"),
        ('I think {it} is "m": {"label": " m "} .', "m"),
        ('{"label": "n"} or {"label": "f"}', None),
        ('{"label": "female"}', None),
        ("n", None),
        ('{"label": {"code": "n"}}', None),
        ('{"label": ["n"]}', None),
        ("", None),
        (json.dumps({"label": None}), None),
    ],
)
def test_an_answer_is_one_of_the_categories_or_missing(content: str, label: str | None) -> None:
    assert label_in(content, Category.values) == label


def test_codes_that_differ_in_case_alone_are_told_apart() -> None:
    assert [label_in(f'{{"label": "{code}"}}', ["A", "a"]) for code in "Aa"] == ["A", "a"]


def test_of_codes_that_differ_in_case_alone_no_token_tells_a_belief() -> None:
    tokens = [
        {"token": token, "logprob": -0.1, "top_logprobs": [{"token": "b", "logprob": -3.0}]}
        for token in ('{"label": "', "A", '"}')
    ]
    assert belief_in_label({"content": tokens}, "A", ["A", "b"]) is not None
    assert belief_in_label({"content": tokens}, "A", ["A", "a", "b"]) is None


def test_of_a_batch_of_a_sample_the_whole_pool_is_asked(address: str, batch: Batch) -> None:
    assert batch.pool is not None
    sample = stored_pool(2, "sample", study=batch.study)
    DrawnSample.objects.create(
        pool=sample, parent=batch.pool, design="simple", seed=0, chances={}, actor="test"
    )
    of_sample = stored_batch(sample, "of sample")
    assert ask(of_sample, address, queries="batch").values["labels"] == 2
    assert ask(of_sample, address).values["labels"] == 4
