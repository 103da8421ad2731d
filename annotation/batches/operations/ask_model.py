"""Asking a language model the annotators' question: its labels are never votes."""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from django.db.models import Q

from annotation.batches.operations.asking import REPEATED_TEMPERATURE, Asking, Outcome, Terms
from annotation.batches.queries.asking import (
    TRIAL,
    Price,
    batch_prompt,
    existing_rater,
    forecast,
    queries_to_ask,
)
from annotation.core.access import User
from annotation.core.consent import Estimate
from annotation.core.counting import about_items, counted, plural
from annotation.core.operations import Operation, Result, Run
from annotation.core.parameters import TermError, about, parameter
from annotation.labels.queries.questions import modelled_question_parameter, question_to_ask
from annotation.labels.queries.raters import prompt_digest
from annotation.language_models.client import (
    ModelBusyError,
    ModelServer,
    allowed_addresses,
)
from annotation.language_models.prompt import MOST_ANSWER_TOKENS
from annotation.models import AuditEvent, Batch, ModelRater
from annotation.reach import is_this_machine
from annotation.schemes import Question
from annotation.vocabulary import LONGEST_ID, Action, AuditAction, RaterOrigin, TaskKind
from metrics.errors import InputError
from metrics.version import VERSION

_POOL, _BATCH = "pool", "batch"
_WHICH = [(_POOL, "All queries of the pool"), (_BATCH, "Those of the batch")]
_PRICE: dict[str, Any] = {"max_digits": 10, "decimal_places": 4, "min_value": Decimal(0)}


@dataclass(frozen=True, kw_only=True)
class AskModelParameters:
    address: str = parameter(
        max_length=200,
        label="Address of the model's server",
        help_text="The part before /v1/chat/completions; this site has to list the address.",
    )
    model: str = parameter(
        max_length=LONGEST_ID,
        label="Model",
        help_text="The model's name there, such as gpt-4.1-mini.",
    )
    question: str = modelled_question_parameter(
        "A question with one answer and options in no order, or, about pairs, with grades"
    )
    queries: str = parameter(
        _POOL,
        choices=_WHICH,
        label="Which queries",
    )
    trial: bool = parameter(
        default=False,
        label=f"Trial of {TRIAL} queries",
        help_text="Queries that people have labelled come first, to compare.",
    )
    budget: Decimal = parameter(
        Decimal(0),
        max_digits=10,
        decimal_places=2,
        min_value=Decimal(0),
        label="Budget in USD",
        help_text="For all runs of this model and prompt together; it is never exceeded.",
    )
    sent_price: Decimal = parameter(
        Decimal(0), **_PRICE, label="USD for a million tokens sent", help_text="0: free."
    )
    answered_price: Decimal = parameter(
        Decimal(0), **_PRICE, label="USD for a million tokens answered", help_text="0: free."
    )
    answer_tokens: int = parameter(
        MOST_ANSWER_TOKENS,
        min_value=8,
        max_value=32_000,
        label="Tokens of an answer, at most",
        help_text="More for a model that reasons before it answers.",
    )
    repetitions: int = parameter(
        1,
        min_value=1,
        max_value=20,
        label="Answers for each query",
        help_text="More than one: the share of the answers is the model's belief. One: the belief "
        "comes from the probabilities of tokens, if the server sends them.",
    )
    consent: str = parameter(
        "",
        max_length=200,
        allow_blank=True,
        label="Where queries may go",
        help_text="The texts of the queries leave this site: type the address once more to agree. "
        "Not needed for a server on this machine.",
    )

    @property
    def price(self) -> Price:
        return Price(self.sent_price, self.answered_price)


class AskModel(Operation[Batch, AskModelParameters]):
    """Ask a language model about each query, with the scheme of the batch as the prompt.

    Its answers are not votes. Each query is asked once for a model and a prompt; an answer that is
    none of the categories is kept as missing. Repeating continues an unfinished run.
    """

    name = "ask model"
    path = "ask-model"
    page = "ask-model"
    example = {"address": "http://127.0.0.1:8080", "model": "llama-3.3", "trial": True}
    title = "Ask a model"
    button = "Ask the model"
    queued = "The model is being asked; its labels appear under Models of the study."
    subject = Batch
    parameters = AskModelParameters
    permission = Action.PUBLISH
    job = TaskKind.ASK_MODEL

    def initial(self, subject: Batch) -> dict[str, Any]:
        return {"address": next(iter(allowed_addresses()), "")}

    def choices(self, subject: Batch, user: User) -> Mapping[str, list[tuple[str, str]]]:
        del user
        noun = subject.scheme.item_noun
        return {"queries": [(name, about_items(words, noun)) for name, words in _WHICH]}

    def clean(self, subject: Batch, parameters: AskModelParameters) -> AskModelParameters:
        address = parameters.address
        if address not in allowed_addresses():
            raise TermError(
                "address",
                f"this site may not call {address}.",
                remedy=f"It may call {', '.join(allowed_addresses()) or 'no server of models'}; "
                "whoever runs it lists them in FAIRPOOL_MODEL_KEYS.",
            )
        if not is_this_machine(address) and parameters.consent != address:
            raise TermError(
                "consent",
                f"the texts of the {plural(subject.scheme.item_noun)} would leave this site for "
                f"{address}.",
                remedy="Type that address once more to agree.",
            )
        return parameters

    def estimate(self, subject: Batch, parameters: AskModelParameters) -> Estimate:
        question = _question(subject, parameters)
        prompt, version = batch_prompt(batch=subject, question=question)
        rater, queries = _work(subject, parameters, question, prompt)
        expected = forecast(queries, prompt, parameters.price, parameters.repetitions)
        stays = is_this_machine(parameters.address)
        spent = rater.committed if rater else Decimal(0)
        nouns = plural(subject.scheme.item_noun)
        return Estimate(
            n_queries=len(queries),
            nothing="" if queries else f"The model has answered about all of these {nouns}.",
            facts=(
                (f"{nouns.capitalize()} to ask", f"{len(queries):,}"),
                ("Their texts go to", f"{parameters.address}{', this machine' if stays else ''}"),
                ("Tokens, about", f"{expected.sent:,} sent, {expected.answered:,} answered"),
                ("The model's price, about", f"{expected.cost:.4f} USD"),
                ("Its budget", f"{parameters.budget:.2f} USD, of which {spent:.4f} are used"),
                ("Prompt", f"of scheme version {version}, SHA-256 {prompt_digest(prompt)[:16]}"),
                ("Prompt in full", prompt),
            ),
        )

    def units(self, subject: Batch, parameters: AskModelParameters) -> int:
        question = _question(subject, parameters)
        prompt, _ = batch_prompt(batch=subject, question=question)
        return len(_work(subject, parameters, question, prompt)[1])

    def run(self, subject: Batch, parameters: AskModelParameters, run: Run) -> Result:
        server = ModelServer(parameters.address)
        question = _question(subject, parameters)
        prompt, _ = batch_prompt(batch=subject, question=question)
        _, queries = _work(subject, parameters, question, prompt)
        rater = _rater(subject, parameters, question, run.actor.name)
        terms = Terms(
            model=parameters.model,
            prompt=prompt,
            price=parameters.price,
            seed=0,
            most_tokens=parameters.answer_tokens,
            repetitions=parameters.repetitions,
        )
        try:
            asking = Asking(rater=rater, server=server, terms=terms, advance=run.advance)
            outcome = asking.run(queries)
        finally:
            # A key that is refused, or a model that does not exist, leaves nothing behind.
            ModelRater.objects.filter(Q(labels=None, committed=0), pk=rater.pk).delete()
        return _result(subject, parameters, rater, outcome, run.actor.name)


ASK_MODEL = AskModel()


def _question(batch: Batch, parameters: AskModelParameters) -> Question:
    with about("question"):
        return question_to_ask(batch=batch, name=parameters.question)


def _work(
    batch: Batch, parameters: AskModelParameters, question: Question, prompt: str
) -> tuple[ModelRater | None, dict[str, str]]:
    """The rater, if it was asked before, and the queries that it has no answer about."""
    rater = existing_rater(batch=batch, question=question, model=parameters.model, prompt=prompt)
    queries = queries_to_ask(
        batch=batch,
        question=question,
        rater=rater,
        whole_pool=parameters.queries == _POOL,
        trial=parameters.trial,
    )
    return rater, queries


def _rater(
    batch: Batch,
    parameters: AskModelParameters,
    question: Question,
    actor: str,
) -> ModelRater:
    prompt, version = batch_prompt(batch=batch, question=question)
    rater, _ = ModelRater.objects.get_or_create(
        study=batch.study,
        name=parameters.model,
        prompt_sha256=prompt_digest(prompt),
        question=question.name,
        options=list(question.codes),
        category="",
        defaults={
            "origin": RaterOrigin.ASKED,
            "prompt": prompt,
            "parameters": {
                "address": parameters.address,
                "batch": batch.name,
                "scheme": version,
                "temperature": REPEATED_TEMPERATURE if parameters.repetitions > 1 else 0,
                "seed": 0,
                "max_tokens": parameters.answer_tokens,
                "repetitions": parameters.repetitions,
            },
            "program_version": VERSION,
            "actor": actor,
        },
    )
    rater.refresh_from_db()
    before = rater.parameters.get("repetitions", 1)
    if before != parameters.repetitions and rater.labels.exists():
        raise TermError(
            "repetitions",
            f"the model has given {before} for each {batch.scheme.item_noun} so far.",
            remedy="Beliefs of both kinds cannot be mixed: ask for as many, or remove its labels "
            "first.",
        )
    if rater.committed > parameters.budget:
        raise TermError(
            "budget",
            f"{rater.committed:.4f} USD are used already.",
            remedy="The budget is for all runs of this model and prompt together: give more.",
        )
    ModelRater.objects.filter(pk=rater.pk).update(budget=parameters.budget)
    return rater


def _result(
    batch: Batch, parameters: AskModelParameters, rater: ModelRater, outcome: Outcome, actor: str
) -> Result:
    kept = ModelRater.objects.filter(pk=rater.pk).first()
    values = {
        "model": parameters.model,
        "labels": outcome.n_stored,
        "missing": outcome.n_missing,
        "unanswered": len(outcome.unanswered),
        "used": str(kept.committed if kept else Decimal(0)),
    }
    AuditEvent.objects.create(
        study=batch.study,
        batch=batch,
        actor=actor,
        action=AuditAction.MODEL_ASKED,
        detail=values | {"address": parameters.address},
    )
    if outcome.stopped_by is not None and not outcome.n_stored:
        raise outcome.stopped_by
    if not outcome.n_stored and outcome.unanswered and not outcome.is_budget_used:
        raise ModelBusyError(next(iter(outcome.unanswered.values())))
    noun = batch.scheme.item_noun
    missing = f", {outcome.n_missing:,} of them none of the categories" if outcome.n_missing else ""
    message = f"{parameters.model} has answered about {counted(outcome.n_stored, noun)}{missing}."
    return Result(values, message, problem=_problem(outcome, parameters, noun), made=kept)


def _problem(outcome: Outcome, parameters: AskModelParameters, noun: str) -> str:
    n_left = len(outcome.unanswered)
    if outcome.stopped_by is not None:
        return str(outcome.stopped_by)
    if outcome.is_budget_used:
        return str(
            InputError(
                f"the budget of {parameters.budget:.2f} USD does not pay for another question; "
                f"{n_left:,} {plural(noun)} are left.",
                remedy="Ask again with a larger budget: answers so far stay.",
            )
        )
    if n_left:
        why = next(iter(outcome.unanswered.values()))
        return f"{n_left:,} {plural(noun)} have no answer yet ({why}). Ask again for the rest."
    return ""
