"""Questions to a language model about the queries of a batch, and their cost."""

from dataclasses import dataclass
from decimal import Decimal

from annotation.batches.queries.schemes import latest_scheme
from annotation.labels.queries.raters import people_labels, pool_behind, prompt_digest, raters_for
from annotation.language_models.prompt import item_text, prompt_of
from annotation.models import Batch, ModelLabel, ModelRater
from annotation.schemes import Question

#: Queries of a trial.
TRIAL = 10
_MILLION = 1_000_000
#: Bytes of a token in English, on average; a token has one at least.
_BYTES_PER_TOKEN = 4
#: Tokens that servers put around the messages and the schema, at most.
_AROUND = 200
#: Tokens of an answer such as {"label": "n"}.
_USUAL_ANSWER = 10


@dataclass(frozen=True)
class Price:
    """US dollars for a million tokens sent, and for a million tokens answered."""

    sent: Decimal
    answered: Decimal

    def of(self, n_prompt_tokens: int, answered: int) -> Decimal:
        """US dollars of so many tokens, rounded up to a millionth."""
        micro = n_prompt_tokens * self.sent + answered * self.answered
        return micro.to_integral_value("ROUND_CEILING") / _MILLION


@dataclass(frozen=True)
class Forecast:
    """Queries still to ask, expected tokens, and their cost in US dollars."""

    n_queries: int
    sent: int
    answered: int
    cost: Decimal


def batch_prompt(*, batch: Batch, question: Question) -> tuple[str, int]:
    """Return the prompt of a question of a batch, and the version of its scheme (0 without one)."""
    latest = latest_scheme(batch)
    return prompt_of(batch.scheme, question), latest.number if latest else 0


def existing_rater(
    *, batch: Batch, question: Question, model: str, prompt: str
) -> ModelRater | None:
    """The model of this name that was asked this prompt in the study."""
    raters = raters_for(study=batch.study, question=question)
    return raters.filter(name=model, prompt_sha256=prompt_digest(prompt), category="").first()


def queries_to_ask(
    *, batch: Batch, question: Question, rater: ModelRater | None, whole_pool: bool, trial: bool
) -> dict[str, str]:
    """Texts by id of the queries that the model has no answer about yet.

    They are those of the batch's pool, or of the pool that it was drawn from, or of the batch
    alone, without gold questions. A trial takes ten, those that people have labelled first.
    """
    columns = ("qid", "text", "passage")
    items = list(batch.queries.filter(gold="").values_list(*columns))
    if whole_pool and (pool := pool_behind(batch=batch)) is not None:
        items += pool.queries.values_list(*columns)
    texts = {item: item_text(query, passage) for item, query, passage in items}
    if rater is not None:
        for qid in ModelLabel.objects.filter(rater=rater).values_list("qid", flat=True):
            texts.pop(qid, None)
    if not trial:
        return texts
    labelled = people_labels(study=batch.study, question=question.name)
    order = sorted(texts, key=lambda qid: qid not in labelled)
    return {qid: texts[qid] for qid in order[:TRIAL]}


def forecast(queries: dict[str, str], prompt: str, price: Price, repetitions: int = 1) -> Forecast:
    """Forecast the questions about the queries, with repetitions, if all goes well."""
    n_bytes = sum(len((prompt + text).encode()) for text in queries.values())
    n_prompt_tokens = n_bytes // _BYTES_PER_TOKEN * repetitions
    answered = _USUAL_ANSWER * len(queries) * repetitions
    return Forecast(len(queries), n_prompt_tokens, answered, price.of(n_prompt_tokens, answered))


def most_tokens_sent(prompt: str, text: str) -> int:
    """Return the most tokens of one question: no token is shorter than a byte."""
    return len((prompt + text).encode()) + _AROUND
