"""Queries in a fixed order, cut into HITs, with terms and a price."""

from argparse import ArgumentParser
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.conf import settings

from annotation.batches.operations.create import CREATE_BATCH, BatchEstimate
from annotation.batches.operations.gold_pairs import gold_pairs
from annotation.batches.operations.planning import BatchPlan
from annotation.batches.operations.terms import ConditionsParameters, CreateBatchParameters
from annotation.batches.queries.batches import get_batch
from annotation.batches.queries.pay import hourly_estimate
from annotation.core.counting import counted
from annotation.core.operations import Actor
from annotation.core.options import ParametersCommand
from annotation.core.origin import actor
from annotation.core.parameters import check_parameters, fields_of
from annotation.core.perform import estimate, perform_here
from annotation.management.arguments import (
    add_scheme_option,
    add_study_option,
    scheme_given,
    study_of,
    text_of,
)
from annotation.models import Batch, Study
from metrics.runs.queries import Queries, read_queries
from metrics.vocabulary import CATEGORIES
from pooling.queries import pool_named


class Command(ParametersCommand):
    help = "Make a batch of HITs from a pool or a query file. Prints their number and full cost."
    # Read from files, or in another form.
    left_out = frozenset(
        {"queries", "gold", "comprehension", "consent", "scheme", "locales", "not_from"}
    )
    example = "batch create --name first --pool top500 --reward 0.25 --assignments 3"

    def add_arguments(self, parser: ArgumentParser) -> None:
        source = parser.add_mutually_exclusive_group(required=True)
        source.add_argument("--pool", help="Name of a pool made by `pool build`.")
        source.add_argument("--queries", type=Path, help="File of qid<TAB>text or qid,text,label.")
        add_study_option(parser)
        fields = fields_of(CreateBatchParameters) | fields_of(ConditionsParameters)
        self.add_fields(parser, fields)
        parser.add_argument("--locale", help="Countries of workers, as US,CA (default: any).")
        parser.add_argument(
            "--exclude-workers-of",
            action="append",
            default=[],
            metavar="BATCH",
            help="Exclude workers of this batch; may be repeated.",
        )
        for name, text in (
            (
                "gold",
                "File of queries with known answer: qid,text,label; of pairs qid docno<TAB>label.",
            ),
            (
                "comprehension",
                "A test before the first HIT: a file of qid,query,label; of pairs as --gold.",
            ),
            ("consent", "Text file that workers read and agree to before they begin."),
        ):
            parser.add_argument(f"--{name}", type=Path, metavar="FILE", help=text)
        add_scheme_option(
            parser,
            "What to ask (usually the gender): a built-in scheme, or a YAML file of one.",
        )
        parser.add_argument(
            "--dry-run", action="store_true", help="Check and price; store nothing."
        )

    def handle(self, *, dry_run: bool, **options: Any) -> None:
        who, study = Actor(actor()), study_of(options)
        with self.usage_errors():
            values = self._sent(options)
            if study is None and options["pool"]:
                study = pool_named(options["pool"]).belongs.study
            planned = estimate(CREATE_BATCH, study, values, who)
            assert isinstance(planned, BatchEstimate)  # noqa: S101 - tells its type
            if not dry_run:
                perform_here(CREATE_BATCH, study, values, who)
        done = "Nothing was stored." if dry_run else "Stored as a draft."
        summary = _summary(planned.plan, dry_run=dry_run)
        self.print_result(options, summary, [*_lines(planned, study), done])

    def _sent(self, options: dict[str, Any]) -> dict[str, Any]:
        """The parameters; files are read here."""
        values = self.sent(CreateBatchParameters, options)
        conditions = self.sent(ConditionsParameters, options)
        # Typing errors are reported before anything is looked up or read.
        looked_up = {"pool", "queries", "gold", "comprehension", "consent", "scheme"}
        typed = {name: value for name, value in values.items() if name not in looked_up}
        check_parameters(CreateBatchParameters, typed)
        check_parameters(ConditionsParameters, conditions)
        conditions["locales"] = tuple(filter(None, (options["locale"] or "").split(",")))
        barred = [get_batch(name=name).name for name in options["exclude_workers_of"]]
        values["conditions"] = {**conditions, "not_from": barred}
        if options["pool"]:
            values["pool"] = pool_named(options["pool"]).pk
        for name in ("queries", "gold", "comprehension"):
            if options[name]:
                values[name] = _read(options[name], name)
        if options["scheme"]:
            values["scheme"] = scheme_given(options["scheme"])
        if options["consent"]:
            values["consent"] = text_of(options["consent"])
        return values


def _read(path: Path, name: str) -> Queries:
    pairs = gold_pairs(text_of(path), str(path)) if name != "queries" else None
    # The scheme says what may be known of a query.
    labels = CATEGORIES if name == "queries" else None
    return pairs or read_queries(path, category="all", labels=labels)


def _lines(planned: BatchEstimate, study: Study | None) -> Iterator[str]:
    plan = planned.plan
    yield (
        f"{plan.name}: {counted(len(plan.queries), plan.item_noun)} in {plan.n_hits:,} HITs "
        f"of {plan.queries_each}, {plan.assignments_per_hit} assignments each, for "
        f"{settings.MTURK_ENVIRONMENT}."
    )
    yield f"Full cost: {plan.cost:,} USD, of which {plan.cost - plan.rewards:,} USD fees."
    yield _pay_line(plan, study)
    if planned.budget_left is not None:
        beyond = ": not enough to publish it" if planned.is_beyond_budget else ""
        yield f"Left in the budget of the site: {planned.budget_left:,} USD{beyond}."


def _pay_line(plan: BatchPlan, study: Study | None) -> str:
    """The pay of an hour at the pace of the study's earlier answers."""
    earlier = Batch.objects.filter(study=study) if study else Batch.objects.none()
    pay = hourly_estimate(terms=plan, batches=earlier)
    basis = f"the median of {pay.n_answers:,} answers" if pay.n_answers else "assumed"
    low = f" Below {pay.floor:g} USD: publishing will ask for a reason." if pay.is_low else ""
    return (
        f"Hourly pay: about {pay.usd_per_hour} USD at {pay.seconds_per_query:.1f} s for a "
        f"{plan.item_noun} ({basis}).{low}"
    )


def _summary(plan: BatchPlan, *, dry_run: bool) -> dict[str, Any]:
    return {
        "name": plan.name,
        "environment": settings.MTURK_ENVIRONMENT,
        "n_queries": len(plan.queries),
        "n_hits": plan.n_hits,
        "n_gold": sum(1 for query in plan.queries if query.gold),
        "assignments_per_hit": plan.assignments_per_hit,
        "reward": plan.reward,
        "fees": plan.cost - plan.rewards,
        "cost": plan.cost,
        "dry_run": dry_run,
    }
