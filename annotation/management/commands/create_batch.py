"""Make a batch: queries in a fixed order, cut into HITs, with terms and a price."""

import json
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings

from annotation.batches.operations.batches import batch_create
from annotation.batches.operations.planning import MOST, BatchPlan, WorkerConditions
from annotation.batches.operations.queries import (
    queries_of_pool,
    queries_with_text,
    with_gold,
    without_batched,
    without_labelled,
)
from annotation.batches.queries.batches import batch_get
from annotation.batches.queries.pay import PayEstimate, hourly_estimate
from annotation.core.access import study_of_pool
from annotation.core.commands import actor
from annotation.core.durations import parse_seconds
from annotation.core.money import parse_amount
from annotation.core.site_budget import site_budget
from annotation.management.arguments import add_study_option, study_of, text_of
from annotation.models import Batch, Study
from annotation.task_page import Codebook, PageTexts, languages, standard_codebook
from metrics.cli.numbers import seed, whole_number
from metrics.errors import InputError
from metrics.management.command import FairpoolCommand
from metrics.runs.queries import Queries, read_queries
from pooling.selectors import pool_named

_TEXTS = ("title", "description", "keywords")


class Command(FairpoolCommand):
    help = "Make a batch of HITs from a pool or a query file. Prints their number and full cost."
    example = "create_batch --name first --pool top500 --reward 0.25 --assignments 3"

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--name", required=True, help="Name of the new batch.")
        source = parser.add_mutually_exclusive_group(required=True)
        source.add_argument("--pool", help="Name of a pool made by build_pool.")
        source.add_argument("--queries", type=Path, help="File of qid<TAB>text or qid,text,label.")
        add_study_option(parser)
        parser.add_argument(
            "--reward", default="0.25", help="USD per assignment of a HIT (default 0.25)."
        )
        parser.add_argument(
            "--assignments",
            type=whole_number(1, MOST),
            default=3,
            help="Workers asked per query (default 3).",
        )
        parser.add_argument(
            "--queries-per-hit",
            type=whole_number(1, MOST),
            default=10,
            help="Queries on one page (default 10).",
        )
        parser.add_argument("--gold", type=Path, help="File of queries with known category.")
        parser.add_argument(
            "--lifetime", default="7d", help="How long HITs are offered, as 7d, 12h (default 7d)."
        )
        parser.add_argument(
            "--duration", default="30m", help="Time for one HIT, as 30m (default 30m)."
        )
        parser.add_argument(
            "--auto-approval", default="3d", help="Time until work is paid unasked (default 3d)."
        )
        parser.add_argument("--budget", help="USD that may be spent, fees included (default: any).")
        parser.add_argument(
            "--seed", type=seed, default=0, help="Number that shuffles the queries (default 0)."
        )
        parser.add_argument(
            "--exclude-labelled", action="store_true", help="Leave out queries with a label."
        )
        parser.add_argument(
            "--new-only",
            action="store_true",
            help="Leave out queries that an earlier batch of the study, or of the pool, has.",
        )
        _add_conditions(parser)
        _add_texts(parser)
        parser.add_argument(
            "--dry-run", action="store_true", help="Check and price; store nothing."
        )

    def handle(self, *, dry_run: bool, as_json: bool, **options: Any) -> None:
        study = study_of(options)
        plan = _plan(options, study)
        plan.check()
        if not dry_run:
            environment = settings.MTURK_ENVIRONMENT
            batch_create(plan=plan, environment=environment, actor=actor(), study=study)
        if as_json:
            self.print_json(_summary(plan, dry_run=dry_run))
            return
        self.stdout.write(
            f"{plan.name}: {len(plan.queries):,} queries in {plan.n_hits:,} HITs, "
            f"{plan.assignments_per_hit} assignments each, for {settings.MTURK_ENVIRONMENT}."
        )
        self.stdout.write(
            f"Full cost: {plan.cost:,} USD, of which {plan.cost - plan.rewards:,} USD fees."
        )
        self.stdout.write(_pay_line(plan, study))
        if (left := site_budget(environment=settings.MTURK_ENVIRONMENT).left) is not None:
            beyond = ": not enough to publish it" if plan.cost > left else ""
            self.stdout.write(f"Left in the budget of the site: {left:,} USD{beyond}.")
        self.stdout.write("Nothing was stored." if dry_run else "Stored as a draft.")


def _add_conditions(parser: ArgumentParser) -> None:
    percent = whole_number(0, 100)
    parser.add_argument("--locale", help="Countries of workers, as US,CA (default: any).")
    parser.add_argument(
        "--min-approval", type=percent, help="Percent of a worker's answers approved."
    )
    parser.add_argument(
        "--min-approved", type=whole_number(), help="Number of a worker's answers approved."
    )
    parser.add_argument("--masters", action="store_true", help="Masters only; 5 %% more fee.")
    parser.add_argument("--share", type=percent, help="Percent of the HITs that one worker may do.")
    parser.add_argument(
        "--exclude-workers-of",
        action="append",
        default=[],
        metavar="BATCH",
        help="Keep out who worked on this batch; may be repeated.",
    )
    parser.add_argument(
        "--comprehension",
        type=Path,
        help="File of qid,query,label: a test before the first HIT, in two tries, 80 %% to pass.",
    )
    parser.add_argument(
        "--consent", type=Path, help="Text file that workers read and agree to before they begin."
    )


def _add_texts(parser: ArgumentParser) -> None:
    for name in _TEXTS:
        parser.add_argument(f"--{name}", help=f"What workers see as {name}.")
    parser.add_argument("--contact", default="", help="Whom workers may write to; on every HIT.")
    codebook = parser.add_mutually_exclusive_group()
    codebook.add_argument(
        "--language",
        choices=languages(),
        default="en",
        help="Language of the task page with the standard codebook (default en).",
    )
    codebook.add_argument(
        "--codebook",
        type=Path,
        help="JSON file with question, definitions and examples, as in a bundle's codebook.json.",
    )


def _codebook(options: dict[str, Any]) -> Codebook:
    path: Path | None = options["codebook"]
    if path is None:
        return standard_codebook(options["language"])
    try:
        return Codebook.from_json(json.loads(text_of(path)))
    except ValueError as error:
        raise InputError(f"is no codebook: {error}.", path=path) from None


def _conditions(options: dict[str, Any]) -> WorkerConditions:
    return WorkerConditions(
        locales=tuple(filter(None, (options["locale"] or "").split(","))),
        min_approval=options["min_approval"],
        min_approved=options["min_approved"],
        masters=options["masters"],
        share_percent=options["share"],
        not_from=tuple(batch_get(name=name).name for name in options["exclude_workers_of"]),
    )


def _plan(options: dict[str, Any], study: Study | None) -> BatchPlan:
    pool = pool_named(options["pool"]) if options["pool"] else None
    queries = queries_of_pool(pool) if pool else queries_with_text(_read(options["queries"]))
    study = study or (study_of_pool(pool=pool) if pool else None)
    if options["new_only"]:
        queries = without_batched(queries, pool=pool, study=study)
    if options["exclude_labelled"]:
        queries = without_labelled(queries, study=study)
    if options["gold"]:
        queries = with_gold(queries, _read(options["gold"]))
    return BatchPlan(
        name=options["name"],
        pool=pool,
        queries=queries,
        reward=parse_amount(options["reward"]),
        budget=parse_amount(options["budget"]) if options["budget"] else None,
        assignments_per_hit=options["assignments"],
        queries_per_hit=options["queries_per_hit"],
        lifetime_seconds=parse_seconds(options["lifetime"]),
        duration_seconds=parse_seconds(options["duration"]),
        auto_approval_seconds=parse_seconds(options["auto_approval"]),
        seed=options["seed"],
        conditions=_conditions(options),
        comprehension=(
            with_gold([], _read(options["comprehension"])) if options["comprehension"] else ()
        ),
        texts=PageTexts(
            codebook=_codebook(options),
            consent=text_of(options["consent"]) if options["consent"] else "",
            contact=options["contact"],
        ),
        **{name: options[name] for name in _TEXTS if options[name] is not None},
    )


def _pay(plan: BatchPlan, study: Study | None) -> PayEstimate:
    """The pay of an hour at the pace of the study's earlier answers."""
    earlier = Batch.objects.filter(study=study) if study else Batch.objects.none()
    return hourly_estimate(
        batches=earlier,
        reward=plan.reward,
        queries_per_hit=plan.queries_per_hit,
        floor=settings.MTURK_HOURLY_FLOOR,
    )


def _pay_line(plan: BatchPlan, study: Study | None) -> str:
    pay = _pay(plan, study)
    basis = f"the median of {pay.n_answers:,} answers" if pay.n_answers else "assumed"
    low = f" Below {pay.floor:g} USD: publishing will ask for a reason." if pay.is_low else ""
    return (
        f"Hourly pay: about {pay.usd_per_hour} USD at {pay.seconds_per_query:.1f} s for a query "
        f"({basis}).{low}"
    )


def _read(path: Path) -> Queries:
    return read_queries(path, category="all")


def _summary(plan: BatchPlan, *, dry_run: bool) -> dict[str, Any]:
    return {
        "name": plan.name,
        "environment": settings.MTURK_ENVIRONMENT,
        "n_queries": len(plan.queries),
        "n_hits": plan.n_hits,
        "n_gold": sum(1 for query in plan.queries if query.gold),
        "assignments_per_hit": plan.assignments_per_hit,
        "reward": str(plan.reward),
        "fees": str(plan.cost - plan.rewards),
        "cost": str(plan.cost),
        "dry_run": dry_run,
    }
