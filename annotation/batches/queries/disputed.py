"""The queries of a batch on which people differ most."""

import numpy as np

from annotation.batches.queries.queries import QueryRow
from annotation.labels.queries.votes import study_queries
from annotation.models import Batch
from metrics.votes.table import Votes


def disputed_queries(*, batch: Batch, votes: Votes, limit: int) -> list[QueryRow]:
    """The queries with the largest share of differing pairs among `votes`, without their labels.

    Of equal shares those with more votes come first, then the batch's order.
    """
    table = votes.counted()
    counts, untold = table.counts(), table.untold()
    n_votes = counts.sum(axis=1)
    pairs = n_votes * (n_votes - 1)
    differing = pairs - (counts * (counts - 1)).sum(axis=1)
    order = np.lexsort((-n_votes, -differing / np.maximum(pairs, 1)))
    places = [place for place in order[:limit].tolist() if differing[place]]
    known = study_queries(batch=batch).filter(qid__in=[table.items[place] for place in places])
    texts = {row[1]: row for row in known.values_list("pk", "qid", "text", "passage")}
    return [
        QueryRow(
            *texts[table.items[place]][:3],
            counts=counts[place].tolist(),
            n_cannot_tell=int(untold[place]),
            label="",
            codes=table.labels,
            decided=(),
            adjudicated=(),
            passage=texts[table.items[place]][3],
        )
        for place in places
    ]
