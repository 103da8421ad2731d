"""Publish the next round of a batch that asks adaptively."""

from annotation.batches.operations.adaptive_policy import plan_adaptive_round, round_pages
from annotation.batches.operations.collect import collect_batch
from annotation.batches.operations.publish import publish_batch, publishing_problem
from annotation.batches.queries.adaptive import adaptive_policy, queries_to_ask
from annotation.core.consent import Charge, Estimate
from annotation.core.counting import counted, plural
from annotation.core.operations import PUBLIC_STATES, Operation, Result, Run
from annotation.core.parameters import NoParameters
from annotation.crowd.pricing import unit_price
from annotation.crowd.qualifications import WorkerConditions
from annotation.models import Batch
from annotation.vocabulary import Action, TaskKind


class AdaptiveRound(Operation[Batch, NoParameters]):
    """Collect, then publish the next round of a batch that asks adaptively.

    It asks for further votes only on queries on which voters differ, and excludes everybody who has
    voted in the batch.
    """

    name = "adaptive round"
    spends = True
    path = "ask"
    example = {"dry_run": True}
    page = "round"
    title = "Adaptive round"
    button = "Publish the round"
    queued = "Collecting, then publishing the next round."
    subject = Batch
    parameters = NoParameters
    permission = Action.PUBLISH
    states = PUBLIC_STATES
    job = TaskKind.ADAPTIVE_ROUND

    def estimate(self, subject: Batch, parameters: NoParameters) -> Estimate:
        """Estimate from the collected votes; a page is identified by its queries."""
        masters = WorkerConditions.from_json(subject.conditions).masters
        queries_by_votes = queries_to_ask(batch=subject)
        pages = round_pages(subject, queries_by_votes)
        charges = tuple(
            Charge(
                subject.reward,
                unit_price(subject.reward, assignments=more, masters=masters) - subject.reward,
                tuple(
                    "+".join(str(query.pk) for query in page)
                    for votes, page in pages
                    if votes == more
                ),
                more,
            )
            for more in queries_by_votes
        )
        n_queries = sum(map(len, queries_by_votes.values()))
        question = subject.scheme.question(adaptive_policy(batch=subject).question)
        noun, nouns = subject.scheme.item_noun, plural(subject.scheme.item_noun)
        n_answers = sum(votes for votes, _page in pages)
        return Estimate(
            n_answers=n_answers,
            n_hits=len(pages),
            n_queries=n_queries,
            charges=charges,
            facts=(
                ("Question", question.text),
                (f"{nouns.capitalize()} that the votes do not settle", f"{n_queries:,}"),
                ("HITs of this round", f"{len(pages):,}"),
                ("Answers that they ask for", f"{n_answers:,}"),
            ),
            nothing="" if pages else f"No {noun} needs another vote now.",
        )

    def run(self, subject: Batch, parameters: NoParameters, run: Run) -> Result:
        """Collect votes, plan the HITs of the round, publish; each step may be repeated."""
        actor = run.actor.name
        collect_batch(batch_id=subject.pk, actor=actor, advance=run.advance)
        if run.consent is not None:
            run.consent.check(self.estimate(subject, parameters))
        planned = plan_adaptive_round(batch=subject, actor=actor)
        published = publish_batch(batch_id=subject.pk, actor=actor, advance=run.advance)
        items = counted(planned.queries, subject.scheme.item_noun)
        message = f"{counted(planned.hits, 'HIT')} for {items}."
        return Result(planned.as_dict(), message, problem=publishing_problem(published))


ADAPTIVE_ROUND = AdaptiveRound()
