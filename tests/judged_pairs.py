"""A batch of pairs of query and passage that three people graded, for tests of judgments."""

from django.utils import timezone

from annotation.labels.operations.imports import record_votes
from annotation.models import Batch, BatchQuery, SchemeVersion, Study, Vote, Worker
from annotation.schemes import built_in_scheme
from annotation.vocabulary import BatchState, Environment
from metrics.io.pair_ids import pair_id

#: The grades that three people gave to each pair, in the batch's order: all the same, one apart,
#: each another, two with no vote between them, none. The last pair is gold.
GIVEN = ("222", "003", "013", "03", "", "333")
PAIRS = (("7", "D1"), ("7", "D2"), ("7", "D3"), ("8", "D1"), ("8", "D4"), ("8", "D5"))


def pairs_batch(
    study: Study, scheme: str = "relevance", given: tuple[str, ...] = GIVEN, name: str = "pairs"
) -> Batch:
    """A batch of `PAIRS` with the votes `given`, the last pair gold; labels are not decided."""
    asks = built_in_scheme(scheme)
    batch = Batch.objects.create(
        name=name,
        study=study,
        environment=Environment.IMPORTED,
        state=BatchState.IMPORTED,
        asks=asks.as_json(),
    )
    SchemeVersion.objects.create(batch=batch, number=1, content=batch.asks, created_by="test")
    question = asks.questions[0]
    queries = BatchQuery.objects.bulk_create(
        BatchQuery(
            batch=batch,
            qid=pair_id(qid, docno),
            text=f"what is {qid}",
            passage=f"It is {docno}, indeed",
            position=position,
            gold=f"{question.name}={question.codes[-1]}" if position == len(PAIRS) - 1 else "",
        )
        for position, (qid, docno) in enumerate(PAIRS)
    )
    workers = [
        Worker.objects.get_or_create(environment=batch.environment, worker_id=name)[0]
        for name in ("A1", "A2", "A3")
    ]
    record_votes(
        (
            Vote(query=query, worker=worker, answered_at=timezone.now()),
            [(question.name, code)],
        )
        for query, codes in zip(queries, given, strict=True)
        for worker, code in zip(workers, codes, strict=False)
    )
    return batch
