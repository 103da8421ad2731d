"""A batch: its progress, pay and agreement, and what its labels say of the pool."""

from dataclasses import asdict, astuple, dataclass, fields

from django.conf import settings

from annotation.batches.api.batches import ProgressSerializer
from annotation.batches.queries.adaptive import adaptive_report
from annotation.batches.queries.batches import BatchProgress, batch_progress, batch_progress_list
from annotation.batches.queries.pay import HourlyPay, WorkerPay, hourly_pay, pay_list
from annotation.batches.queries.queries import QueryFilter, batch_queries
from annotation.core.counting import about_items, counted
from annotation.core.parameters import parameter
from annotation.labels.queries.agreement import AgreementParameters, NamedAgreement, batch_agreement
from annotation.labels.queries.corrected import corrected_figures
from annotation.labels.queries.corrected_table import (
    FigureFileParameters,
    figure_rows,
    figures_text,
)
from annotation.labels.queries.questions import nominal_question
from annotation.labels.queries.stand_in import (
    NOT_VALIDITY,
    StandInParameters,
    stand_in_rows,
    stand_in_tests,
)
from annotation.labels.queries.stopping import stopping_of
from annotation.management.readings import Answer, InStudy, lists, reads
from annotation.models import Batch
from metrics.errors import InputError
from metrics.votes.agreement import Agreement, as_dict, interval_words
from metrics.votes.intervals import Estimate
from metrics.votes.table import Kind


@dataclass(frozen=True, kw_only=True)
class _AgreementShown(AgreementParameters):
    """Agreement of the voters asked for, and how much of it to show."""

    details: bool = parameter(
        False, help_text="Add vote patterns, agreement and confusion per category."
    )
    queries_with: str = parameter(
        "",
        help_text="Instead, list the ids of the queries behind a number: a vote pattern such as "
        "2-1, or two categories that were confused such as f,m.",
    )


@lists(
    "batch list --study gender-2026",
    ProgressSerializer,
    {
        "state": "state_name",
        "crowd": "environment_name",
        "votes": "n_votes",
        "expected": "n_votes_expected",
        "spent": "spent",
        "batch": "name",
    },
    parameters=InStudy,
)
def batches(options: InStudy) -> list[BatchProgress]:
    """List the batches with their progress, the latest first. Money is in US dollars."""
    return batch_progress_list(batches=options.among(Batch.objects.all(), path="study"))


@reads("batch show first --json", subject="batch")
def show(batch: Batch) -> Answer:
    """Show how far a batch is: HITs, votes, workers, money."""
    progress, pay = batch_progress(batch=batch), hourly_pay(batch=batch)
    warnings = _warnings(pay)
    result = {**asdict(progress), **asdict(pay), "warnings": warnings}
    del result["item_noun"]
    return Answer(result, [*_progress(progress), *_pay(pay), *warnings])


@reads("batch pay-list first", subject="batch")
def paid(batch: Batch) -> Answer:
    """List what each worker of a batch earned. Holds worker ids: for paying, not publishing."""
    rows = pay_list(batch=batch)
    lines = [[column.name for column in fields(WorkerPay)], *map(astuple, rows)]
    result = {"name": batch.name, "workers": rows}
    return Answer(result, ("\t".join(map(str, cells)) for cells in lines))


@reads("batch adaptive-report study", subject="batch")
def adaptive(batch: Batch) -> Answer:
    """Report where an adaptive batch stands and what it saves.

    `batch begin-adaptive` makes a batch adaptive that was created with --assignments 2; after each
    `batch collect`, `batch plan-round` plans the HITs of the next round, which `batch publish`
    publishes.
    """
    report = adaptive_report(batch=batch)
    values = {name: value for name, value in vars(report).items() if name != "sample"}
    message = (
        "{votes:,} answers to {question} on {n_queries:,} queries instead of {votes_fixed:,}; "
        "{n_open:,} queries need another. {cost} USD instead of {cost_fixed}. Estimate "
        "agreement over the {n_full:,} queries that get three votes in any case."
    )
    text = about_items(message, batch.scheme.item_noun).format(**values)
    return Answer({**values, "sample": as_dict(report.sample)}, text)


@reads("batch stand-in first --epsilon 0.1", subject="batch", parameters=StandInParameters)
def stand_in(batch: Batch, parameters: StandInParameters) -> Answer:
    """Test for each model of the study whether it may stand in for an annotator of the batch.

    Does the alternative-annotator test, and gives the sentence to print.
    """
    tests = stand_in_tests(batch=batch, parameters=parameters)
    lines = [f"{test.model}: {test.sentence or test.why_not}" for test in tests]
    return Answer({"models": stand_in_rows(tests), "note": NOT_VALIDITY}, [*lines, NOT_VALIDITY])


@reads(
    "batch figures first --baseline BM25 --format latex",
    subject="batch",
    parameters=FigureFileParameters,
)
def pool_figures(batch: Batch, parameters: FigureFileParameters) -> Answer:
    """Estimate corrected figures of the pool that a batch's queries were drawn from.

    These are shares, mean bias of each run and differences to a baseline, by people alone, by
    models alone and by both.
    """
    figures = corrected_figures(batch=batch, parameters=parameters)
    if figures.why_not:
        raise InputError(figures.why_not)
    state = figures.sample and stopping_of(figures.sample)
    result = {
        "rows": figure_rows(figures),
        "notes": list(figures.notes),
        "stopping": state and asdict(state),
    }
    notes = [*figures.notes, *([state.sentence] if state else [])]
    return Answer(result, figures_text(figures, parameters.layout).rstrip(), notes)


@reads("batch agreement study --json", subject="batch", parameters=_AgreementShown)
def agreement(batch: Batch, options: _AgreementShown) -> Answer:
    """Print how much the voters of a batch agree.

    Gives raw agreement, Krippendorff's alpha, Gwet's AC1, Fleiss' kappa, alpha per category and
    ties, each coefficient with an interval for other queries and other workers.
    """
    if options.queries_with:
        qids = _queries_with(batch, options.queries_with, options.question)
        return Answer({"queries": qids}, "\n".join(qids))
    terms = {term.name: getattr(options, term.name) for term in fields(AgreementParameters)}
    report = batch_agreement(batch=batch, parameters=AgreementParameters(**terms))
    progress = batch_progress(batch=batch)
    lines: list[str] = []
    for row in report.questions:
        if len(report.questions) > 1:
            lines += ["", f"{row.name}: {row.coefficient} alpha"]
        lines += _summary(row, progress) + (_details(row) if options.details else [])
    return Answer({**report.as_dict(details=options.details), "votes": progress.votes}, lines)


def _pay(pay: HourlyPay) -> list[str]:
    if pay.usd_per_hour is None:
        return []
    pace = f"at the median of {pay.median_seconds:.0f} s for a HIT"
    people = f"({pay.n_answers_timed:,} answers of people)"
    return [f"Pay:     {pay.usd_per_hour:,} USD an hour {pace} {people}"]


def _warnings(pay: HourlyPay) -> list[str]:
    if pay.is_implausible:
        wage = "nobody reads so fast, so this is not a wage"
        return [f"Warning: {wage}. Look at the workers: `worker quality`."]
    floor = settings.MTURK_HOURLY_FLOOR
    if pay.usd_per_hour is None or pay.usd_per_hour >= floor:
        return []
    remedy = "Raise the reward of the next batch, and pay the difference with `batch bonus`."
    return [f"Warning: that is below {floor:g} USD an hour. {remedy}"]


def _progress(progress: BatchProgress) -> list[str]:
    marks = [
        f"{number:,} {kind}"
        for number, kind in (
            (progress.n_votes_simulated, "simulated"),
            (progress.n_votes_model, "by language models"),
        )
        if number
    ]
    budget = "no budget" if progress.budget is None else f"budget {progress.budget:,} USD"
    hits = (
        f"{progress.n_hits_published:,} of {progress.n_hits:,} published, "
        f"{progress.n_hits_unknown:,} unknown, {progress.n_hits_refused:,} refused"
    )
    answers = ", ".join(
        [
            f"{progress.n_assignments:,} of {progress.n_assignments_expected:,}",
            f"{progress.n_quarantined:,} unreadable",
            *progress.free_places,
        ]
    )
    votes = (
        f"{progress.n_votes:,} of {progress.n_votes_expected:,} by {progress.n_workers:,} workers"
    )
    others = "".join(f", {other}" for other in progress.other_votes)
    return [
        f"{progress.name}: {progress.state_name}, {progress.environment_name}",
        f"HITs:    {hits}",
        f"Answers: {answers}",
        f"Votes:   {votes}" + (f" ({', '.join(marks)})" if marks else "") + others,
        f"Money:   {progress.committed:,} USD committed, {progress.spent:,} USD spent, {budget}",
        *([f"Paid:    {progress.where_paid}"] if progress.where_paid else []),
    ]


def _queries_with(batch: Batch, pattern: str, question: str) -> list[str]:
    """The queries behind a pattern such as 2-1, or behind a confusion such as f,m."""
    first, comma, second = pattern.partition(",")
    if not (comma or all(part.isdecimal() for part in pattern.split("-"))):
        raise InputError(f"{pattern!r} is not a pattern.", remedy="Write for example 2-1, or f,m.")
    filters = QueryFilter(
        question=question or nominal_question(batch=batch).name,
        pattern="" if comma else pattern,
        first=comma and first,
        second=second,
    )
    return [row.qid for row in batch_queries(batch=batch, filters=filters).rows]


def _summary(agreement: NamedAgreement, progress: BatchProgress) -> list[str]:
    others, noun, each = progress.other_votes, progress.item_noun, agreement.votes_per_query
    is_nominal = agreement.coefficient == Kind.NOMINAL
    mean = "" if each is None else f" ({each:.2f} per {noun})"
    n_queries, n_votes = agreement.n_queries, agreement.n_votes
    return [
        f"{counted(n_queries, noun)}, {n_votes:,} votes{mean} of {agreement.n_workers} workers",
        *([f"not among them: {', '.join(others)}"] if others else []),
        "votes: " + ", ".join(f"{code} {count:,}" for code, count in agreement.categories.items()),
        f"{'majority' if is_nominal else 'decided'}: "
        + ", ".join(f"{code} {count:,}" for code, count in agreement.majority.items())
        + f", tie {agreement.ties:,}",
        "",
        *(_line(of.title, estimate) for of, _distance, estimate in agreement.measured),
        *(
            _line(f"alpha of {code}", estimate)
            for code, estimate in agreement.per_category_alpha.items()
        ),
        "",
        about_items(interval_words(agreement.interval), noun),
        *([agreement.variance.advice] if agreement.variance else []),
        *(f"\n! {about_items(warning, noun)}" for warning in agreement.warnings),
    ]


def _details(agreement: Agreement) -> list[str]:
    lines = [""]
    lines += [_line(f"votes {name}", estimate) for name, estimate in agreement.patterns.items()]
    lines += [
        _line(f"confirmed: {code}", estimate)
        for code, estimate in agreement.specific_agreement.items()
    ]
    for first, row in agreement.confusion.items():
        lines += [
            _line(f"{first}, another says {second}", estimate)
            for second, estimate in row.items()
            if second != first and estimate.value
        ]
    return lines


def _line(name: str, estimate: Estimate) -> str:
    if estimate.value is None:
        return f"{name:<26} undefined"
    interval = (
        ""
        if estimate.low is None
        else f"   {estimate.level:.0%} interval {estimate.low:.4f} to {estimate.high:.4f}"
    )
    return f"{name:<26} {estimate.value:8.4f}{interval}"
