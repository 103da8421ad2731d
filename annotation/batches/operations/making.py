"""A batch as pages and the API make it: at once with the rule for further votes, if any."""

from dataclasses import asdict

from django.db import transaction

from annotation.batches.operations.batches import batch_create
from annotation.batches.operations.planning import BatchPlan
from annotation.batches.operations.redundancy import RedundancyTerms, redundancy_begin
from annotation.models import Batch, Study


@transaction.atomic
def batch_make(
    *,
    plan: BatchPlan,
    environment: str,
    actor: str,
    study: Study | None = None,
    redundancy: RedundancyTerms | None = None,
) -> Batch:
    """What `create_batch` does, and with `redundancy` also what `ask_adaptively --begin` does."""
    batch = batch_create(plan=plan, environment=environment, actor=actor, study=study)
    if redundancy is not None:
        redundancy_begin(batch=batch, actor=actor, **asdict(redundancy))
    return batch
