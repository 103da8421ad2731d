"""Pools: their list."""

from django.db.models import QuerySet

from annotation.management.readings import InStudy, lists
from annotation.studies.api.pools import PoolRowSerializer
from pooling.models import Pool
from pooling.queries import pool_list

_COLUMNS = {
    "queries": "n_queries",
    "batches": "n_batches",
    "cutoff": "cutoff",
    "created": "created_at",
    "pool": "name",
}


@lists("pool list --study gender-2026", PoolRowSerializer, _COLUMNS, parameters=InStudy)
def pools(options: InStudy) -> QuerySet[Pool]:
    """List the pools, the latest first."""
    opened = options.among(Pool.objects.select_related("belongs"), path="belongs__study")
    return pool_list(pools=opened)
