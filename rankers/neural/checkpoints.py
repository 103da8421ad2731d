"""Interrupted trainings: a signal takes effect after a step, whose state is in a checkpoint."""

import json
import shutil
import signal
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Any

from safetensors import SafetensorError

from metrics.errors import InputError

_ORIGIN = "origin.json"
_WRITTEN_LAST = "trainer_state.json"


@dataclass(frozen=True)
class Checkpoint:
    """A folder with the state of a training after `n_steps`."""

    path: Path
    n_steps: int


@dataclass(frozen=True)
class Checkpoints:
    """The states that a trainer of transformers keeps in `folder`, one every `every` steps.

    `origin` is what the result depends on; a training of another origin cannot be resumed.
    """

    folder: Path
    origin: Mapping[str, Any]
    every: int
    resume: bool = False

    def start(self) -> Checkpoint | None:
        """Return the checkpoint to resume from; without `resume` remove those of another call."""
        origin = json.dumps(self.origin, ensure_ascii=False, indent=2, sort_keys=True) + "\n"
        is_ours = (self.folder / _ORIGIN).is_file()
        if self.resume:
            return self._last(origin if is_ours else None)
        if not is_ours and self.folder.exists() and any(self.folder.iterdir()):
            raise InputError(
                "holds other files than checkpoints.",
                path=self.folder,
                remedy="Choose another --output.",
            )
        self.remove()
        with plain_disk_errors(self.folder):
            self.folder.mkdir(parents=True)
            (self.folder / _ORIGIN).write_text(origin, encoding="utf-8")
        return None

    def _last(self, origin: str | None) -> Checkpoint:
        """The last complete checkpoint."""
        steps = {int(path.name.rpartition("-")[2]): path for path in self._whole()}
        if origin is None or not steps:
            raise no_checkpoint(self.folder)
        if (self.folder / _ORIGIN).read_text(encoding="utf-8") != origin:
            raise other_checkpoint(self.folder)
        return Checkpoint(steps[max(steps)], max(steps))

    def _whole(self) -> list[Path]:
        return [path.parent for path in self.folder.glob(f"checkpoint-*/{_WRITTEN_LAST}")]

    def tidy(self) -> None:
        """Remove incomplete checkpoints after an error, and the folder if none is complete."""
        whole = self._whole()
        for path in self.folder.glob("checkpoint-*"):
            if path not in whole:
                shutil.rmtree(path)
        if not whole:
            self.remove()

    def remove(self) -> None:
        """Remove the folder, where there is one."""
        shutil.rmtree(self.folder, ignore_errors=True)


@contextmanager
def plain_disk_errors(path: str | Path) -> Iterator[None]:
    """Turn the errors of torch and safetensors on a full disk into an `InputError`."""
    try:
        yield
    except (OSError, RuntimeError, SafetensorError) as error:
        raise InputError(
            f"cannot be written: {error}.", path=path, remedy="Is the disk full?"
        ) from error


@contextmanager
def signals_wait() -> Iterator[Callable[[], bool]]:
    """Delay the first SIGINT or SIGTERM; yield a function that says whether it has come."""
    came: list[int] = []
    if threading.current_thread() is not threading.main_thread():
        yield lambda: False
        return
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}

    def note(number: int, _frame: FrameType | None) -> None:
        came.append(number)
        restore()

    def restore() -> None:
        for number, handler in before.items():
            signal.signal(number, handler)

    for number in before:
        signal.signal(number, note)
    try:
        yield lambda: bool(came)
    finally:
        restore()


def interrupted(n_steps: int, checkpoint: Path | None) -> InputError:
    """The error that ends a training after `n_steps`, whose state is in `checkpoint`."""
    return InputError(
        f"interrupted after {n_steps} steps.",
        path=checkpoint,
        remedy="Run the same command with --resume to go on." if checkpoint else "",
    )


def no_checkpoint(path: Path | None) -> InputError:
    """Return the error for resuming a training that was never interrupted."""
    return InputError(
        "there is no checkpoint to go on from.", path=path, remedy="Leave out --resume."
    )


def check_none_waits(path: Path) -> None:
    """`InputError` for the checkpoint of an interrupted training, which a new one would remove."""
    if path.is_file() or (path / _ORIGIN).is_file():
        raise InputError(
            "is the checkpoint of an interrupted training, which this one would remove.",
            path=path,
            remedy="Go on with --resume, or start again with --force.",
        )


def other_checkpoint(path: Path) -> InputError:
    """The error for the checkpoint of another training."""
    return InputError(
        "belongs to a training with other settings or files.",
        path=path,
        remedy="Repeat the command of the interrupted training, or leave out --resume.",
    )
