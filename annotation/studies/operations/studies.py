"""Saying later what a study is about, and taking over what was made without one."""

from collections.abc import Sequence

from django.db import IntegrityError, transaction
from django.db.models import Q

from annotation.models import AuditEvent, Batch, Study, StudyPool
from metrics.errors import InputError
from pooling.models import Pool

_LONGEST_NAME = 100
_LONGEST_DESCRIPTION = 2_000


def study_change(*, study: Study, name: str, description: str, actor: str) -> Study:
    """Give the study another name or description."""
    name, description = check_words(name, description)
    if (name, description) == (study.name, study.description):
        return study
    detail = {"before": study.name, "now": name} if name != study.name else {"name": name}
    with transaction.atomic():
        study.name, study.description = name, description
        try:
            with transaction.atomic():
                study.save(update_fields=["name", "description"])
        except IntegrityError:
            raise name_is_taken(name) from None
        AuditEvent.objects.create(study=study, actor=actor, action="study changed", detail=detail)
    return study


def study_adopt(
    *, study: Study, pools: Sequence[Pool], batches: Sequence[Batch], actor: str
) -> None:
    """Make pools and batches that belong to no study part of it.

    A pool and the batches made of it go together. What belongs to another study raises
    `InputError`: its members would lose or share it unasked.
    """
    of_batches = Pool.objects.filter(batches__in=batches)
    all_pools = {pool.pk: pool for pool in [*pools, *of_batches]}
    with transaction.atomic():
        for pool in all_pools.values():
            belongs, _ = StudyPool.objects.get_or_create(pool=pool, defaults={"study": study})
            _check_is_free(f"the pool {pool.name!r}", belongs.study, study)
        chosen = Q(pool__in=all_pools) | Q(pk__in=[batch.pk for batch in batches])
        found = list(Batch.objects.filter(chosen).select_related("study").order_by("name"))
        for batch in found:
            _check_is_free(f"the batch {batch.name!r}", batch.study, study)
        Batch.objects.filter(chosen).update(study=study)
        detail = {
            "pools": sorted(pool.name for pool in all_pools.values()),
            "batches": [batch.name for batch in found],
        }
        AuditEvent.objects.create(study=study, actor=actor, action="adopted", detail=detail)


def _check_is_free(what: str, owner: Study | None, study: Study) -> None:
    if owner is not None and owner != study:
        raise InputError(f"{what} belongs to the study {owner.name!r}.")


def check_words(name: str, description: str) -> tuple[str, str]:
    """The name and description of a study without blanks around them; `InputError` if unfit."""
    name, description = name.strip(), description.strip()
    if not name or len(name) > _LONGEST_NAME or not name.isprintable():
        raise InputError(
            f"{name!r} is no name for a study.",
            remedy=f"Use up to {_LONGEST_NAME} printable characters.",
        )
    if len(description) > _LONGEST_DESCRIPTION or "\x00" in description:
        raise InputError(f"the description has more than {_LONGEST_DESCRIPTION:,} characters.")
    return name, description


def name_is_taken(name: str) -> InputError:
    """What is wrong with a name that another study has."""
    return InputError(f"a study named {name!r} exists.", remedy="Choose another name.")
