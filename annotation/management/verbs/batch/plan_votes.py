"""Command: precision by number of votes per query, before a batch."""

from collections.abc import Sequence
from typing import Any

from django.core.management.base import CommandParser

from annotation.batches.operations.terms import CreateBatchParameters as Defaults
from annotation.batches.planning.budget import Purchase, budget_advice, purchases
from annotation.batches.planning.votes import (
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
from annotation.batches.queries.batches import get_batch
from annotation.core.amounts import parse_amount
from annotation.core.options import ParametersCommand
from annotation.core.parameters import ParametersError, not_a_choice, value_of
from annotation.crowd.pricing import unit_price
from annotation.labels.queries.questions import category_chosen, nominal_question_in
from annotation.labels.queries.votes import votes_on
from annotation.management.arguments import add_scheme_option, scheme_named
from annotation.schemes import (
    ALL,
    JOINED,
    Question,
    Scheme,
)
from annotation.vocabulary import CATEGORY_QUESTION, Category
from metrics.cli.numbers import listed, seed, share, whole_number
from metrics.votes.estimates import narrowing_advice

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


class Command(ParametersCommand):
    help = (
        "Forecast ties, wrong labels, cost and the width of alpha's interval for several "
        "numbers of votes per query, from a pilot batch or an assumed accuracy, and whether "
        "more workers or more queries would narrow it. With a budget: whether to spend it on "
        "votes or on queries."
    )
    example = "batch plan-votes --queries 4000 --accuracy 0.85 --price-per-vote 0.03"

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--queries", type=whole_number(1), required=True, help="Queries to be labelled."
        )
        parser.add_argument(
            "--pilot", metavar="BATCH", help="Learn shares and errors from this batch."
        )
        add_scheme_option(
            parser,
            "Without a pilot: what will be asked, a built-in scheme or a YAML file of one "
            f"(default: {CATEGORY_QUESTION}).",
        )
        parser.add_argument(
            "--question",
            default="",
            help="A question with one answer and options in no order (default: the one that "
            "makes the subset).",
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
            help="Without a pilot: standard deviation of the accuracy between workers (default: "
            "%(default)s).",
        )
        parser.add_argument(
            "--shares",
            type=listed(share),
            help="Without a pilot: shares of the options, in their order, as .7,.3 (default: of "
            f"{', '.join(Category)} those of the released labels).",
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
            default="",
            help="Code of the option whose share the budget should estimate, or several joined "
            f"by {JOINED} (default: those of the subset).",
        )
        parser.add_argument("--seed", type=seed, default=0, help="Seed of alpha's simulation.")

    def handle(self, **options: Any) -> None:
        with self.usage_errors():
            self._plan(options)

    def _plan(self, options: dict[str, Any]) -> None:
        spread, n_workers = None, N_WORKERS
        batch = get_batch(name=options["pilot"]) if options["pilot"] else None
        scheme = batch.scheme if batch else scheme_named(options["scheme"] or CATEGORY_QUESTION)
        with value_of("question"):
            question = nominal_question_in(scheme, options["question"])
        is_bought = bool(options["budget"] or options["category"])
        places = _places(scheme, question, options["category"]) if is_bought else []
        if batch:
            pilot = votes_on(batch=batch, question=question).counted().told()
            shares: Any
            shares, model = pilot_voter_model(pilot)
            spread, n_workers = pilot_spread(pilot), max(len(pilot.workers), 2)
        else:
            shares = _shares(question, options["shares"])
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
        result: dict[str, Any] = {"plans": rows}
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
                options=places,
            )
            advice = budget_advice(bought)
            result |= {"budget": bought, "advice": advice}
            lines += ["", _BUDGET_HEADER, *map(_bought, bought), "", advice]
        self.print_result(options, result, lines)


def _shares(question: Question, shares: list[float] | None) -> list[float]:
    """A share for each option: those given, or those of the released labels."""
    codes = ", ".join(question.codes)
    if shares is None and set(question.codes) == set(Category):
        return [_RELEASED[Category(code)] for code in question.codes]
    if shares is None or len(shares) != len(question.codes):
        raise ParametersError({"shares": [f"Give a share for each of {codes}."]})
    return shares


def _places(scheme: Scheme, question: Question, category: str) -> list[int]:
    """The places of the options whose share is wanted."""
    codes = category_chosen(scheme, question, category).split(JOINED)
    if len(codes) == len(question.codes):
        raise not_a_choice("category", category or ALL, question.codes)
    return [question.codes.index(code) for code in codes]


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
