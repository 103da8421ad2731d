"""plan_votes: how many votes per query buy how much, before a batch."""

from typing import Any

from django.core.management.base import CommandParser

from annotation.agreement.planning import (
    MOST_VOTES,
    Expectation,
    expect,
    pilot_voter_model,
    voter_model,
)
from annotation.batches.queries.batches import batch_get
from annotation.core.money import parse_amount
from annotation.labels.queries.votes import vote_table
from annotation.vocabulary import Category
from metrics.cli.numbers import listed, seed, share, whole_number
from metrics.management.command import FairpoolCommand

#: The shares of the released labels (Rekabsaz & Schedl, 2020).
_RELEASED = {
    Category.NON_GENDERED: 0.47,
    Category.FEMALE: 0.20,
    Category.MALE: 0.32,
    Category.OTHER: 0.01,
}


class Command(FairpoolCommand):
    help = (
        "Expect ties, wrong labels, cost and the width of alpha's interval for several numbers of "
        "votes per query, from a pilot batch or from an assumed accuracy."
    )
    example = "plan_votes --queries 4000 --accuracy 0.85 --price-per-vote 0.03"

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--queries", type=whole_number(1), required=True, help="Queries to be labelled."
        )
        parser.add_argument("--pilot", metavar="B", help="Learn shares and errors from this batch.")
        parser.add_argument(
            "--accuracy",
            type=share,
            default=0.85,
            help="Without a pilot: chance that a vote is right (default: %(default)s).",
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
            default="0.03",
            help="USD with fees (default: %(default)s, which is 0.25 + 20 %% for ten queries).",
        )
        parser.add_argument("--seed", type=seed, default=0, help="Of alpha's simulation.")

    def handle(self, **options: Any) -> None:
        shares: Any = options["shares"]
        if options["pilot"]:
            pilot = vote_table(batch=batch_get(name=options["pilot"]))
            shares, model = pilot_voter_model(pilot)
        else:
            model = voter_model(shares, options["accuracy"])
        rows = expect(
            n_queries=options["queries"],
            shares=shares,
            model=model,
            n_votes=options["votes"],
            price_per_vote=parse_amount(options["price_per_vote"]),
            seed=options["seed"],
        )
        self.print_result(options, {"plans": rows}, [_HEADER, *map(_line, rows)])


_HEADER = (
    f"{'votes/query':>11}{'votes':>9}{'adaptive':>10}{'USD':>10}{'ties':>8}{'wrong':>8}"
    f"{'alpha':>8}{'± ':>8}"
)


def _line(row: Expectation) -> str:
    alpha = "" if row.alpha is None else f"{row.alpha:.3f}"
    half = "" if row.alpha_width is None else f"{row.alpha_width / 2:.3f}"
    return (
        f"{row.n_votes:>11}{row.votes:>9,}{row.adaptive_votes:>10,.0f}{row.cost:>10,}"
        f"{row.ties:>8,.0f}{row.wrong:>8,.0f}{alpha:>8}{half:>8}"
    )
