"""Storing the designs of a bundle's samples."""

from collections.abc import Iterable

from annotation.models import DrawnSample
from annotation.models.samples import SAMPLE_TERMS
from annotation.reports.bundle.study import PoolBundle
from metrics.errors import InputError
from pooling.models import Pool


def store_samples(pools: Iterable[tuple[PoolBundle, Pool]], *, actor: str) -> None:
    """Store the samples among a bundle's pools, those that others continue first."""
    stored: dict[str, Pool] = {}
    samples: dict[str, DrawnSample] = {}
    for read, pool in pools:
        stored[read.name] = pool
        terms = read.terms.get("sample")
        if terms is None:
            continue
        parent, before = stored[terms["parent"]], terms["continues"]
        if set(terms["chances"]) != set(parent.queries.values_list("qid", flat=True)):
            raise InputError(
                f"the sample {read.name!r} has other queries than the pool it was drawn from."
            )
        samples[read.name] = DrawnSample.objects.create(
            pool=pool,
            parent=parent,
            continues=samples[before] if before else None,
            actor=actor,
            **{name: terms[name] for name in SAMPLE_TERMS},
        )
