"""Operations: everything that a person or a program may do that writes, each in one file.

An operation says what it takes (`parameters`), who may do it to what (`permission`, `states`), what
it would do and cost (`estimate`) and how it is done (`run`). `perform` is the only way in, and
checks all of that whatever door somebody comes through: page, API, command line or a queued job.
See docs/recipes.md for how to add one.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, ClassVar, Generic, TypeVar

from django.core.exceptions import PermissionDenied

from annotation.core.access import User
from annotation.core.consent import Consent, Estimate
from annotation.core.versions import State
from annotation.models import Assignment, Batch, Study
from annotation.vocabulary import Action, BatchState, Permit, TaskKind
from metrics.errors import InputError

#: Called with the units of work done since the last call; raises where the work has to end. With 0,
#: in the transaction that stores what was made, it is certain: nobody cancels until that has ended.
Advance = Callable[[int], object]
Subject = TypeVar("Subject", Study, Batch, Assignment, None)
Parameters = TypeVar("Parameters")
#: The states of a batch that has HITs at the crowd service.
PUBLIC_STATES = (BatchState.PUBLISHING, BatchState.PUBLISHED, BatchState.STOPPED)


class NotPermittedError(InputError, PermissionDenied):
    """The actor may not do this."""


class StateError(InputError):
    """The operation is not available for a batch in this state."""


def nobody_waits(_units: int) -> None:
    """Nobody waits for the progress."""


@dataclass(frozen=True)
class Actor:
    """Who acts: a name for the log, and the account whose permissions count.

    Without an account it is somebody with a shell on the site's machine, who may do everything.
    """

    name: str
    user: User | None = None


@dataclass(frozen=True)
class Result:
    """What came of an operation: `values` for programs, `message` for people.

    `problem` says why a person should look at it, `note` what they should know beside.
    """

    values: dict[str, Any] = field(default_factory=dict)
    message: str = ""
    problem: str = ""
    note: str = ""
    made: Any = None


@dataclass(frozen=True)
class Run:
    """How an operation is run: by whom, with whose agreement, and who hears of its progress."""

    actor: Actor
    consent: Consent | None = None
    advance: Advance = nobody_waits


class Operation(ABC, Generic[Subject, Parameters]):
    """One thing that may be done. The docstring is what every door says about it.

    A `job` is done in the background where nobody waits for it; two of one kind never are at once.
    """

    #: Its name in addresses, commands and the log, as stored there.
    name: ClassVar[str]
    #: Where it stands in the API below its subject, and what is shown there as sent. Empty where it
    #: shares an address with what reads, or is about more than its subject.
    path: ClassVar[str] = ""
    example: ClassVar[Mapping[str, Any]] = MappingProxyType({})
    #: The heading of its page, the words on its button, and what is said once it is queued.
    title: ClassVar[str] = ""
    button: ClassVar[str] = ""
    queued: ClassVar[str] = ""
    subject: ClassVar[type[Study | Batch | Assignment] | None]
    parameters: type[Parameters]
    permission: ClassVar[Action | None] = Action.MANAGE
    #: What it takes beside, where it belongs to no study yet.
    permit: ClassVar[Permit | None] = None
    states: ClassVar[tuple[str, ...]] = tuple(BatchState.values)
    job: ClassVar[TaskKind | None] = None
    #: Whether it pays subject by subject, so that what was agreed to can be paid beside the rest.
    is_divisible: ClassVar[bool] = False
    #: Whether it is done to a study that is removed, or to what is removed of it.
    of_removed: ClassVar[bool] = False
    #: Whether its command asks a person first, also where no money is real.
    asks_first: ClassVar[bool] = False

    @property
    def about(self) -> str:
        """What every door says about it."""
        return " ".join((self.__doc__ or "").split())

    def needs(self, parameters: Parameters) -> Action | None:
        """What the actor needs with these parameters, where some of them take more."""
        del parameters
        return self.permission

    def initial(self, subject: Subject) -> dict[str, Any]:
        """What a form begins with, beside the parameters' defaults."""
        del subject
        return {}

    def seen(self, subject: Subject, parameters: Parameters) -> State:
        """What of the subject a person decides on; the decision's version is made of it."""
        del subject, parameters
        return {}

    def clean(self, subject: Subject, parameters: Parameters) -> Parameters:
        """The parameters, completed; raises `InputError` where they do not fit the subject."""
        del subject
        return parameters

    def estimate(self, subject: Subject, parameters: Parameters) -> Estimate:
        """What it would do and cost now."""
        del subject, parameters
        return Estimate()

    def units(self, subject: Subject, parameters: Parameters) -> int | None:
        """How many units of work there are, if that is known before."""
        del subject, parameters
        return None

    @abstractmethod
    def run(self, subject: Subject, parameters: Parameters, run: Run) -> Result:
        """Do it; where there is a consent, pay exactly what it says."""


AnyOperation = Operation[Any, Any]
