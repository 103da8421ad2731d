"""One target in a process of its own: `python -m measurements.fuzz.one NAME [OPTIONS]`."""

import sys
import time

import atheris

with atheris.instrument_imports(include=["metrics", "annotation"]):
    from measurements.fuzz.targets import TARGETS

#: Of the processor, so that a busy machine makes no fault.
MOST_SECONDS = 2.0


class TooSlowError(Exception):
    """A small input kept the processor busy for too long."""


def main() -> None:
    target = TARGETS[sys.argv.pop(1)]
    feed = target.feed
    # What is loaded at the first call is not slowness of an input.
    for seed in target.seeds:
        feed(seed)

    def timed(data: bytes) -> None:
        start = time.process_time()
        feed(data)
        if (took := time.process_time() - start) > MOST_SECONDS:
            raise TooSlowError(f"{took:.1f} s for {len(data)} bytes")

    atheris.Setup(sys.argv, timed)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
