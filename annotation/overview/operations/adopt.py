"""Put a pool or a batch that belongs to no study into one."""

from dataclasses import dataclass

from django.db import transaction

from annotation.core.access import is_staff
from annotation.core.operations import NotPermittedError, Operation, Result, Run
from annotation.core.parameters import LARGEST_KEY, parameter
from annotation.models import AuditEvent, Batch, Study, StudyPool
from annotation.vocabulary import AuditAction, ThingKind
from metrics.errors import InputError
from pooling.models import Pool

_KINDS = (ThingKind.POOL, ThingKind.BATCH)


@dataclass(frozen=True, kw_only=True)
class AdoptParameters:
    what: str = parameter(choices=[(kind.value, kind.label) for kind in _KINDS], label="What it is")
    number: int = parameter(
        0, min_value=0, max_value=LARGEST_KEY, help_text="Its number, as in its address."
    )
    name: str = parameter(
        "", max_length=100, allow_blank=True, help_text="Its name, where no number is given."
    )

    def find(self) -> Pool | Batch:
        """What is meant; `InputError` where there is none such."""
        kind: type[Pool | Batch] = Pool if self.what == ThingKind.POOL else Batch
        by = {"pk": self.number} if self.number else {"name": self.name}
        found: Pool | Batch | None = kind.objects.filter(**by).first()
        if found is None:
            raise InputError(
                f"there is no {self.what} {self.number or repr(self.name)}.",
                remedy="The lists of pools and batches have them all.",
            )
        return found


class Adopt(Operation[Study, AdoptParameters]):
    """Make a pool or a batch that belongs to no study part of one, so that its members see it.

    A pool and the batches made of it go together. It takes a member of staff, as nobody else sees
    what belongs to no study. What belongs to another study stays there.
    """

    name = "adopt"
    path = "adopt"
    example = {"what": "batch", "number": 3}
    title = "Put into a study"
    button = "Put into this study"
    subject = Study
    parameters = AdoptParameters

    def run(self, subject: Study, parameters: AdoptParameters, run: Run) -> Result:
        if run.actor.user is not None and not is_staff(run.actor.user):
            raise NotPermittedError("only members of staff put things into studies.")
        found = parameters.find()
        pool = found if isinstance(found, Pool) else found.pool
        with transaction.atomic():
            if pool is not None:
                belongs, _ = StudyPool.objects.get_or_create(pool=pool, defaults={"study": subject})
                _check_is_free(f"the pool {pool.name!r}", belongs.study, subject)
            chosen = {"pool": pool} if pool is not None else {"pk": found.pk}
            batches = list(Batch.objects.filter(**chosen).select_related("study").order_by("name"))
            for batch in batches:
                _check_is_free(f"the batch {batch.name!r}", batch.study, subject)
            Batch.objects.filter(**chosen).update(study=subject)
            detail = {
                "pools": [pool.name] if pool is not None else [],
                "batches": [batch.name for batch in batches],
            }
            AuditEvent.objects.create(
                study=subject, actor=run.actor.name, action=AuditAction.ADOPTED, detail=detail
            )
        return Result(detail, f"{found.name} belongs to {subject.name} now.", made=found)


def _check_is_free(what: str, owner: Study | None, study: Study) -> None:
    if owner is not None and owner != study:
        raise InputError(f"{what} belongs to the study {owner.name!r}.")


ADOPT = Adopt()
