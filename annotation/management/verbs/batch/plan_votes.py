"""Command: precision by number of votes per query, before a batch."""

from collections.abc import Sequence
from typing import Any

from django.core.management.base import CommandParser

from annotation.agreement.budget import Purchase, budget_advice, purchases
from annotation.agreement.estimates import narrowing_advice
from annotation.agreement.planning import (
    DEVIATION,
    MOST_VOTES,
    N_WORKERS,
    Expectation,
    assumed_spread,
    expect,
    pilot_spread,
    pilot_voter_model,
    voter_model,
)
from annotation.batches.operations.terms import CreateBatchParameters as Defaults
from annotation.batches.queries.batches import batch_get
from annotation.core.amounts import parse_amount
from annotation.core.base_command import FairpoolCommand
from annotation.crowd.pricing import unit_price
from annotation.labels.queries.votes import vote_table
from annotation.vocabulary import Category
from metrics.cli.numbers import listed, seed, share, whole_number

#: The shares of the released labels (Rekabsaz & Schedl, 2020).
_RELEASED = {
    Category.NON_GENDERED: 0.47,
    Category.FEMALE: 0.20,
    Category.MALE: 0.32,
    Category.OTHER: 0.01,
}
#: Of a vote, in a batch with the usual terms.
_PRICE = (
    unit_price(Defaults.reward, assignments=Defaults.assignments_per_hit) / Defaults.queries_per_hit
)


class Command(FairpoolCommand):
    help = (
        "Expect ties, wrong labels, cost and the width of alpha's interval for several numbers of "
        "votes per query, from a pilot batch or from an assumed accuracy, and whether more workers "
        "or more queries would narrow it. With a budget: whether it buys more as votes or as "
        "queries."
    )
    example = "batch plan-votes --queries 4000 --accuracy 0.85 --price-per-vote 0.03"

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--queries", type=whole_number(1), required=True, help="Queries to be labelled."
        )
        parser.add_argument(
            "--pilot", metavar="BATCH", help="Learn shares and errors from this batch."
        )
        parser.add_argument(
            "--accuracy",
            type=share,
            default=0.85,
            help="Without a pilot: chance that a vote is right (default: %(default)s).",
        )
        parser.add_argument(
            "--workers",
            type=whole_number(2),
            help=f"Workers who will take part (default: those of the pilot, else {N_WORKERS}).",
        )
        parser.add_argument(
            "--accuracy-deviation",
            type=share,
            default=DEVIATION,
            help="Standard deviation of the accuracy between workers, where no pilot tells how "
            "they differ (default: %(default)s).",
        )
        parser.add_argument(
            "--shares",
            type=listed(share),
            default=[_RELEASED.get(category, 0.0) for category in Category],
            help=f"Without a pilot: shares of {', '.join(Category)} (default: those of the "
            "released labels).",
        )
        parser.add_argument(
            "--votes",
            type=listed(whole_number(1, MOST_VOTES)),
            default=[2, 3, 5],
            help="Votes per query to compare (default: 2,3,5).",
        )
        parser.add_argument(
            "--price-per-vote",
            default=f"{_PRICE.normalize():f}",
            help="USD with fees (default: %(default)s, that of a batch with the usual terms).",
        )
        parser.add_argument(
            "--budget",
            help="USD: also compare what this buys with each number of votes per query, of queries "
            "drawn at random from all.",
        )
        parser.add_argument(
            "--category",
            choices=Category.values,
            default=str(Category.NON_GENDERED),
            help="Whose share the budget is to tell (default: %(default)s).",
        )
        parser.add_argument("--seed", type=seed, default=0, help="Of alpha's simulation.")

    def handle(self, **options: Any) -> None:
        shares: Any = options["shares"]
        spread, n_workers = None, N_WORKERS
        if options["pilot"]:
            pilot = vote_table(batch=batch_get(name=options["pilot"]))
            shares, model = pilot_voter_model(pilot)
            spread, n_workers = pilot_spread(pilot), max(len(pilot.workers), 2)
        else:
            model = voter_model(shares, options["accuracy"])
        if spread is None:
            spread = assumed_spread(shares, model, options["accuracy_deviation"])
        n_workers = options["workers"] or n_workers
        price = parse_amount(options["price_per_vote"])
        rows = expect(
            n_queries=options["queries"],
            shares=shares,
            model=model,
            n_votes=options["votes"],
            price_per_vote=price,
            n_workers=n_workers,
            worker_spread=spread,
            seed=options["seed"],
        )
        lines = [_HEADER, *map(_line, rows), *_advice(rows)]
        shown: dict[str, Any] = {"plans": rows}
        if options["budget"]:
            bought = purchases(
                budget=parse_amount(options["budget"]),
                price_per_vote=price,
                n_pool=options["queries"],
                shares=shares,
                model=model,
                n_votes=options["votes"],
                n_workers=n_workers,
                deviation=_deviation(shares, model, spread),
                category=Category.values.index(options["category"]),
            )
            advice = budget_advice(bought)
            shown |= {"budget": bought, "advice": advice}
            lines += ["", _BUDGET_HEADER, *map(_bought, bought), "", advice]
        self.print_result(options, shown, lines)


def _deviation(shares: Any, model: Any, spread: float) -> float:
    """Standard deviation of the accuracy between workers that gives alpha this spread by them."""
    by_accuracy = assumed_spread(shares, model, 1.0)
    return spread / by_accuracy if by_accuracy > 0 else 0.0


_HEADER = (
    f"{'votes/query':>11}{'votes':>9}{'adaptive':>10}{'USD':>10}{'ties':>8}{'wrong':>8}"
    f"{'alpha':>8}{'± ':>8}{'by workers':>12}"
)


def _line(row: Expectation) -> str:
    alpha = "" if row.alpha is None else f"{row.alpha:.3f}"
    half = "" if row.alpha_width is None else f"{row.alpha_width / 2:.3f}"
    by_workers = "" if row.worker_share is None else f"{row.worker_share:.0%}"
    return (
        f"{row.n_votes:>11}{row.votes:>9,}{row.adaptive_votes:>10,.0f}{row.cost:>10,}"
        f"{row.ties:>8,.0f}{row.wrong:>8,.0f}{alpha:>8}{half:>8}{by_workers:>12}"
    )


_BUDGET_HEADER = (
    f"{'votes/query':>11}{'queries':>9}{'USD':>10}{'share':>8}{'off by':>8}{'± ':>8}"
    f"{'queries':>9}{'workers':>9}{'error':>8}"
)


def _bought(row: Purchase) -> str:
    return (
        f"{row.n_votes:>11}{row.n_queries:>9,}{row.cost:>10,}{row.share:>8.3f}{row.off_by:>8.3f}"
        f"{row.half_width:>8.3f}{row.by_queries:>9.3f}{row.by_workers:>9.3f}{row.error:>8.3f}"
    )


def _advice(rows: Sequence[Expectation]) -> list[str]:
    """Say whether workers or queries would narrow alpha's interval more, with the most votes."""
    share = rows[-1].worker_share
    return [] if share is None else ["", narrowing_advice(share)]
