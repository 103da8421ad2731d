"""The models that label queries of a study, and the queries that they may label."""

from collections.abc import Iterator
from hashlib import sha256

from django.db.models import Count, Q, QuerySet

from annotation.language_models.prompt import item_text
from annotation.models import (
    Batch,
    BatchQuery,
    DrawnSample,
    Label,
    ModelLabel,
    ModelRater,
    Study,
)
from annotation.schemes import About, Option, Question, Scheme, built_in_scheme
from annotation.schemes.kinds.single import SINGLE
from annotation.studies.file_store import local_path
from annotation.studies.queries.file_kind import files_in_use
from annotation.vocabulary import CATEGORY_QUESTION, FileKind
from metrics.errors import InputError
from metrics.runs.queries import read_queries
from pooling.items import item_noun
from pooling.models import Pool, PooledQuery


def study_raters(*, study: Study) -> QuerySet[ModelRater]:
    """The models of the study by name, with the numbers of labels and of missing ones."""
    missing = Count("labels", filter=Q(labels__category=None, labels__belief=None))
    rows = study.model_raters.annotate(n_labels=Count("labels"), n_missing=missing)
    return rows.order_by("name", "pk")


def label_counts(*, study: Study) -> dict[int, dict[str, int]]:
    """The number of labels of each option, by the number of each model of the study."""
    counts = {rater.pk: dict.fromkeys(rater.options, 0) for rater in study.model_raters.all()}
    labels = ModelLabel.objects.filter(rater__study=study).exclude(category=None)
    rows = labels.order_by().values_list("rater", "category").annotate(n=Count("pk"))
    for rater, category, n in rows:
        counts[rater][str(category)] = n
    return counts


def raters_for(*, study: Study, question: Question) -> QuerySet[ModelRater]:
    """The models of the study that answer this question, with the options that it has."""
    return study.model_raters.filter(question=question.name, options=list(question.codes))


def asked_schemes(*, study: Study) -> list[Scheme]:
    """The schemes that the study's batches ask; that of a new batch where there is none."""
    schemes = {batch.scheme.digest: batch.scheme for batch in study.batches.order_by("pk")}
    return [*schemes.values()] or [built_in_scheme(CATEGORY_QUESTION)]


def study_question(
    *, study: Study, name: str = "", graded: bool = False
) -> tuple[Question, Scheme]:
    """The nominal question that the study's batches ask, with a scheme that asks it.

    With `graded` it is the one whose options are grades of pairs of query and passage.
    `InputError` where there are several, or several that differ in their options under the name.
    """
    questions = {
        (question.name, question.codes): (question, scheme)
        for scheme in asked_schemes(study=study)
        for question in (_graded(scheme) if graded else scheme.nominal)
        if name in ("", question.name)
    }
    if len(questions) == 1:
        return next(iter(questions.values()))
    fitting = "grades of pairs" if graded else "one answer and options in no order"
    what = f"question with {fitting}"
    if not questions:
        named = f" {name!r}" if name else ""
        raise InputError(
            f"no batch of the study asks a {what}{named}.",
            remedy="Such labels answer no other; `batch agreement` lists a batch's questions.",
        )
    if name:
        raise InputError(
            f"the batches of the study ask {name!r} with different options.",
            remedy="Give the questions names of their own, or ask them in studies of their own.",
        )
    names = ", ".join(sorted({key[0] for key in questions}))
    raise InputError(
        f"the batches of the study ask more than one {what}.",
        remedy=f"Say which question: {names}.",
    )


def questions_for_models(*, study: Study) -> list[Question]:
    """The questions that the study's batches ask and that models may answer, one of each name."""
    questions: dict[str, Question] = {}
    for scheme in asked_schemes(study=study):
        for question in (*scheme.nominal, *_graded(scheme)):
            questions.setdefault(question.name, question)
    return list(questions.values())


def _graded(scheme: Scheme) -> list[Question]:
    is_of_pairs = scheme.about == About.PASSAGE
    return [question for question in scheme.closed if is_of_pairs and question.grades]


def rater_question(rater: ModelRater) -> Question:
    """The question of a model, with the words of a batch that asks it, else with its codes."""
    for _scheme, question in _matching_questions(rater):
        return question
    options = tuple(Option(code=code, label=code) for code in rater.options)
    return Question(name=rater.question, text=rater.question, kind=SINGLE, options=options)


def rater_item_noun(rater: ModelRater) -> str:
    """Noun of what a model has labelled; of queries where no batch asks its question."""
    return next(
        (scheme.item_noun for scheme, _ in _matching_questions(rater)), item_noun(of_pairs=False)
    )


def _matching_questions(rater: ModelRater) -> Iterator[tuple[Scheme, Question]]:
    """The question of a model in each scheme that asks it."""
    for scheme in asked_schemes(study=rater.study):
        for question in scheme.closed:
            if (question.name, list(question.codes)) == (rater.question, rater.options):
                yield scheme, question


def study_query_texts(*, study: Study) -> dict[str, str]:
    """Return the texts of the study's queries and pairs by id, from pools, batches and files.

    Files may have ids without texts; gold questions are left out.
    """
    texts: dict[str, str] = {}
    for file in files_in_use(study, FileKind.QUERIES):
        texts |= read_queries(local_path(file), "all").texts
    pooled = PooledQuery.objects.filter(pool__belongs__study=study, pool__removed_at=None)
    batched = BatchQuery.objects.filter(batch__study=study, batch__removed_at=None, gold="")
    for queries in (pooled, batched):
        rows = queries.values_list("qid", "text", "passage")
        texts |= {qid: item_text(query, passage) for qid, query, passage in rows}
    return texts


def pool_behind(*, batch: Batch) -> Pool | None:
    """Return the batch's pool, or the pool that it was drawn from; None without."""
    drawn = DrawnSample.objects.filter(pool=batch.pool_id).select_related("parent").first()
    return drawn.parent if drawn else batch.pool


def people_labels(*, study: Study, question: str) -> dict[str, str]:
    """Return the latest label of each query that people decided, perhaps a tie."""
    standing = Label.objects.standing().filter(
        question=question, query__batch__study=study, query__batch__removed_at=None
    )
    return dict(standing.order_by("query__batch_id").values_list("query__qid", "value"))


def labels_beside_people(*, rater: ModelRater) -> list[tuple[str, str, str]]:
    """Return id, people's label and the model's label of each query that both labelled.

    A missing answer is "".
    """
    people = people_labels(study=rater.study, question=rater.question)
    labels = rater.labels.order_by("qid").values_list("qid", "category", "belief")
    return [
        (qid, people[qid], category or "")
        for qid, category, belief in labels
        if qid in people and (category or belief is None)
    ]


def prompt_digest(prompt: str) -> str:
    """Digest of a prompt: SHA-256 of the text in UTF-8; "" for no prompt."""
    return sha256(prompt.encode()).hexdigest() if prompt else ""
