"""Asking a language model about many queries, within a budget; each answer is stored once.

Before a call the most that it can cost is committed, and corrected with its answer. Calls under way
when a worker dies stay committed, as nobody knows whether they were charged. Only this thread
touches the database; others wait for the model.
"""

import random
import time
from collections import Counter, deque
from collections.abc import Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field, replace
from decimal import Decimal

from django.db import transaction
from django.db.models import F
from django.db.models.functions import Least

from annotation.batches.queries.asking import Price, most_tokens_sent
from annotation.core.operations import Advance, checkpoint
from annotation.language_models.client import ModelBusyError, ModelServer, ModelStopError
from annotation.language_models.prompt import request_body
from annotation.language_models.reply import Reply
from annotation.models import ModelLabel, ModelRater

#: Simultaneous calls.
AT_ONCE = 4
#: Attempts at a query in one run, and consecutive failures of calls after which a run ends.
_ATTEMPTS = 6
_FAILURES_IN_A_ROW = 24
_FIRST_PAUSE, _LONGEST_PAUSE = 0.5, 30.0
#: Seconds after which a waiting worker hears that it should end.
_LOOK = 0.5
#: At temperature 0 all repetitions would agree.
REPEATED_TEMPERATURE = 1.0


@dataclass(frozen=True)
class Question:
    """One query for the model, how often it was tried, and its answers before the last one."""

    qid: str
    text: str
    attempt: int = 0
    replies: tuple[Reply, ...] = ()


@dataclass(frozen=True)
class Terms:
    """Parameters of asking a model: its name at the server, the prompt and prices of tokens.

    With more than one of `repetitions`, a query is asked that often, at temperature 1 and with
    another seed each time.
    """

    model: str
    prompt: str
    price: Price
    seed: int
    most_tokens: int
    repetitions: int = 1


@dataclass
class Outcome:
    """Result of one run. `unanswered` maps an id to why it has no answer yet."""

    n_stored: int = 0
    n_missing: int = 0
    unanswered: dict[str, str] = field(default_factory=dict)
    is_budget_used: bool = False
    stopped_by: ModelStopError | None = None


class Asking:
    """One run over `questions`; `run` raises only the exceptions of `advance`."""

    def __init__(
        self, *, rater: ModelRater, server: ModelServer, terms: Terms, advance: Advance
    ) -> None:
        self.outcome = Outcome()
        self._rater, self._server, self._terms = rater, server, terms
        self._codes = list(rater.options)
        self._advance = advance
        self._under_way: dict[Future[Reply], tuple[Question, Decimal]] = {}
        self._due: deque[Question] = deque()
        self._later: list[tuple[float, Question]] = []
        self._not_before = 0.0
        self._failures = 0

    def run(self, queries: dict[str, str]) -> Outcome:
        """Ask about each of the queries, by id, until all are answered or nothing can go on."""
        self._due.extend(Question(qid, text) for qid, text in queries.items())
        with ThreadPoolExecutor(AT_ONCE, thread_name_prefix="ask") as threads:
            try:
                while self._goes_on():
                    self._submit(threads)
                    self._take(timeout=_LOOK)
                    checkpoint(self._advance)
            finally:
                # Calls under way may be charged: their answers are stored, whatever ended this.
                self._advance = lambda _units: None
                while self._under_way:
                    self._take(timeout=None)
        for question in [*self._due, *(question for _, question in self._later)]:
            self.outcome.unanswered.setdefault(question.qid, "not asked")
        return self.outcome

    def _goes_on(self) -> bool:
        if self.outcome.stopped_by or self._failures >= _FAILURES_IN_A_ROW:
            return False
        if self.outcome.is_budget_used:
            return bool(self._under_way)
        return bool(self._due or self._later or self._under_way)

    def _submit(self, threads: ThreadPoolExecutor) -> None:
        now = time.monotonic()
        ready = [question for when, question in self._later if when <= now]
        self._later = [(when, question) for when, question in self._later if when > now]
        self._due.extendleft(reversed(ready))
        while self._due and len(self._under_way) < AT_ONCE and now >= self._not_before:
            question = self._due.popleft()
            cost = self._most_cost(question)
            if not self._commit(cost):
                self._due.appendleft(question)
                # Calls under way may release a part of their commitment.
                self.outcome.is_budget_used = not self._under_way
                return
            self._under_way[threads.submit(self._ask, question)] = (question, cost)

    def _ask(self, question: Question) -> Reply:
        terms = self._terms
        body = request_body(
            model=terms.model,
            prompt=terms.prompt,
            query=question.text,
            codes=self._codes,
            seed=terms.seed + len(question.replies),
            most_tokens=terms.most_tokens,
            temperature=REPEATED_TEMPERATURE if terms.repetitions > 1 else 0,
        )
        return self._server.ask(body, self._codes)

    def _take(self, timeout: float | None) -> None:
        """Store the next answer, if one comes within `timeout` seconds."""
        if not self._under_way:
            time.sleep(min(_LOOK, 0.05))
            return
        for future in wait(self._under_way, timeout, FIRST_COMPLETED).done:
            question, held = self._under_way.pop(future)
            try:
                reply = future.result()
            except ModelBusyError as error:
                self._put_off(question, held, error)
            except ModelStopError as error:
                self._give_back(held)
                self.outcome.stopped_by = error
                self.outcome.unanswered[question.qid] = error.message
            else:
                self._failures = 0
                self._receive(question, held, reply)

    def _put_off(self, question: Question, held: Decimal, error: ModelBusyError) -> None:
        if error.was_free:
            self._give_back(held)
        self._failures += 1
        if question.attempt + 1 >= _ATTEMPTS:
            self.outcome.unanswered[question.qid] = error.message
            return
        # All calls wait if the server asks for it; otherwise this query waits, each time longer.
        self._not_before = max(self._not_before, time.monotonic() + error.pause)
        pause = min(_FIRST_PAUSE * 2**question.attempt, _LONGEST_PAUSE) * random.uniform(0.5, 1)
        again = replace(question, attempt=question.attempt + 1)
        self._later.append((time.monotonic() + pause, again))

    def _most_cost(self, question: Question) -> Decimal:
        most_tokens = most_tokens_sent(self._terms.prompt, question.text)
        return self._terms.price.of(most_tokens, self._terms.most_tokens)

    def _commit(self, cost: Decimal) -> bool:
        """Hold the most that a call can cost, if the budget has room for it."""
        rows = ModelRater.objects.filter(pk=self._rater.pk, committed__lte=F("budget") - cost)
        return bool(rows.update(committed=F("committed") + cost))

    def _give_back(self, held: Decimal) -> None:
        ModelRater.objects.filter(pk=self._rater.pk).update(committed=F("committed") - held)

    def _receive(self, question: Question, held: Decimal, reply: Reply) -> None:
        """Correct the cost; with the last repetition, store the label, too."""
        replies = (*question.replies, reply)
        with transaction.atomic():
            self._charge(held, reply)
            self._note_model(reply.model)
            if len(replies) < self._terms.repetitions:
                # Ask for its other answers next: a worker that dies loses those so far.
                self._due.appendleft(replace(question, attempt=0, replies=replies))
                return
            category, belief = summed_up(replies)
            # A worker that lost this task to another one may bring an answer that is stored
            # already.
            ModelLabel.objects.bulk_create(
                [ModelLabel(rater=self._rater, qid=question.qid, category=category, belief=belief)],
                ignore_conflicts=True,
            )
        self.outcome.n_stored += 1
        self.outcome.n_missing += category is None
        self._advance(1)

    def _charge(self, held: Decimal, reply: Reply) -> None:
        """Replace the commitment by the true cost; without a count of tokens it stays."""
        n_prompt_tokens, answered = reply.tokens or (0, 0)
        cost = self._terms.price.of(n_prompt_tokens, answered) if reply.tokens else held
        ModelRater.objects.filter(pk=self._rater.pk).update(
            committed=Least(F("committed") - held + cost, F("budget")),
            prompt_tokens=F("prompt_tokens") + n_prompt_tokens,
            completion_tokens=F("completion_tokens") + answered,
        )

    def _note_model(self, returned: str) -> None:
        """Keep which models the server says have answered: a name may mean another one some day."""
        names = self._rater.parameters.setdefault("returned", [])
        if returned and returned not in names:
            names.append(returned)
            self._rater.save(update_fields=["parameters"])


def summed_up(replies: Sequence[Reply]) -> tuple[str | None, float | None]:
    """The category of the answers to one query, and the belief in it.

    The belief in a single answer is the server's, if it gives one. Of several answers the most
    frequent counts, with its share as belief; of two equally frequent ones none does.
    """
    if len(replies) == 1:
        return replies[0].category, replies[0].belief
    counts = Counter(reply.category for reply in replies if reply.category is not None)
    ranked = counts.most_common(2)
    if not ranked or (len(ranked) > 1 and ranked[0][1] == ranked[1][1]):
        return None, None
    return ranked[0][0], ranked[0][1] / len(replies)
