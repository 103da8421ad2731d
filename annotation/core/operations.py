"""Operations: everything that a person or a program may do that writes, each in one file.

An operation says what it takes (`parameters`), who may do it to what (`permission`, `states`), what
it would do and cost (`estimate`) and how it is done (`run`). `perform` is the only way in, and
checks all of that for pages, the API, the command line and queued jobs.
See docs/recipes.md for how to add one.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, ClassVar, Generic, TypeVar

from django.core.exceptions import PermissionDenied
from django.db import transaction

from annotation.core.access import User
from annotation.core.consent import Consent, Estimate
from annotation.core.versions import State
from annotation.models import Assignment, Batch, Study
from annotation.vocabulary import Action, BatchState, Environment, Permit, TaskKind
from metrics.errors import InputError

#: Called with the units of work done since the last call; raises an error to end the work.
Advance = Callable[[int], object]
Subject = TypeVar("Subject", Study, Batch, Assignment, None)
Parameters = TypeVar("Parameters")
#: The states of a batch that has HITs at the crowd service.
PUBLIC_STATES = (BatchState.PUBLISHING, BatchState.PUBLISHED, BatchState.STOPPED)


class NotPermittedError(InputError, PermissionDenied):
    """The actor may not do this."""


class StateError(InputError):
    """The operation is not available for a batch in this state."""


def no_progress(_units: int) -> None:
    """Report progress to nobody."""


def checkpoint(advance: Advance) -> None:
    """Raise an error if the work has to end, also if that was only just decided.

    Inside the transaction that stores the result this is final: nobody can cancel until it has
    ended.
    """
    advance(0)


@dataclass(frozen=True)
class Actor:
    """A person who acts: name for the log, and account whose permissions count.

    Without an account it is a person with a shell on the site's machine, who may do everything.
    """

    name: str
    user: User | None = None


@dataclass(frozen=True)
class Result:
    """Result of an operation: `values` for programs, `message` for people.

    `problem` says why a person should look at it, `note` what else they should know.
    """

    values: dict[str, Any] = field(default_factory=dict)
    message: str = ""
    problem: str = ""
    note: str = ""
    made: Any = None


@dataclass(frozen=True)
class Run:
    """The terms of one execution: actor, consent to the cost, and receiver of progress."""

    actor: Actor
    consent: Consent | None = None
    advance: Advance = no_progress


class Operation(ABC, Generic[Subject, Parameters]):
    """One thing that may be done. Its docstring is its description in every interface.

    A `job` runs in the background if nobody waits for it; two of one kind never run at once.
    """

    #: Its name in addresses, commands and the log, as stored there.
    name: ClassVar[str]
    #: Its address in the API below its subject, and an example of what is sent. Empty where it
    #: shares an address with a reading view, or is about more than its subject. Its command has the
    #: same example.
    path: ClassVar[str] = ""
    example: ClassVar[Mapping[str, Any]] = MappingProxyType({})
    #: Noun and verb of its command, if they are not its subject and its name; None if it needs a
    #: signed-in person.
    command: ClassVar[str | None] = ""
    #: Address of its page below its subject, if it has one: consent is given there.
    page: ClassVar[str] = ""
    #: The heading of its page, the label of its button, and the message once it is queued.
    title: ClassVar[str] = ""
    button: ClassVar[str] = ""
    queued: ClassVar[str] = ""
    subject: ClassVar[type[Study | Batch | Assignment] | None]
    parameters: type[Parameters]
    permission: ClassVar[Action | None] = Action.MANAGE
    #: The permit that it takes besides the role.
    permit: ClassVar[Permit | None] = None
    states: ClassVar[tuple[str, ...]] = tuple(BatchState.values)
    job: ClassVar[TaskKind | None] = None
    #: Noun of what `units` counts.
    unit: ClassVar[str] = "HITs"
    #: Whether it may commit or spend money, so that its command asks for consent.
    spends: ClassVar[bool] = False
    #: Whether it pays subject by subject, so that a part of what was agreed to can be paid.
    is_divisible: ClassVar[bool] = False
    #: Whether it calls another service, so that no transaction may be open around it.
    calls_out: ClassVar[bool] = False
    #: Whether it is about a removed study, or a removed item of a study.
    of_removed: ClassVar[bool] = False
    #: Whether its command asks for confirmation, also without real money.
    asks_first: ClassVar[bool] = False

    @property
    def about(self) -> str:
        """Its description at every entry point."""
        return " ".join((self.__doc__ or "").split())

    def is_real(self, subject: Subject) -> bool:
        """Return whether real money is spent, which needs consent to the exact amount."""
        batch = batch_of(subject)
        return batch is not None and batch.environment == Environment.PRODUCTION

    def needs(self, parameters: Parameters) -> Action | None:
        """Return the permission needed with these parameters, as some take more."""
        del parameters
        return self.permission

    def initial(self, subject: Subject) -> dict[str, Any]:
        """Initial values of a form, beside the parameters' defaults."""
        del subject
        return {}

    def choices(self, subject: Subject, user: User) -> Mapping[str, list[tuple[str, str]]]:
        """Return the choices of multiple-choice parameters that depend on the subject."""
        del subject, user
        return {}

    def seen(self, subject: Subject, parameters: Parameters) -> State:
        """Return the state of the subject that a person decides on, for the decision's version."""
        del subject, parameters
        return {}

    def clean(self, subject: Subject, parameters: Parameters) -> Parameters:
        """Complete the parameters; raises `InputError` where they do not fit the subject."""
        del subject
        return parameters

    def estimate(self, subject: Subject, parameters: Parameters) -> Estimate:
        """Estimate effect and cost as of now."""
        del subject, parameters
        return Estimate()

    def units(self, subject: Subject, parameters: Parameters) -> int | None:
        """Return the number of units of work, if it is known in advance."""
        del subject, parameters
        return None

    def rehearse(self, subject: Subject, parameters: Parameters, actor: Actor) -> Result | None:
        """Do it for a dry run, and store nothing; None where the estimate says all.

        An operation that takes a file reads it here: a dry run fails as the operation would.
        """
        del subject, parameters, actor
        return None

    @abstractmethod
    def run(self, subject: Subject, parameters: Parameters, run: Run) -> Result:
        """Do the operation; with a consent, pay exactly that."""


AnyOperation = Operation[Any, Any]


def run_and_roll_back(
    operation: AnyOperation, subject: Any, parameters: Any, actor: Actor
) -> Result:
    """Run an operation that writes to the database alone, and take back what it wrote."""
    with transaction.atomic():
        result: Result = operation.run(subject, parameters, Run(actor))
        transaction.set_rollback(True)
    return result


def batch_of(subject: Any) -> Batch | None:
    """Return the batch whose states and money an operation on `subject` concerns."""
    if isinstance(subject, Assignment):
        return subject.hit.batch
    return subject if isinstance(subject, Batch) else None


def study_of(subject: Any) -> Study | None:
    """Return the study whose members may do it; None where only staff may."""
    batch = batch_of(subject)
    if batch is not None:
        return batch.study
    return subject if isinstance(subject, Study) else None
